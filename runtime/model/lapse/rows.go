package lapse

import (
	"math"
	"sync"

	"likc/runtime/model/kernel"
	"likc/runtime/num/vec"
)

// rows evaluates the mixture row by row.
type rows struct {
	kernel.Rows           // the density without lapses
	lapse       []float64 // for each row, the density if it is a lapse
	spaces      sync.Pool // memory of evaluations: *[]float64, densities of the rows
}

// Dim returns the number of parameters, including the probability of a lapse.
func (r *rows) Dim() int { return r.Rows.Dim() + 1 }

// Each evaluates the model, then the mixture. With m = (1-p) f + p u, derivatives of log f are multiplied by (1-p) f/m, and
// the derivative with respect to p is (u-f)/m.
func (r *rows) Each(theta [][]float64, logp []float64, grad [][]float64) {
	last := r.Rows.Dim()
	slopes, lapseSlopes := grad, []float64(nil) // derivatives with respect to the model's parameters, and to p
	if grad != nil {
		slopes, lapseSlopes = grad[:last], grad[last]
	}
	r.Rows.Each(theta[:last], logp, slopes)
	space := r.spaces.Get().(*[]float64)
	defer r.spaces.Put(space)
	mixed := *space
	vec.Exp(mixed, logp)
	for i, f := range mixed {
		p, u := kernel.At(theta[last], i), r.lapse[i]
		m := (1-p)*f + p*u
		share, slope := (1-p)*f/m, (u-f)/m
		if mixed[i] = m; !(m > math.SmallestNonzeroFloat64 && m <= math.MaxFloat64) {
			logp[i], share, slope = extreme(logp[i], p, u)
			mixed[i] = math.NaN()
		}
		for _, g := range slopes {
			if g != nil {
				g[i] *= share
			}
		}
		if lapseSlopes != nil {
			lapseSlopes[i] = slope
		}
	}
	vec.Log(mixed, mixed)
	for i, x := range mixed {
		if x == x {
			logp[i] = x
		}
	}
}

// extreme returns the mixture's log density, its share (1-p) f/m, and its derivative with respect to p, for extreme cases: exp(logF)
// overflows, is undefined, or underflows while the other term is 0.
func extreme(logF, p, u float64) (value, share, slope float64) {
	switch value = logF + math.Log1p(-p); {
	case !(p >= 0 && p <= 1):
		return math.NaN(), 0, 0
	case value-value != 0:
		return value, 0, 0
	case p == 0:
		return value, 1, min(u*math.Exp(-logF), math.MaxFloat64)
	}
	return value, 1, -1 / (1 - p)
}
