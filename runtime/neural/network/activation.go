package network

import "likc/runtime/vec"

// Activation is the function f of a layer.
type Activation uint8

// The activations, by their number in files.
const (
	Linear Activation = iota
	Tanh
	Sigmoid
	SiLU // x·σ(x)
)

var activationNames = []string{"linear", "tanh", "sigmoid", "silu"}

func (a Activation) known() bool { return int(a) < len(activationNames) }

// String is the activation's name.
func (a Activation) String() string { return activationNames[a] }

// apply turns z into f(z), and sets slope to f'(z), in double precision.
func (a Activation) apply(z, slope, scratch []float64) {
	switch a {
	case Linear:
		for k := range slope {
			slope[k] = 1
		}
	case Tanh: // 2σ(2z) - 1
		vec.MulScalar(z, z, -2)
		sigmoid(z)
		vec.MulScalar(z, z, 2)
		vec.AddScalar(z, z, -1)
		vec.Mul(slope, z, z)
		oneMinus(slope, slope)
	case Sigmoid:
		vec.MulScalar(z, z, -1)
		sigmoid(z)
		oneMinus(slope, z)
		vec.Mul(slope, slope, z)
	case SiLU: // slope σ + zσ(1 - σ)
		vec.MulScalar(scratch, z, -1)
		sigmoid(scratch)
		vec.Mul(z, z, scratch)
		oneMinus(slope, scratch)
		vec.FMA(slope, slope, z, scratch)
	}
}

// sigmoid turns -x into σ(x).
func sigmoid(x []float64) {
	vec.Exp(x, x)
	vec.AddScalar(x, x, 1)
	vec.ScalarDiv(x, x, 1)
}

// oneMinus sets dst = 1 - x.
func oneMinus(dst, x []float64) {
	vec.MulScalar(dst, x, -1)
	vec.AddScalar(dst, dst, 1)
}
