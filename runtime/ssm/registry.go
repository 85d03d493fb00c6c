package ssm

import (
	"fmt"
	"math"
	"strings"
)

// Models returns the known models, in a fixed order, ddm first.
func Models() []*Model { return models }

// Lookup returns the model of that name.
func Lookup(name string) (*Model, error) {
	var names []string
	for _, m := range models {
		if m.Name == name {
			return m, nil
		}
		names = append(names, m.Name)
	}
	return nil, fmt.Errorf("model %q: unknown; there are %s", name, strings.Join(names, ", "))
}

func drift(lower, upper float64) Param {
	return Param{"v", lower, upper, "drift: mean evidence a second, towards the upper boundary when positive", negate}
}

func boundary(lower, upper float64) Param {
	return Param{"a", lower, upper, "boundary: half the separation, at the start of the trial", same}
}

func start(lower, upper float64) Param {
	return Param{"z", lower, upper, "start point: relative, 0 at the lower boundary and 1 at the upper", complement}
}

func nonDecision(lower, upper float64) Param {
	return Param{"t", lower, upper, "non-decision time in seconds", same}
}

func constantBound(theta []float64) func(float64) float64 {
	a := theta[1]
	return func(float64) float64 { return a }
}

func constantDrift(theta []float64) func(float64) float64 {
	v := theta[0]
	return func(float64) float64 { return v }
}

// Ranges: the paper's Θ for ddm, those of ssm-simulators for the others.
var models = []*Model{
	{
		Name:    "ddm",
		Process: "dV = v dτ + dW between -a and +a",
		Params:  []Param{drift(-3, 3), boundary(0.3, 2.5), start(0.1, 0.9), nonDecision(0, 2)},
		bound:   constantBound,
		drift:   constantDrift,
		exact:   true,
	},
	{
		Name:    "angle",
		Process: "dV = v dτ + dW, bounds collapse linearly: b(τ) = max(0, a - τ tan theta)",
		Params: []Param{drift(-3, 3), boundary(0.3, 3), start(0.1, 0.9), nonDecision(0.001, 2),
			{"theta", -0.1, 1.3, "angle of collapse in radians", same}},
		bound: func(theta []float64) func(float64) float64 {
			a, slope := theta[1], math.Tan(theta[4])
			return func(tau float64) float64 { return max(0, a-tau*slope) }
		},
		drift: constantDrift,
	},
	{
		Name:    "weibull",
		Process: "dV = v dτ + dW, bounds collapse as b(τ) = a exp(-(τ/beta)^alpha)",
		Params: []Param{drift(-2.5, 2.5), boundary(0.3, 2.5), start(0.2, 0.8), nonDecision(0.001, 2),
			{"alpha", 0.31, 4.99, "shape of the collapse", same},
			{"beta", 0.31, 6.99, "time scale of the collapse in seconds", same}},
		bound: func(theta []float64) func(float64) float64 {
			a, alpha, beta := theta[1], theta[4], theta[5]
			return func(tau float64) float64 { return a * math.Exp(-math.Pow(tau/beta, alpha)) }
		},
		drift: constantDrift,
	},
	{
		Name:    "ornstein",
		Process: "dV = (v - g V) dτ + dW between -a and +a",
		Params: []Param{drift(-2, 2), boundary(0.3, 3), start(0.1, 0.9),
			{"g", -1, 1, "leak: pull towards zero, away from it when negative", same}, nonDecision(0.001, 2)},
		bound: constantBound,
		drift: func(theta []float64) func(float64) float64 {
			v, g := theta[0], theta[3]
			return func(y float64) float64 { return v - g*y }
		},
	},
}
