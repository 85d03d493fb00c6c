package nuts

import "math"

// gradientBased is the warm-up of nuts-rs: every draw updates a metric learned from draws and gradients together.
// The diagonal M⁻¹ = sqrt(var(q)/var(∇)) minimises the Fisher divergence between the whitened density and a standard
// normal; it needs no more than a few draws, because gradients know scales before the draws have travelled them.
// [seyboldt2026], sec. 3.
//
// Two estimators run. The foreground one gives the metric; the background one started later; at a switch it becomes the
// foreground, so that early draws are forgotten.
type gradientBased struct {
	dual       dualAveraging
	early      int // before it, windows are short
	final      int // from it on, only the step size is learned
	window     int // draws the background needs before the next switch
	foreground *fisher
	background *fisher
	started    bool // the metric has been set once
	variances  []float64
	lowRank    *lowRankEstimator // nil for the diagonal alone
}

// fisher are the moments of draws and gradients.
type fisher struct{ draws, gradients *moments }

func newFisher(dim int) *fisher { return &fisher{newMoments(dim), newMoments(dim)} }

func (f *fisher) reset() {
	f.draws.reset()
	f.gradients.reset()
}

const (
	earlyWindow = 10  // draws
	firstWindow = 80  // size of the first window of the main phase
	growth      = 1.5 // growth of each window over the one before
	gradientEps = 0.1 // first step size
)

func newGradientBased(s *Settings, dim int) *gradientBased {
	g := &gradientBased{
		dual:  dualAveraging{delta: s.Delta},
		early: int(0.3 * float64(s.NumWarmup)), final: s.NumWarmup - int(0.15*float64(s.NumWarmup)),
		window: firstWindow, foreground: newFisher(dim), background: newFisher(dim),
		variances: make([]float64, dim),
	}
	if s.Metric == LowRank {
		g.lowRank = newLowRankEstimator(dim)
	}
	return g
}

// begin scales by the gradient at the initial values.
func (g *gradientBased) begin(c *chain) error {
	for i, slope := range c.at.grad {
		g.variances[i] = clampVariance(1 / math.Abs(slope))
	}
	if err := c.metric.(*diagonal).setVariances(g.variances); err != nil {
		return err
	}
	c.eps = gradientEps
	if err := c.searchStep(); err != nil {
		return err
	}
	g.dual.restart(c.eps / 10)
	return nil
}

func (g *gradientBased) learn(c *chain, iteration int, r *report) error {
	statistic := r.acceptStat()
	if iteration >= g.final {
		statistic = r.symmetricStat()
	} else if err := g.learnMetric(c, iteration, r); err != nil {
		return err
	}
	c.eps = g.dual.learn(statistic)
	return nil
}

func (g *gradientBased) learnMetric(c *chain, iteration int, r *report) error {
	if moved(c.at.index, r.outcome == diverged) {
		for _, f := range []*fisher{g.foreground, g.background} {
			f.draws.add(c.at.q)
			f.gradients.add(c.at.grad)
		}
		if g.lowRank != nil {
			g.lowRank.add(c.at.q, c.at.grad)
		}
	}
	g.switchWindows(iteration)
	if g.foreground.draws.count < 3 {
		return nil
	}
	if err := g.setMetric(c); err != nil {
		return err
	}
	if g.started {
		return nil
	}
	g.started = true
	if err := c.searchStep(); err != nil {
		return err
	}
	g.dual.restart(c.eps)
	return nil
}

// moved tells draws that teach from those that would only repeat: a point that stayed put, or one that a divergence cut
// off near its start.
func moved(index int, divergent bool) bool {
	if divergent {
		return index < -4 || index > 4
	}
	return index != 0
}

func (g *gradientBased) switchWindows(iteration int) {
	needed := g.window
	if iteration < g.early {
		needed = earlyWindow
	}
	count := int(g.background.draws.count)
	if count < needed {
		return
	}
	if iteration >= g.early {
		next := int(growth * float64(g.window))
		if iteration+next > g.final {
			return // the next window would not fill
		}
		g.window = next
	}
	g.foreground, g.background = g.background, g.foreground
	g.background.reset()
	if g.lowRank != nil {
		g.lowRank.forget(count)
	}
}

// setMetric updates the metric; coordinates whose moments say nothing keep their variance.
func (g *gradientBased) setMetric(c *chain) error {
	draws, gradients := g.foreground.draws.m2, g.foreground.gradients.m2
	for i := range g.variances {
		if v := math.Sqrt(draws[i] / gradients[i]); v > 0 && !math.IsInf(v, 1) {
			g.variances[i] = clampVariance(v)
		}
	}
	if g.lowRank != nil {
		return g.lowRank.update(c, g.variances)
	}
	return c.metric.(*diagonal).setVariances(g.variances)
}

func (g *gradientBased) finish(c *chain) {
	if g.dual.count > 0 {
		c.eps = g.dual.settled()
	}
}
