package nuts

import (
	"fmt"
	"math"

	"likc/runtime/num/chains"
)

// Metric names a family of Euclidean metrics.
type Metric string

// Metrics. Stan's are unit_e, diag_e and dense_e, learned from the draws; fisher is a diagonal and low_rank a diagonal
// with a few directions of its own, both learned from draws and gradients. [seyboldt2026].
const (
	Unit    Metric = "unit_e"
	Diag    Metric = "diag_e"
	Dense   Metric = "dense_e"
	Fisher  Metric = "fisher"
	LowRank Metric = "low_rank"
)

// Settings of a run, with Stan's names and defaults where Stan has them. Start from DefaultSettings.
type Settings struct {
	NumChains  int
	NumWarmup  int
	NumSamples int
	SaveWarmup bool
	Thin       int
	Threads    int // chains at a time; 0: one a processor
	Seed       uint64
	Stream     uint64 // number of the unit's random stream, where units of work share a seed as subjects do: see [stream.Of]

	Delta    float64 // adapt_delta: acceptance statistic that the step size aims at; 0: DefaultDelta of the metric
	MaxDepth int     // doublings of a trajectory
	Metric   Metric
	StepSize float64 // initial
	Jitter   float64 // stepsize_jitter: the step is drawn from eps·(1 ± Jitter)

	InitBuffer, TermBuffer, Window int // phases of Stan's warm-up, in iterations

	Init   float64         // initial values are uniform on (-Init, Init), or on up to four times that where nothing there has a density
	Inits  [][]float64     // initial positions, one a chain, instead
	Reuse  *chains.Adapted // step size and metric of an earlier run, instead of learning them
	Report int             // transitions between calls of Progress

	Keep     Keeper         // keeps the states of the chains; nil for none
	Progress func(Progress) // called from one chain at a time; nil for none
}

// DefaultSettings are Stan's, but for the metric, which is learned from gradients too and knows correlations, and its
// DefaultDelta.
func DefaultSettings() Settings {
	return Settings{
		NumChains: 4, NumWarmup: 1000, NumSamples: 1000, Thin: 1,
		MaxDepth: 10, Metric: LowRank, StepSize: 1,
		InitBuffer: 75, TermBuffer: 50, Window: 25,
		Init: 2, Report: 100,
	}
}

// DefaultDelta is the acceptance statistic that the step size aims at unless Delta says otherwise: Stan's 0.8 with Stan's
// metrics, 0.9 with those that are learned from gradients. These know correlations after few draws and take longer steps,
// which curved ridges do not bear. Exact ddm on 1,000 trials without a minority response, 4 × 1,000 draws, three seeds:
//
//	aim                 divergences  largest R-hat  least bulk ESS per 1,000 gradients
//	0.8                 33–78        1.06           0.7–1.5
//	0.85                7–84         1.04           0.9–3.6
//	0.88                7–39         1.08           0.5–1.8
//	0.9                 0–2          1.02           2.3–3.2
//	Stan's warm-up 0.8  0            1.008          1.5–1.7
//
// Over Stan's warm-up at its 0.8, bulk ESS per gradient is at 0.9 still 1.0 times as large on a normal density in 1 or 4
// dimensions, 0.86 in 20 and 1.2 in 100, 1.0 on a funnel, 1.1 on a banana, and 5 to 100 on normal densities with scales or
// correlations.
func DefaultDelta(m Metric) float64 {
	if m == Fisher || m == LowRank {
		return 0.9
	}
	return 0.8
}

// withDelta are the settings with Delta written out.
func (s Settings) withDelta() Settings {
	if s.Delta == 0 {
		s.Delta = DefaultDelta(s.Metric)
	}
	return s
}

// Validate says which setting cannot be.
func (s *Settings) Validate() error {
	for _, c := range []struct {
		name       string
		value, low int
		high       int
	}{
		{"num_chains", s.NumChains, 1, 1 << 20},
		{"num_warmup", s.NumWarmup, 0, math.MaxInt32},
		{"num_samples", s.NumSamples, 1, math.MaxInt32},
		{"thin", s.Thin, 1, math.MaxInt32},
		{"threads", s.Threads, 0, 1 << 20},
		{"max_depth", s.MaxDepth, 1, 30},
		{"init_buffer", s.InitBuffer, 0, math.MaxInt32},
		{"term_buffer", s.TermBuffer, 0, math.MaxInt32},
		{"window", s.Window, 1, math.MaxInt32},
		{"report", s.Report, 1, math.MaxInt32},
	} {
		if c.value < c.low || c.value > c.high {
			return fmt.Errorf("setting %s = %d: must be from %d to %d", c.name, c.value, c.low, c.high)
		}
	}
	return s.validateReals()
}

func (s *Settings) validateReals() error {
	switch {
	case !(s.Delta >= 0 && s.Delta < 1):
		return fmt.Errorf("setting delta = %v: must be between 0 and 1, or 0 for the metric's default", s.Delta)
	case !(s.StepSize > 0) || math.IsInf(s.StepSize, 0):
		return fmt.Errorf("setting stepsize = %v: must be positive", s.StepSize)
	case !(s.Jitter >= 0 && s.Jitter <= 1):
		return fmt.Errorf("setting stepsize_jitter = %v: must be from 0 to 1", s.Jitter)
	case !(s.Init >= 0) || math.IsInf(s.Init, 0):
		return fmt.Errorf("setting init = %v: must be a radius", s.Init)
	case s.Inits != nil && len(s.Inits) != s.NumChains:
		return fmt.Errorf("setting init: %d positions for %d chains", len(s.Inits), s.NumChains)
	}
	switch s.Metric {
	case Unit, Diag, Dense, Fisher, LowRank:
		return nil
	}
	return fmt.Errorf("setting metric = %q: must be %s, %s, %s, %s or %s", s.Metric, Unit, Diag, Dense, Fisher, LowRank)
}

// header is the part that a Stan CSV file carries. Readers know Stan's metrics only, so fisher is a diag_e there and
// low_rank, written out whole, a dense_e.
func (s *Settings) header() chains.Run {
	metric := s.Metric
	switch metric {
	case Fisher:
		metric = Diag
	case LowRank:
		metric = Dense
	}
	if s.Reuse != nil {
		if metric = Diag; len(s.Reuse.InvMetric) > 1 {
			metric = Dense
		}
	}
	return chains.Run{
		NumWarmup: s.NumWarmup, NumSamples: s.NumSamples, SaveWarmup: s.SaveWarmup, Thin: s.Thin,
		MaxDepth: s.MaxDepth, Delta: s.Delta, Metric: string(metric), StepSize: s.StepSize,
		Jitter: s.Jitter, Init: s.Init, Seed: s.Seed,
	}
}
