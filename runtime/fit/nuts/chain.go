package nuts

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"time"

	"likc/runtime/num/chains"
)

// chain is one Markov chain: initial values, warm-up, draws.
type chain struct {
	id       int
	target   Target
	settings Settings
	source   *rand.PCG // source of random numbers of rng
	rng      *rand.Rand
	metric   metric
	tree     *tree
	at       *point  // current point
	eps      float64 // current step size

	out         chains.Chain
	divergences []Divergence
	gradients   int
	from        []float64 // starting point of the current transition
	progress    func(Progress)

	done     int        // number of finished transitions
	adapt    adaptation // nil before and after the warm-up
	warm     bool       // whether the warm-up is over
	nextSave time.Time
}

// errStopped ends a chain whose run was cancelled; Sample reports the context's error instead.
var errStopped = errors.New("stopped")

func newChain(id int, target Target, s Settings, stop *atomic.Bool, progress func(Progress)) *chain {
	dim := target.Dim()
	c := &chain{id: id, target: target, settings: s, source: source(s.Seed, s.Stream, id), at: newPoint(dim), eps: s.StepSize,
		from: make([]float64, dim), progress: progress}
	c.rng = rand.New(c.source)
	c.metric = newDiagonal(dim)
	if s.Metric == Dense && s.Reuse == nil {
		c.metric = newDense(dim)
	}
	c.tree = newTree(target, c.metric, c.rng, s.MaxDepth, stop)
	c.out = chains.Chain{ID: id, Trace: chains.NewTrace(dim, s.NumSamples/s.Thin), Warmup: chains.NewTrace(dim, 0)}
	if s.SaveWarmup {
		c.out.Warmup = chains.NewTrace(dim, s.NumWarmup/s.Thin)
	}
	return c
}

// run makes all draws. If it is cancelled, it keeps the draws made so far and returns nil.
func (c *chain) run() error {
	err := c.runFrom(c.load())
	c.out.Adapted = chains.Adapted{StepSize: c.eps, InvMetric: c.inverseMetric()}
	if c.out.Gradients = c.gradients - c.out.WarmupGradients; errors.Is(err, errStopped) {
		return nil
	}
	return err
}

// runFrom makes the draws that are still missing. loaded states whether the chain continues from a saved state; err is the error
// of loading it.
func (c *chain) runFrom(loaded bool, err error) error {
	if err == nil && !loaded {
		err = c.initialise()
	}
	if err == nil && !c.warm {
		err = c.warmUp(loaded)
	}
	if err == nil {
		err = c.draw()
	}
	if err == nil && c.settings.Keep != nil {
		err = c.save(*c.source, c.gradients)
	}
	return err
}

func (c *chain) warmUp(loaded bool) error {
	if !loaded {
		c.adapt = c.settings.adaptation(len(c.at.q))
		if err := c.adapt.begin(c); err != nil {
			return fmt.Errorf("warm-up: %w", err)
		}
	}
	for c.done < c.settings.NumWarmup {
		i := c.done
		r, eps, err := c.step()
		if err != nil {
			return err
		}
		if c.settings.SaveWarmup && i%c.settings.Thin == 0 {
			c.record(&c.out.Warmup, r, eps)
		}
		c.done++
		c.sendProgress(r)
		if err := c.adapt.learn(c, i, r); err != nil {
			return fmt.Errorf("warm-up iteration %d: %w", i+1, err)
		}
		c.out.WarmupGradients = c.gradients + c.tree.searched
		if err := c.saveSometimes(); err != nil {
			return err
		}
	}
	c.adapt.finish(c)
	c.adapt, c.warm = nil, true
	c.gradients += c.tree.searched
	c.out.WarmupGradients = c.gradients
	return nil
}

