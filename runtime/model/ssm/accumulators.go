package ssm

import (
	"math"
	"math/rand/v2"
)

// Accumulators are several diffusions at given parameters, which race for a choice. Accumulator k holds the evidence X_k. It follows
// dX_k = Drift_k(X) dτ + dW_k from Start_k, reflected at 0, where τ is the decision time. The trial ends when the first accumulator
// reaches Bound(τ), at the response time rt = Onset + τ. The noise is 1, and times are in seconds.
type Accumulators struct {
	Onset float64
	Start []float64
	Bound func(tau float64) float64
	Drift func(dst, x []float64) // sets dst to the drifts at x
}

// accumulation draws trials of accumulators by the scheme of [bridge], which finds crossings between the steps too. The reflection at 0
// is exact: the distribution of the lowest point of a Brownian bridge is known. The reflected process is pushed up by as much as that
// point lies below 0.
type accumulation struct {
	Accumulators
	step, most         float64   // longest step and the largest τ, in seconds
	x, next            []float64 // evidence at the beginning of a step and at its end
	first, second, sum []float64 // drifts at the beginning of a step and at its end, and the noise of the step
}

// accumulation returns the sampler's state, with the time step and the largest time of a scheme.
func (p Accumulators) accumulation(scheme Scheme) *accumulation {
	n := len(p.Start)
	return &accumulation{p, scheme.Step, scheme.MaxTime, make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)}
}

// draw returns one trial. If no accumulator reaches the bound in time, the accumulator with the most evidence is the choice.
func (w *accumulation) draw(r *rand.Rand) (rt, choice float64) {
	copy(w.x, w.Start)
	tau, b := 0.0, w.Bound(0)
	for tau <= w.most && b >= touching {
		h := min(w.step, max(stepGrowth*tau, w.step/stepParts), stepSquare*b*b/4) // 0 and the bound are b apart, so b/2 is treated as the half-distance
		w.move(r, h)
		bound := w.Bound(tau + h)
		if k, after := w.crossing(r, h, b, bound); k >= 0 {
			return w.Onset + tau + after, float64(k)
		}
		w.x, w.next = w.next, w.x
		tau, b = tau+h, bound
	}
	return math.Nextafter(w.Onset+tau, math.Inf(1)), float64(w.highest())
}

// move sets next to the accumulators' evidence after a time h, by a step of Heun's method, reflected at 0.
func (w *accumulation) move(r *rand.Rand, h float64) {
	w.Drift(w.first, w.x)
	for k, x := range w.x {
		w.sum[k] = math.Sqrt(h) * r.NormFloat64()
		w.next[k] = max(0, x+w.first[k]*h+w.sum[k])
	}
	w.Drift(w.second, w.next)
	for k, x := range w.x {
		by := (w.first[k]+w.second[k])*h/2 + w.sum[k]
		w.next[k] = x + by + max(0, -x-lowest(r, h, x, by))
	}
}

// lowest draws the lowest point, at most 0, of a Brownian bridge: a Brownian motion with known ends, here 0 and, after a time h, `by`.
// It returns 0 if the bridge almost certainly does not reach -x.
func lowest(r *rand.Rand, h, x, by float64) float64 {
	if x+by > 0 && 2*x*(x+by) > never*h {
		return 0
	}
	return (by - math.Sqrt(by*by+2*h*r.ExpFloat64())) / 2
}

// crossing returns the accumulator that reaches the bound first in a step of length h, or -1 if none does. The bound moves from b to
// `bound` in the step. after is the time from the step's beginning to the crossing.
func (w *accumulation) crossing(r *rand.Rand, h, b, bound float64) (winner int, after float64) {
	winner, after = -1, math.Inf(1)
	for k, x := range w.x {
		from, to := b-x, bound-w.next[k]
		if apart := 2 * from * to / h; to > 0 && (apart > never || r.Float64() >= math.Exp(-apart)) {
			continue
		}
		if at := touchTime(r, h, from, to); at < after {
			winner, after = k, at
		}
	}
	return winner, after
}

// highest returns the accumulator with the most evidence.
func (w *accumulation) highest() int {
	best := 0
	for k, x := range w.x {
		if x > w.x[best] {
			best = k
		}
	}
	return best
}
