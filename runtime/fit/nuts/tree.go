package nuts

import (
	"math"
	"math/rand/v2"
	"sync/atomic"

	"likc/runtime/num/elementary"
)

// outcome is the result of growing a trajectory.
type outcome int

const (
	grown    outcome = iota // the subtree is complete
	turned                  // there was a U-turn inside the subtree
	diverged                // the energy error exceeded the limit
	failed                  // the density failed
	stopped                 // the run was cancelled
)

// maxEnergyError is the energy error above which a leapfrog step counts as divergent. [stan].
const maxEnergyError = 1000

// maxLogWeight is how far the log of a weight may exceed the reference before weights are rescaled. With this limit, weights can
// be plain numbers, and joining subtrees needs no logarithm.
const maxLogWeight = 500

// tree grows trajectories by doubling, backward or forward at random, and draws one of their points with probability
// proportional to exp(-energy). [hoffman2014], sec. 3; [betancourt2017], appendix A.
//
// A subtree of 2^k points is built like a binary counter: every leapfrog step puts a leaf on a stack, and the two topmost subtrees
// are joined as long as they have the same depth. Joining swaps slices, so nothing is copied or allocated.
type tree struct {
	target   Target
	metric   metric
	rng      *rand.Rand
	maxDepth int
	stop     *atomic.Bool

	momentum   []float64
	ends       [2]state // states at the backward and the forward end
	trajectory subtree
	stack      []subtree
	top        int

	start     float64 // energy at the starting point
	reference float64 // weights are exp(start - energy - reference)
	searched  int     // number of gradients spent on searches for step sizes
	report
}

// report holds the figures of a transition, for adaptation and the sampler columns.
type report struct {
	outcome   outcome
	depth     int     // number of completed doublings
	leapfrogs int     // number of gradients, including those of a discarded subtree
	accept    float64 // sum over the leapfrogs of min(1, exp(start - energy))
	symmetric float64 // sum of 2min(1, r)/(1 + r), r = exp(start - energy), which has the same value for r and 1/r
	excess    float64 // energy error of a divergence
	end       *state  // point of a divergence
	reason    error   // reason of a divergence, if the density gave one
	err       error   // error of a density that failed
}

func (r *report) acceptStat() float64    { return r.accept / float64(r.leapfrogs) }
func (r *report) symmetricStat() float64 { return r.symmetric / float64(r.leapfrogs) }

func newTree(target Target, m metric, rng *rand.Rand, maxDepth int, stop *atomic.Bool) *tree {
	dim := target.Dim()
	t := &tree{target: target, metric: m, rng: rng, maxDepth: maxDepth, stop: stop,
		momentum: make([]float64, dim), ends: [2]state{newState(dim), newState(dim)}, trajectory: newSubtree(dim)}
	for range maxDepth {
		t.stack = append(t.stack, newSubtree(dim))
	}
	return t
}

// transition makes one draw that starts at the point `at`, with steps of size eps, and stores it in at. A failed or stopped
// transition does not change at.
func (t *tree) transition(at *point, eps float64) *report {
	t.begin(at)
	forward := true // whether trajectory.end is the forward end
	for t.depth < t.maxDepth {
		if goForward := t.rng.Float64() > 0.5; goForward != forward {
			forward = goForward
			if t.depth > 0 {
				t.trajectory.beg, t.trajectory.end = t.trajectory.end, t.trajectory.beg
			}
		}
		end, step := &t.ends[0], -eps
		if forward {
			end, step = &t.ends[1], eps
		}
		if t.outcome = t.extend(end, step); t.outcome != grown {
			break
		}
		t.depth++
		if !t.join(&t.trajectory, &t.stack[0], true) {
			break
		}
	}
	if t.outcome != failed && t.outcome != stopped {
		*at, *t.trajectory.draw = *t.trajectory.draw, *at
	}
	return &t.report
}

// begin draws a momentum and starts a trajectory with one point.
func (t *tree) begin(at *point) {
	for i := range t.momentum {
		t.momentum[i] = t.rng.NormFloat64()
	}
	for i := range t.ends {
		t.ends[i].moveTo(at, t.momentum, t.metric)
	}
	t.start, t.reference = kinetic(t.momentum)-at.lp, 0
	copy(t.trajectory.beg, t.momentum)
	t.trajectory.depth, t.trajectory.weight = 0, 1
	t.trajectory.draw.set(&t.ends[0], t.start)
	t.report = report{}
}

// extend makes as many new points as the trajectory has, beyond one of its ends, and joins them in stack[0].
func (t *tree) extend(end *state, eps float64) outcome {
	t.top = 0
	for n := 1; n <= 1<<t.depth; n++ {
		if o := t.leaf(end, eps); o != grown {
			return o
		}
		for k := n; k&1 == 0; k >>= 1 {
			t.top--
			if !t.join(&t.stack[t.top-1], &t.stack[t.top], false) {
				return turned
			}
		}
	}
	return grown
}

// leaf makes one leapfrog step and puts its point on the stack.
func (t *tree) leaf(s *state, eps float64) outcome {
	if t.stop.Load() {
		return stopped
	}
	energy, reason, err := leapfrog(t.target, t.metric, s, eps)
	if err != nil {
		t.err = err
		return failed
	}
	t.leapfrogs++
	if eps > 0 {
		s.index++
	} else {
		s.index--
	}
	gain := t.start - energy
	if !(gain >= -maxEnergyError) {
		t.excess, t.end, t.reason = -gain, s, reason
		return diverged
	}
	leaf := &t.stack[t.top]
	leaf.depth, leaf.weight = 0, t.weigh(gain)
	copy(leaf.beg, s.p)
	leaf.draw.set(s, energy)
	t.top++
	return grown
}

// weigh returns the weight of a point, given its gain: the energy at the start minus that of the point. It also updates the
// acceptance statistics.
func (t *tree) weigh(gain float64) float64 {
	ratio := elementary.ExpNeg(math.Abs(gain))
	t.symmetric += 2 * ratio / (1 + ratio)
	if gain > 0 {
		t.accept++
	} else {
		t.accept += ratio
	}
	if gain-t.reference > maxLogWeight {
		t.rescale(gain)
	}
	if t.reference != 0 {
		return math.Exp(gain - t.reference)
	}
	if gain > 0 {
		return 1 / ratio
	}
	return ratio
}

// rescale changes the reference so that a point with this gain has weight 1. This is needed when a trajectory moves from a point
// of very low density into the typical set.
func (t *tree) rescale(gain float64) {
	factor := math.Exp(t.reference - gain)
	t.reference = gain
	t.trajectory.weight *= factor
	for i := range t.stack[:t.top] {
		t.stack[i].weight *= factor
	}
}
