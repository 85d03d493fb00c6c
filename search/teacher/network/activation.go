package network

import (
	"fmt"

	"likc/runtime/vec"
)

// Activation is the function f of a layer.
type Activation uint8

// The activations. GELU is the form with a tanh: x·σ(2√(2/π)(x + 0.044715x³)) (Hendrycks, Gimpel. arXiv 1606.08415).
const (
	Linear Activation = iota
	Tanh
	Sigmoid
	SiLU // x·σ(x)
	GELU
)

var activationNames = []string{"linear", "tanh", "sigmoid", "silu", "gelu"}

func (a Activation) known() bool { return int(a) < len(activationNames) }

// String is the activation's name.
func (a Activation) String() string { return activationNames[a] }

// ActivationNamed is the activation of that name.
func ActivationNamed(name string) (Activation, error) {
	for i, s := range activationNames {
		if s == name {
			return Activation(i), nil
		}
	}
	return 0, fmt.Errorf("activation %q: unknown; there are %v", name, activationNames)
}

// gelu is the argument of GELU's σ, c·(x + k·x³).
const (
	geluScale = 1.5957691216057308 // 2√(2/π)
	geluCube  = 0.044715
)

// apply sets y = f(z). y and z are distinct.
func (a Activation) apply(y, z []float32) {
	switch a {
	case Linear:
		copy(y, z)
	case Tanh: // 2σ(2x) - 1
		vec.MulScalar32(y, z, -2)
		vec.Exp32(y, y)
		vec.AddScalar32(y, y, 1)
		vec.ScalarDiv32(y, y, 2)
		vec.AddScalar32(y, y, -1)
	case Sigmoid:
		vec.MulScalar32(y, z, -1)
		sigmoid(y)
	case SiLU:
		vec.MulScalar32(y, z, -1)
		sigmoid(y)
		vec.Mul32(y, y, z)
	case GELU:
		geluArgument(y, z)
		sigmoid(y)
		vec.Mul32(y, y, z)
	}
}

// sigmoid turns -x into σ(x).
func sigmoid(x []float32) {
	vec.Exp32(x, x)
	vec.AddScalar32(x, x, 1)
	vec.ScalarDiv32(x, x, 1)
}

func geluArgument(y, z []float32) {
	for i, x := range z {
		y[i] = -geluScale * (x + geluCube*x*x*x)
	}
}

// slope multiplies delta by f'(z); y = f(z), scratch is as long.
func (a Activation) slope(delta, z, y, scratch []float32) {
	switch a {
	case Tanh:
		for i, h := range y {
			delta[i] *= 1 - h*h
		}
	case Sigmoid:
		for i, h := range y {
			delta[i] *= h * (1 - h)
		}
	case SiLU:
		vec.MulScalar32(scratch, z, -1)
		sigmoid(scratch)
		for i, s := range scratch {
			delta[i] *= s + y[i]*(1-s)
		}
	case GELU:
		geluArgument(scratch, z)
		sigmoid(scratch)
		for i, s := range scratch {
			x := z[i]
			delta[i] *= s + y[i]*(1-s)*geluScale*(1+3*geluCube*x*x)
		}
	}
}

// double turns z into f(z), and sets slope to f'(z), in double precision.
func (a Activation) double(z, slope, scratch []float64) {
	switch a {
	case Linear:
		for k := range slope {
			slope[k] = 1
		}
	case Tanh: // 2σ(2z) - 1
		vec.MulScalar(z, z, -2)
		sigmoidDouble(z)
		for k, s := range z {
			z[k], slope[k] = 2*s-1, 4*s*(1-s)
		}
	case Sigmoid:
		vec.MulScalar(z, z, -1)
		sigmoidDouble(z)
		for k, s := range z {
			slope[k] = s * (1 - s)
		}
	case SiLU:
		vec.MulScalar(scratch, z, -1)
		sigmoidDouble(scratch)
		for k, s := range scratch {
			x := z[k]
			z[k], slope[k] = x*s, s+x*s*(1-s)
		}
	case GELU:
		for k, x := range z {
			scratch[k] = -geluScale * (x + geluCube*x*x*x)
		}
		sigmoidDouble(scratch)
		for k, s := range scratch {
			x := z[k]
			z[k], slope[k] = x*s, s+x*s*(1-s)*geluScale*(1+3*geluCube*x*x)
		}
	}
}

// sigmoidDouble turns -x into σ(x).
func sigmoidDouble(x []float64) {
	vec.Exp(x, x)
	vec.AddScalar(x, x, 1)
	vec.ScalarDiv(x, x, 1)
}
