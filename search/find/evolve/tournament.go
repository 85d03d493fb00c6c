package evolve

import (
	"math"
	"slices"
)

// tournament draws members without replacement, and returns the k-th best one, where k is mostly 1. Members are ranked by their
// loss, increased for frequent sizes.
func (w *worker) tournament() *member {
	members := w.out.Members
	n := min(w.settings.TournamentSize, len(members))
	w.order = w.order[:0]
	for i := range members {
		w.order = append(w.order, i)
	}
	for i := range n {
		k := i + w.random.IntN(len(members)-i)
		w.order[i], w.order[k] = w.order[k], w.order[i]
	}
	drawn, rank := w.order[:n], w.drawRank(n)
	for i := range rank + 1 { // a selection sort that ends when the rank is reached
		best := i
		for k := i + 1; k < n; k++ {
			if w.cost(&members[drawn[k]]) < w.cost(&members[drawn[best]]) {
				best = k
			}
		}
		drawn[i], drawn[best] = drawn[best], drawn[i]
	}
	return &members[drawn[rank]]
}

// drawRank draws k from 0 to n-1 with probability proportional to p(1-p)^k.
func (w *worker) drawRank(n int) int {
	p := w.settings.TournamentP
	u := w.random.Float64() * (1 - math.Pow(1-p, float64(n)))
	for k := range n - 1 {
		if u -= p * math.Pow(1-p, float64(k)); u < 0 {
			return k
		}
	}
	return n - 1
}

// cost returns a member's loss, increased by adaptive parsimony.
func (w *worker) cost(m *member) float64 {
	factor := w.search.frequency.Factor[m.Size()]
	if m.Loss < 0 {
		return m.Loss / factor
	}
	return m.Loss * factor
}

// accepted decides at random whether a child may enter the population, with a probability that depends on how frequent its size
// is.
func (w *worker) accepted(parent, child int) bool {
	if !w.settings.FrequencyAcceptance {
		return true
	}
	f := w.search.frequency.Count
	return f[parent] >= f[child]*w.random.Float64()
}

// medianLoss returns the median loss of the population.
func (w *worker) medianLoss() float64 {
	w.losses = w.losses[:0]
	for i := range w.out.Members {
		w.losses = append(w.losses, w.out.Members[i].Loss)
	}
	if len(w.losses) == 0 {
		return math.Inf(1)
	}
	slices.Sort(w.losses)
	return w.losses[len(w.losses)/2]
}

// frequency counts how often members of recent epochs have each size.
type frequency struct {
	Count  []float64 // the count of each size
	Factor []float64 // for each size, the factor by which a tournament multiplies a loss
}

func newFrequency(maxSize int, scaling float64) frequency {
	f := frequency{make([]float64, maxSize+1), make([]float64, maxSize+1)}
	for i := range f.Count {
		f.Count[i] = 1
	}
	f.weigh(scaling)
	return f
}

// count adds the sizes of a population's members to the counts.
func (f *frequency) count(members []member) {
	for i := range members {
		f.Count[members[i].Size()]++
	}
}

// shrink lowers all counts above 1 evenly until their sum is at most window.
func (f *frequency) shrink(window float64) {
	for range f.Count {
		sum, above := 0.0, 0.0
		for _, c := range f.Count[1:] {
			sum += c
			if c > 1 {
				above++
			}
		}
		if sum <= window || above == 0 {
			return
		}
		for i := range f.Count {
			f.Count[i] = max(1, f.Count[i]-(sum-window)/above)
		}
	}
}

// maxFactor keeps the product with any loss below 1e8 finite.
const maxFactor = 1e300

// weigh computes the factors from the counts.
func (f *frequency) weigh(scaling float64) {
	sum := 0.0
	for _, c := range f.Count[1:] {
		sum += c
	}
	for i, c := range f.Count {
		f.Factor[i] = min(maxFactor, math.Exp(scaling*c/sum))
	}
}
