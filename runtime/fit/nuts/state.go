package nuts

import (
	"math/rand/v2"
	"time"

	"likc/runtime/num/chains"
)

// Keeper stores the states of chains, so that a later run with the same settings and target can continue an interrupted one. The
// two runs together make the same draws as an uninterrupted run.
type Keeper interface {
	// Load returns the state of a chain, numbered from 1, or nil for a chain that has not begun.
	Load(chain int) *State
	// Save stores the state of a chain. It must not change the state, nor keep a reference to it. Its error ends the chain.
	Save(chain int, s *State) error
}

// keepEvery is the least time between two states that a chain saves. A chain also works at least keepShare times as long as the last
// save took, so that a slow Keeper needs little of the time.
var keepEvery, keepShare = 2 * time.Second, time.Duration(20)

// State is a chain between two transitions: everything that it needs to continue, in fields that package gob can encode.
type State struct {
	Iteration   int    // number of finished transitions, warm-up included
	Random      []byte // state of the source of random numbers
	Position    PointState
	StepSize    float64
	Gradients   int
	Searched    int // number of these gradients that were used in searches for step sizes
	Metric      MetricState
	Adaptation  *AdaptationState // nil after the warm-up
	Divergences []Divergence
	Out         chains.Chain // draws made so far
}

// PointState is the position of a chain.
type PointState struct {
	Q, Grad []float64
	LP      float64
}

// MetricState is a metric. A diagonal sets only Scale, a dense metric only Lower, and a low-rank one all fields except Lower.
type MetricState struct {
	Scale, Lower []float64
	Vectors      [][]float64
	Stretch      []float64
}

// AdaptationState is the state of a warm-up.
type AdaptationState struct {
	Dual                   [4]float64 // mu, count, error, mean
	Ends                   []int      // ends of Stan's windows
	Moments                []MomentsState
	Cross                  []float64
	Window                 int
	Started                bool
	Variances              []float64
	LowDraws, LowGradients [][]float64 // draws and gradients of the low-rank estimate
	LowNext                int
}

// MomentsState holds running moments.
type MomentsState struct {
	Count    float64
	Mean, M2 []float64
}

// save saves the chain as it was before the current transition, given the random source and the number of gradients at that time.
func (c *chain) save(before rand.PCG, gradients int) error {
	random, err := before.MarshalBinary()
	if err != nil {
		return err
	}
	s := &State{Iteration: c.done, Random: random, Position: PointState{c.at.q, c.at.grad, c.at.lp},
		StepSize: c.eps, Gradients: gradients, Searched: c.tree.searched, Metric: metricState(c.metric), Divergences: c.divergences, Out: c.out}
	if c.adapt != nil {
		s.Adaptation = c.adapt.state()
	}
	start := time.Now()
	err = c.settings.Keep.Save(c.id, s)
	c.nextSave = time.Now().Add(max(keepEvery, keepShare*time.Since(start)))
	return err
}

// saveSometimes saves the chain if enough time has passed.
func (c *chain) saveSometimes() error {
	if c.settings.Keep == nil || time.Now().Before(c.nextSave) {
		return nil
	}
	return c.save(*c.source, c.gradients)
}

// load restores the saved state of the chain, and reports whether there is one.
func (c *chain) load() (bool, error) {
	if c.settings.Keep == nil {
		return false, nil
	}
	c.nextSave = time.Now().Add(keepEvery)
	s := c.settings.Keep.Load(c.id)
	if s == nil {
		return false, nil
	}
	if err := c.source.UnmarshalBinary(s.Random); err != nil {
		return false, err
	}
	p := s.Position
	c.done, c.at = s.Iteration, &point{q: p.Q, grad: p.Grad, lp: p.LP}
	c.eps, c.gradients, c.tree.searched = s.StepSize, s.Gradients, s.Searched
	c.divergences, c.out = s.Divergences, s.Out
	c.setMetric(s.Metric.metric())
	if c.adapt = nil; s.Adaptation != nil {
		c.adapt = c.settings.adaptation(len(p.Q))
		c.adapt.restore(s.Adaptation)
	}
	c.warm = s.Adaptation == nil
	return true, nil
}

func metricState(m metric) MetricState {
	switch m := m.(type) {
	case *dense:
		return MetricState{Lower: m.lower}
	case *lowRank:
		return MetricState{Scale: m.scale, Vectors: m.vectors, Stretch: m.stretch}
	default:
		return MetricState{Scale: m.(*diagonal).scale}
	}
}

func (s *MetricState) metric() metric {
	switch {
	case s.Lower != nil:
		d := newDense(intSqrt(len(s.Lower)))
		copy(d.lower, s.Lower)
		return d
	case s.Vectors != nil:
		return &lowRank{diagonal{s.Scale}, s.Vectors, s.Stretch, make([]float64, len(s.Scale))}
	}
	return &diagonal{s.Scale}
}

// intSqrt returns the root of a square number.
func intSqrt(n int) int {
	i := 0
	for i*i < n {
		i++
	}
	return i
}

func (d *dualAveraging) state() [4]float64 { return [4]float64{d.mu, d.count, d.error, d.mean} }

func (d *dualAveraging) restore(s [4]float64) {
	d.mu, d.count, d.error, d.mean = s[0], s[1], s[2], s[3]
}

func (m *moments) state() MomentsState { return MomentsState{m.count, m.mean, m.m2} }

func (m *moments) restore(s MomentsState) {
	m.count = s.Count
	copy(m.mean, s.Mean)
	copy(m.m2, s.M2)
}

func (w *windowed) state() *AdaptationState {
	s := &AdaptationState{Dual: w.dual.state(), Ends: w.ends}
	switch {
	case w.variances != nil:
		s.Moments = []MomentsState{w.variances.state()}
	case w.covariances != nil:
		s.Moments, s.Cross = []MomentsState{w.covariances.state()}, w.covariances.cross
	}
	return s
}

func (w *windowed) restore(s *AdaptationState) {
	w.dual.restore(s.Dual)
	w.ends = s.Ends
	switch {
	case w.variances != nil:
		w.variances.restore(s.Moments[0])
	case w.covariances != nil:
		w.covariances.restore(s.Moments[0])
		copy(w.covariances.cross, s.Cross)
	}
}

func (g *gradientBased) state() *AdaptationState {
	s := &AdaptationState{Dual: g.dual.state(), Window: g.window, Started: g.started, Variances: g.variances}
	for _, f := range []*fisher{g.foreground, g.background} {
		s.Moments = append(s.Moments, f.draws.state(), f.gradients.state())
	}
	if l := g.lowRank; l != nil {
		s.LowDraws, s.LowGradients, s.LowNext = l.draws, l.slopes, l.nextSize
	}
	return s
}

func (g *gradientBased) restore(s *AdaptationState) {
	g.dual.restore(s.Dual)
	g.window, g.started = s.Window, s.Started
	copy(g.variances, s.Variances)
	for i, f := range []*fisher{g.foreground, g.background} {
		f.draws.restore(s.Moments[2*i])
		f.gradients.restore(s.Moments[2*i+1])
	}
	if l := g.lowRank; l != nil {
		l.draws, l.slopes, l.nextSize = s.LowDraws, s.LowGradients, s.LowNext
	}
}

func (u reused) state() *AdaptationState  { return &AdaptationState{} }
func (u reused) restore(*AdaptationState) {}
