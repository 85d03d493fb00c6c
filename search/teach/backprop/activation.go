package backprop

import (
	"likc/runtime/model/neural/network"
	"likc/runtime/num/vec"
)

// apply sets y to the activation f(z), element by element. y and z must not overlap.
func apply(a network.Activation, y, z []float32) {
	switch a {
	case network.Linear:
		copy(y, z)
	case network.Tanh: // 2σ(2x) - 1
		vec.MulScalar32(y, z, -2)
		vec.Exp32(y, y)
		vec.AddScalar32(y, y, 1)
		vec.ScalarDiv32(y, y, 2)
		vec.AddScalar32(y, y, -1)
	case network.Sigmoid:
		vec.MulScalar32(y, z, -1)
		sigmoid(y)
	case network.SiLU:
		vec.MulScalar32(y, z, -1)
		sigmoid(y)
		vec.Mul32(y, y, z)
	}
}

// sigmoid replaces each x by 1/(1 + exp(x)) = σ(-x), where σ is the logistic function.
func sigmoid(x []float32) {
	vec.Exp32(x, x)
	vec.AddScalar32(x, x, 1)
	vec.ScalarDiv32(x, x, 1)
}

// multiplySlope multiplies delta by the activation's derivative f'(z), given y = f(z). scratch has the length of z.
func multiplySlope(a network.Activation, delta, z, y, scratch []float32) {
	switch a {
	case network.Tanh:
		for i, h := range y {
			delta[i] *= 1 - h*h
		}
	case network.Sigmoid:
		for i, h := range y {
			delta[i] *= h * (1 - h)
		}
	case network.SiLU:
		vec.MulScalar32(scratch, z, -1)
		sigmoid(scratch)
		for i, s := range scratch {
			delta[i] *= s + y[i]*(1-s)
		}
	}
}
