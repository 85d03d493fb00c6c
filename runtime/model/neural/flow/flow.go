// Package flow evaluates a continuous normalizing flow: the density of the response time rt at the upper boundary, given the
// parameters θ. It is the paper's neural likelihood.
//
// The flow works on x = (log(rt - t) - centre)/scale, so the density is 0 before the non-decision time t, and the tails are those of
// a lognormal. At s = 0, x is standard normal; at s = 1 it is distributed as the data. In between, dx/ds = u(x, s, θ), where u is a
// network with three hidden layers. Its inputs are x, the features cos(kπs), and the parameters except t, scaled to [-1, 1].
// Training is flow matching on straight paths ([lipman2023], example II with σ_min = 0): u is fitted to x₁ - x₀ at
// x_s = (1-s)x₀ + s·x₁.
//
// The density at the lower boundary is that of the reflected parameters at the upper one, so the choice is not an input.
//
// The log density integrates from s = 1 to 0 in equal steps of the midpoint rule. In one dimension the divergence is ∂u/∂x, and the
// derivative ∂x_next/∂x of each step follows exactly. So the sum of their logarithms is that of the discretised map, whose mass
// is 1 for any number of steps, provided that every step is monotone in x.
//
// References: [lipman2023] Lipman, Chen, Ben-Hamu, Nickel, Le. Flow matching for generative modeling. ICLR 2023.
// [chen2018] Chen, Rubanova, Bettencourt, Duvenaud. Neural ordinary differential equations. NeurIPS 2018.
// [dormand1980] Dormand, Prince. A family of embedded Runge-Kutta formulae. J. Comput. Appl. Math. 6 (1980) 19-26.
package flow

import (
	"errors"
	"fmt"
	"math"

	"likc/runtime/model/neural/frame"
	"likc/runtime/model/neural/network"
)

// Features is the number of cosines that encode the time s for the network.
const Features = 8

// DefaultSteps is the paper's number of steps of the integration.
const DefaultSteps = 20

// MaxSteps is the largest number of steps in a file.
const MaxSteps = 10000

// Flow is a trained flow. It never changes, and any number of goroutines may use it.
type Flow struct {
	Frame         *frame.Frame
	Centre, Scale float64          // centre and scale of log(rt - t)
	Steps         int              // number of steps of the integration
	Net           *network.Network // computes the velocity u

	field *field // Net, arranged for evaluation
}

// New checks the parts of a flow and prepares its evaluation.
func New(frame *frame.Frame, centre, scale float64, steps int, net *network.Network) (*Flow, error) {
	if err := frame.Model.CheckBoundaries(); err != nil {
		return nil, fmt.Errorf("flow: %w", err)
	}
	switch {
	case math.IsNaN(centre) || math.IsInf(centre, 0) || !(scale > 0) || math.IsInf(scale, 1):
		return nil, fmt.Errorf("flow: centre %v and scale %v, want finite numbers and a positive scale", centre, scale)
	case steps < 1 || steps > MaxSteps:
		return nil, fmt.Errorf("flow: %d steps, want 1 to %d", steps, MaxSteps)
	case net.Inputs() != 1+Features+frame.Inputs() || net.Outputs() != 1:
		return nil, fmt.Errorf("flow: a network of %d inputs and %d outputs, want %d and 1", net.Inputs(), net.Outputs(), 1+Features+frame.Inputs())
	case len(net.Sizes) < 3 || net.Hidden != network.Tanh || net.Output != network.Linear:
		return nil, errors.New("flow: want hidden layers of tanh and a linear output")
	}
	f := &Flow{Frame: frame, Centre: centre, Scale: scale, Steps: steps, Net: net}
	f.field = newField(f)
	return f, nil
}

// Cosines writes the features of time s.
func Cosines(dst []float32, s float64) {
	for k := range Features {
		dst[k] = float32(math.Cos(float64(k+1) * math.Pi * s))
	}
}
