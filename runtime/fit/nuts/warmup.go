package nuts

import (
	"fmt"
	"math"
	"slices"

	"likc/runtime/num/chains"
)

// adaptation learns the step size and the metric of a chain in warm-up.
type adaptation interface {
	begin(c *chain) error                           // called before the first transition
	learn(c *chain, iteration int, r *report) error // called after each transition of the warm-up; iteration counts from 0
	finish(c *chain)                                // called after the last transition
	state() *AdaptationState                        // returns the state, which shares memory with the adaptation
	restore(s *AdaptationState)                     // restores a saved state, and uses its memory
}

// adaptation returns the adaptation for the settings' metric.
func (s *Settings) adaptation(dim int) adaptation {
	switch {
	case s.Reuse != nil:
		return reused{s.Reuse}
	case s.Metric == Fisher || s.Metric == LowRank:
		return newGradientBased(s, dim)
	}
	return newWindowed(s, dim)
}

// windowed is Stan's warm-up: the metric is learned in windows of increasing length, and the step size in all iterations. [stan].
// There is one difference. If a warm-up of 20 to 149 iterations has shorter buffers, Stan never updates the metric, because it
// does not compute the window's end. Here the window is used.
type windowed struct {
	dual        dualAveraging
	first, last int   // the metric is learned from the iterations [first, last)
	ends        []int // last iterations of the windows
	variances   *moments
	covariances *comoments // moments for a dense metric; nil for others
	estimate    []float64
}

func newWindowed(s *Settings, dim int) *windowed {
	w := &windowed{dual: dualAveraging{delta: s.Delta}}
	switch s.Metric {
	case Diag:
		w.variances, w.estimate = newMoments(dim), make([]float64, dim)
	case Dense:
		w.covariances, w.estimate = newComoments(dim), make([]float64, dim*dim)
	default:
		return w
	}
	w.first, w.last, w.ends = windows(s.NumWarmup, s.InitBuffer, s.TermBuffer, s.Window)
	return w
}

// windows divides a warm-up. The metric is learned from iterations [first, last), in windows whose last iterations are ends. Each
// window is twice as long as the one before; the last one is longer if another would not fit.
func windows(warmup, initial, terminal, base int) (first, last int, ends []int) {
	if warmup < 20 {
		return 0, 0, nil
	}
	if initial+base+terminal > warmup {
		initial, terminal = warmup*15/100, warmup/10
		base = warmup - initial - terminal
	}
	first, last = initial, warmup-terminal
	for end, size := first+base, base; ; {
		ends = append(ends, end-1)
		if end == last {
			return first, last, ends
		}
		size *= 2
		end += size
		if end != last && end+2*size > last {
			end = last
		}
	}
}

func (w *windowed) begin(c *chain) error {
	w.dual.restart(c.eps) // as in Stan, the search starts at the user's step size, not at the one found so far
	return c.searchStep()
}

func (w *windowed) learn(c *chain, iteration int, r *report) error {
	c.eps = w.dual.learn(r.acceptStat())
	if iteration < w.first || iteration >= w.last {
		return nil
	}
	if w.variances != nil {
		w.variances.add(c.at.q)
	} else {
		w.covariances.add(c.at.q)
	}
	if iteration != w.ends[0] {
		return nil
	}
	w.ends = w.ends[1:]
	if err := w.setMetric(c); err != nil {
		return err
	}
	if err := c.searchStep(); err != nil {
		return err
	}
	w.dual.restart(c.eps)
	return nil
}

// setMetric ends a window and sets the metric that was learned in it.
func (w *windowed) setMetric(c *chain) error {
	if w.covariances != nil {
		w.covariances.shrunk(w.estimate)
		w.covariances.reset()
		return c.metric.(*dense).setCovariance(w.estimate)
	}
	weight, floor := shrinkage(w.variances.count)
	for i := range w.estimate {
		w.estimate[i] = weight*w.variances.variance(i) + floor
	}
	w.variances.reset()
	return c.metric.(*diagonal).setVariances(w.estimate)
}

func (w *windowed) finish(c *chain) {
	if w.dual.count > 0 {
		c.eps = w.dual.settled()
	}
}

// reused uses the step size and the metric of an earlier run, and learns nothing.
type reused struct{ *chains.Adapted }

func (u reused) begin(c *chain) error {
	if u.StepSize > 0 {
		c.eps = u.StepSize
	}
	dim := c.target.Dim()
	for _, row := range u.InvMetric {
		if len(row) != dim || (len(u.InvMetric) != 1 && len(u.InvMetric) != dim) {
			return fmt.Errorf("setting reuse: an inverse metric of %d by %d for %d dimensions", len(u.InvMetric), len(row), dim)
		}
	}
	switch len(u.InvMetric) {
	case 0:
		return nil
	case 1:
		return c.metric.(*diagonal).setVariances(u.InvMetric[0])
	}
	d := newDense(dim)
	c.setMetric(d)
	return d.setCovariance(slices.Concat(u.InvMetric...))
}

func (u reused) learn(*chain, int, *report) error { return nil }
func (u reused) finish(*chain)                    {}

// clampVariance limits a variance to numbers that can be used.
func clampVariance(v float64) float64 { return math.Min(math.Max(v, 1e-20), 1e20) }
