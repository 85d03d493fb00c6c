package nuts

import "math"

// gradientBased is the warm-up of nuts-rs: every draw updates a metric that is learned from draws and gradients together. The
// diagonal M⁻¹ = sqrt(var(q)/var(∇)) minimises the Fisher divergence between the whitened density and a standard normal. It needs
// only a few draws, because gradients contain the scales before the draws have explored them. [seyboldt2026], sec. 3.
//
// There are two estimators. The foreground one gives the metric; the background one started later. At a switch, the background
// estimator becomes the foreground, so that early draws are dropped.
type gradientBased struct {
	dual       dualAveraging
	early      int // windows are short before this iteration
	final      int // iteration from which on only the step size is learned
	window     int // number of draws that the background estimator needs before the next switch
	foreground *fisher
	background *fisher
	started    bool              // whether the metric has been set
	variances  []float64         // diagonal of M⁻¹
	lowRank    *lowRankEstimator // nil if the metric is only a diagonal
}

// fisher holds the moments of draws and of their gradients.
type fisher struct{ draws, gradients *moments }

func newFisher(dim int) *fisher { return &fisher{newMoments(dim), newMoments(dim)} }

func (f *fisher) reset() {
	f.draws.reset()
	f.gradients.reset()
}

const (
	earlyWindow = 10  // number of draws in early windows
	firstWindow = 80  // size of the first window of the main phase
	growth      = 1.5 // factor by which each window is longer than the one before
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

// begin sets the scales from the gradient at the initial values.
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

// learnMetric adds a draw to the estimators and updates the metric.
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

// moved reports whether a draw contains new information. The same point as before does not, nor does a divergent trajectory's
// point near its start. index is the number of steps from the start, signed.
func moved(index int, divergent bool) bool {
	if divergent {
		return index < -4 || index > 4
	}
	return index != 0
}

// switchWindows makes the background estimator the foreground one if it has enough draws, and starts a new one.
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
			return // the next window would not have enough draws
		}
		g.window = next
	}
	g.foreground, g.background = g.background, g.foreground
	g.background.reset()
	if g.lowRank != nil {
		g.lowRank.forget(count)
	}
}

// setMetric updates the metric. Coordinates whose moments are not usable keep their variance.
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
