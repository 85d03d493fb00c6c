package evidence

import (
	"fmt"
	"math"
	"math/rand/v2"

	"likc/compiler/expr"
	"likc/runtime/model/ssm"
)

// walk is the state of accumulators whose evidence is simulated by Heun's method.
type walk struct {
	*Simulator
	values      []float64
	step, most  float64
	mem         arena
	tape        tapeMemory
	x, next     []float64
	first, sum  []float64
	bound, prev [][4]float64 // for each accumulator: σ², upper, lower and reflect, at the end and at the beginning of a step
	at          []float64    // the values of all symbols
	starts      [][]float64
	one         []float64
	out         []float64
}

func (s *Simulator) heun(values []float64, step, most float64) (func(r *rand.Rand) (float64, int), error) {
	n := len(s.walkers)
	w := &walk{Simulator: s, values: append(clone(values), make([]float64, len(s.symbols)-len(values))...), step: step, most: most,
		x: make([]float64, n), next: make([]float64, n), first: make([]float64, n), sum: make([]float64, n),
		bound: make([][4]float64, n), prev: make([][4]float64, n), at: make([]float64, len(s.symbols)+n), one: make([]float64, 1)}
	copy(w.at, w.values)
	for _, k := range s.walkers {
		start, _ := k.start.at(&w.tape, &w.mem, 0, w.values)
		w.starts = append(w.starts, clone(start))
	}
	w.bounds(nearlyZero)
	for k, walker := range s.walkers {
		low, high := w.starts[k][0], w.starts[k][0]
		switch walker.start.kind {
		case expr.UniformLaw:
			high = w.starts[k][1]
		case expr.BetaLaw:
			low, high = w.starts[k][2], w.starts[k][3]
		}
		if b := w.bound[k]; !(high < b[1]) || walker.lower && !(low > b[2]) || walker.reflect && low < b[3] {
			return nil, fmt.Errorf("model %s: evidence starts outside the boundaries", s.model.Name)
		}
	}
	return w.run, nil
}

// bounds sets bound to the noise and boundaries at time tau.
func (w *walk) bounds(tau float64) {
	w.mem.reset()
	w.one[0] = tau
	for k, walker := range w.walkers {
		walker.bounds.run(&w.tape, &w.mem, w.one, w.values)
		for j := range 4 {
			x := w.mem.take(1)
			walker.bounds.root(&w.tape, j, x)
			w.bound[k][j] = x[0]
		}
	}
}

// drift returns the drift of accumulator k at time tau and evidence x.
func (w *walk) drift(k int, tau float64, x []float64) float64 {
	w.at[len(w.symbols)-1] = tau
	copy(w.at[len(w.symbols):], x)
	w.out, _ = w.walkers[k].drift.Eval(w.out[:0], w.at)
	return w.out[0]
}

func (w *walk) run(r *rand.Rand) (tau float64, choice int) {
	w.bounds(nearlyZero)
	for k, walker := range w.walkers {
		w.x[k] = walker.start.draw(r, w.starts[k])
	}
	for tau < w.most {
		copy(w.prev, w.bound)
		h := min(w.step, max(roadGrowth*tau, w.step/roadParts))
		for k, walker := range w.walkers {
			near := w.bound[k][1] - w.x[k]
			if walker.lower {
				near = (w.bound[k][1] - w.bound[k][2]) / 2
			} else if walker.reflect {
				near = (w.bound[k][1] - w.bound[k][3]) / 2
			}
			if near < roadTouches {
				return tau, w.nearest()
			}
			h = min(h, max(roadSquare*near*near/max(w.bound[k][0], 1e-12), 1e-7))
		}
		w.move(r, tau, h)
		winner, after := -1, math.Inf(1)
		for k := range w.walkers {
			if side, at := w.crossing(r, k, h); side != 0 && at < after {
				winner, after = k, at
				if len(w.walkers) == 1 {
					winner = (1 - side) / 2
				}
			}
		}
		if winner >= 0 {
			return tau + after, winner
		}
		w.x, w.next = w.next, w.x
		tau += h
	}
	return tau, w.nearest()
}

// move sets next to the evidence after a step of length h.
func (w *walk) move(r *rand.Rand, tau, h float64) {
	for k := range w.walkers {
		w.first[k] = w.drift(k, max(tau, nearlyZero), w.x)
	}
	w.bounds(tau + h)
	for k := range w.walkers {
		w.sum[k] = math.Sqrt(h*(w.prev[k][0]+w.bound[k][0])/2) * r.NormFloat64()
		w.next[k] = w.x[k] + w.first[k]*h + w.sum[k]
		if walker := w.walkers[k]; walker.reflect {
			w.next[k] = max(w.next[k], w.bound[k][3])
		}
	}
	for k := range w.walkers {
		w.sum[k] += (w.first[k] + w.drift(k, tau+h, w.next)) * h / 2
	}
	for k, by := range w.sum {
		to := w.x[k] + by
		if w.walkers[k].reflect {
			above := w.x[k] - w.bound[k][3]
			to += max(0, -above-ssm.LowestBridge(r, h*(w.prev[k][0]+w.bound[k][0])/2, above, by))
		}
		w.next[k] = to
	}
}

// crossing returns the boundary that an accumulator reaches in a step of length h: 1 for the upper one, -1 for the lower one, 0
// for none. after is the time from the beginning of the step.
func (w *walk) crossing(r *rand.Rand, k int, h float64) (side int, after float64) {
	clock := h * (w.prev[k][0] + w.bound[k][0]) / 2
	upper, upperEnd := w.prev[k][1]-w.x[k], w.bound[k][1]-w.next[k]
	lower, lowerEnd := math.Inf(1), math.Inf(1)
	if w.walkers[k].lower {
		lower, lowerEnd = w.x[k]-w.prev[k][2], w.next[k]-w.bound[k][2]
	}
	switch ssm.Crossed(r, clock, upper, upperEnd, lower, lowerEnd) {
	case 1:
		return 1, h * ssm.TouchTime(r, clock, upper, upperEnd) / clock
	case -1:
		return -1, h * ssm.TouchTime(r, clock, lower, lowerEnd) / clock
	}
	return 0, 0
}

// nearest returns the choice whose boundary is nearest to its evidence.
func (w *walk) nearest() (best int) {
	if len(w.walkers) == 1 {
		if w.walkers[0].lower && w.bound[0][1]-w.x[0] > w.x[0]-w.bound[0][2] {
			return 1
		}
		return 0
	}
	for k, x := range w.x {
		if w.bound[k][1]-x < w.bound[best][1]-w.x[best] {
			best = k
		}
	}
	return best
}
