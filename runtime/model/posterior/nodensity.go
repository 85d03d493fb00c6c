package posterior

import (
	"fmt"
	"math"
)

// NoDensity says that the posterior has no finite log density or gradient at a place, and which part of it is at fault.
// Samplers take it as the end of a trajectory.
type NoDensity struct{ why string }

func (e *NoDensity) Error() string { return e.why }

// Recoverable is true: other places may do.
func (e *NoDensity) Recoverable() bool { return true }

// Made once, so that a divergence allocates nothing.
var (
	errZero      = &NoDensity{"the likelihood is zero: outside its support"}
	errUndefined = &NoDensity{"the log-likelihood is NaN or +Inf"}
	errSlope     = &NoDensity{"the gradient of the log-likelihood is not finite"}
)

func noPrior(p *Parameter) *NoDensity {
	return &NoDensity{fmt.Sprintf("the prior of %s, %s, has no finite log density or gradient", p.Name, p.Prior)}
}

// blame finds the part that is not finite at theta, where the log density is lp. It does not evaluate the likelihood again.
func (p *Posterior) blame(theta []float64, lp float64) *NoDensity {
	for i := range p.params {
		if value, slope := p.params[i].Prior.LogDensity(theta[i]); !isFinite(value) || !isFinite(slope) {
			return p.priorless[i]
		}
	}
	switch {
	case math.IsInf(lp, -1):
		return errZero
	case isFinite(lp):
		return errSlope
	}
	return errUndefined
}

func isFinite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