func (c *chain) draw() error {
	for c.done < c.settings.NumWarmup+c.settings.NumSamples {
		i := c.done - c.settings.NumWarmup
		copy(c.from, c.at.q)
		r, eps, err := c.step()
		if err != nil {
			return err
		}
		if r.outcome == diverged {
			c.recordDivergence(i, r)
		}
		if i%c.settings.Thin == 0 {
			c.record(&c.out.Trace, r, eps)
		}
		c.done++
		c.sendProgress(r)
		if err := c.saveSometimes(); err != nil {
			return err
		}
	}
	return nil
}

// step makes one transition with a jittered step size.
func (c *chain) step() (*report, float64, error) {
	eps, before, gradients := c.eps, *c.source, c.gradients
	if j := c.settings.Jitter; j > 0 {
		eps *= 1 + j*(2*c.rng.Float64()-1)
	}
	r := c.tree.transition(c.at, eps)
	c.gradients += r.leapfrogs
	switch r.outcome {
	case failed:
		return r, eps, fmt.Errorf("density at %v: %w", c.at.q, r.err)
	case stopped:
		if c.settings.Keep != nil {
			if err := c.save(before, gradients); err != nil {
				return r, eps, err
			}
		}
		return r, eps, errStopped
	}
	return r, eps, nil
}

// record appends the current point and the figures of a transition to a trace.
func (c *chain) record(t *chains.Trace, r *report, eps float64) {
	for j, v := range c.at.q {
		t.Params[j] = append(t.Params[j], v)
	}
	t.LogDensity = append(t.LogDensity, c.at.lp)
	t.AcceptStat = append(t.AcceptStat, r.acceptStat())
	t.StepSize = append(t.StepSize, eps)
	t.TreeDepth = append(t.TreeDepth, r.depth)
	t.Leapfrogs = append(t.Leapfrogs, r.leapfrogs)
	t.Divergent = append(t.Divergent, r.outcome == diverged)
	t.Energy = append(t.Energy, c.at.energy)
}

// recordDivergence stores a divergence after the warm-up.
func (c *chain) recordDivergence(iteration int, r *report) {
	d := Divergence{Chain: c.id, Iteration: iteration, From: slices.Clone(c.from), At: slices.Clone(r.end.q), Energy: r.excess}
	if math.IsNaN(d.Energy) {
		d.Energy = math.Inf(1)
	}
	if r.reason != nil {
		d.Reason = r.reason.Error()
	}
	c.divergences = append(c.divergences, d)
}

// sendProgress reports progress from time to time, and at the end.
func (c *chain) sendProgress(r *report) {
	done := c.done
	total := c.settings.NumWarmup + c.settings.NumSamples
	if c.progress == nil || (done%c.settings.Report != 0 && done != total) {
		return
	}
	c.progress(Progress{Chain: c.id, Iteration: done, Total: total, Warmup: done <= c.settings.NumWarmup,
		Divergences: len(c.divergences), StepSize: c.eps, Leapfrogs: r.leapfrogs, Gradients: c.gradients, Position: c.at.q})
}

// searchStep searches for a step size that suits the metric at the current point.
func (c *chain) searchStep() error {
	eps, err := c.tree.searchStep(c.at, c.eps)
	if err == nil {
		c.eps = eps
	}
	return err
}

func (c *chain) setMetric(m metric) { c.metric, c.tree.metric = m, m }

// inverseMetric returns M⁻¹ as rows of a matrix, or its diagonal as a single row. For low_rank it returns the matrix even if the
// metric is a diagonal, so that all files of a run have the same form. In many dimensions it returns only the diagonal.
func (c *chain) inverseMetric() [][]float64 {
	if low, ok := c.metric.(*lowRank); ok && c.target.Dim() > maxFullMetric {
		return [][]float64{low.variances()}
	}
	inverse := c.metric.inverse()
	if c.settings.Metric != LowRank || len(inverse) > 1 || c.settings.Reuse != nil || c.target.Dim() > maxFullMetric {
		return inverse
	}
	rows := make([][]float64, len(inverse[0]))
	for i := range rows {
		rows[i] = make([]float64, len(rows))
		rows[i][i] = inverse[0][i]
	}
	return rows
}
