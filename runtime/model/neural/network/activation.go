package network

import "math"

// Activation is the function f of a layer y = f(x·W + b).
type Activation uint8

// The activations. Files store these numbers.
const (
	Linear Activation = iota
	Tanh
	Sigmoid
	SiLU // x·σ(x)
)

// activationNames holds the name of each activation, in the order of the constants.
var activationNames = []string{"linear", "tanh", "sigmoid", "silu"}

func (a Activation) known() bool { return int(a) < len(activationNames) }

// String returns the activation's name.
func (a Activation) String() string { return activationNames[a] }

// spare is the number of elements after the last one that apply may overwrite, because kernels process whole vectors.
const spare = 8

// apply replaces z by f(z), and sets slope to f'(z), in double precision. Both slices must have room for `spare` more numbers.
func (a Activation) apply(z, slope []float64) {
	if a == Linear {
		for k := range slope {
			slope[k] = 1
		}
	} else if len(z) > 0 {
		activate(a, z[:len(z)+spare], slope[:len(z)+spare], len(z))
	}
}

// portable does the same as apply in Go, except for Linear.
func (a Activation) portable(z, slope []float64) {
	for k, x := range z {
		switch a {
		case Tanh:
			y := 2*sigmoid(2*x) - 1
			z[k], slope[k] = y, 1-y*y
		case Sigmoid:
			y := sigmoid(x)
			z[k], slope[k] = y, y*(1-y)
		case SiLU:
			s := sigmoid(x)
			z[k], slope[k] = x*s, s+x*s*(1-s)
		}
	}
}

// sigmoid returns σ(x), the logistic function.
func sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
