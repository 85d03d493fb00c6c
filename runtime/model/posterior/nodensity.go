package posterior

import (
	"fmt"
	"math"
)

// NoDensity is the error of a point where the posterior has no finite log density or gradient. It says which part of the posterior
// is the reason. Samplers end a trajectory there.
type NoDensity struct{ why string }

func (e *NoDensity) Error() string { return e.why }

// Recoverable returns true, because other points may have a density.
func (e *NoDensity) Recoverable() bool { return true }

// These errors are made once, so that a divergence allocates nothing.
var (
	errZero      = &NoDensity{"the likelihood is zero: outside its support"}
	errUndefined = &NoDensity{"the log-likelihood is NaN or +Inf"}
	errSlope     = &NoDensity{"the gradient of the log-likelihood is not finite"}
)

func noPrior(p *Parameter) *NoDensity {
	return &NoDensity{fmt.Sprintf("the prior of %s, %s, has no finite log density or gradient", p.Name, p.Prior)}
}

// blame returns the error for the part that is not finite at theta, where the log density is lp. It does not evaluate the likelihood
// again.
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
