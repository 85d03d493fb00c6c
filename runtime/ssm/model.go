package ssm

import (
	"fmt"
	"math"
)

// Model is a sequential sampling model with two boundaries: unit noise, start
// at a(2z-1), decision when |V(τ)| reaches the bound b(τ), rt = t + τ.
type Model struct {
	Name    string
	Process string // what drift and bound are
	Params  []Param

	bound func(theta []float64) func(tau float64) float64
	drift func(theta []float64) func(y float64) float64
	exact bool // whether there is a sampler without time step
}

// Param is one parameter of a model.
type Param struct {
	Name         string
	Lower, Upper float64 // the range that parameters are drawn from
	Meaning      string
	mirror       mirror
}

// mirror is what the reflection does to a parameter.
type mirror int

const (
	same mirror = iota
	negate
	complement
)

// Dim returns the number of parameters.
func (m *Model) Dim() int { return len(m.Params) }

// Index returns the position of the named parameter, or -1.
func (m *Model) Index(param string) int {
	for i, p := range m.Params {
		if p.Name == param {
			return i
		}
	}
	return -1
}

// Reflect writes to dst the parameters under which the other choice is as
// likely at every rt as the given choice under theta: v → -v, z → 1-z, the
// rest unchanged (ς in the paper). dst may be theta.
func (m *Model) Reflect(dst, theta []float64) {
	for i, p := range m.Params {
		switch p.mirror {
		case negate:
			dst[i] = -theta[i]
		case complement:
			dst[i] = 1 - theta[i]
		default:
			dst[i] = theta[i]
		}
	}
}

// Check reports why theta is not in the model's domain: a wrong length, a
// number that is not finite, a boundary that is not positive, a start outside
// the boundaries. Values outside the ranges are in the domain.
func (m *Model) Check(theta []float64) error {
	if len(theta) != m.Dim() {
		return fmt.Errorf("model %s: %d parameters, want %d", m.Name, len(theta), m.Dim())
	}
	for i, p := range m.Params {
		x := theta[i]
		switch {
		case math.IsNaN(x) || math.IsInf(x, 0):
			return fmt.Errorf("model %s: %s = %v is not finite", m.Name, p.Name, x)
		case p.Name == "a" && x <= 0:
			return fmt.Errorf("model %s: boundary a = %v is not positive", m.Name, x)
		case p.Name == "z" && (x <= 0 || x >= 1):
			return fmt.Errorf("model %s: start point z = %v is not between 0 and 1", m.Name, x)
		}
	}
	return nil
}
