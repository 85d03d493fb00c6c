package nuts

import (
	"fmt"
	"math"

	"likc/runtime/num/chains"
)

// Metric names a family of Euclidean metrics.
type Metric string

// These are the metrics. unit_e, diag_e and dense_e are Stan's, learned from the draws. fisher is a diagonal, and low_rank is a
// diagonal with a few other directions; both are learned from draws and gradients. [seyboldt2026].
const (
	Unit    Metric = "unit_e"
	Diag    Metric = "diag_e"
	Dense   Metric = "dense_e"
	Fisher  Metric = "fisher"
	LowRank Metric = "low_rank"
)

// Settings determine a run. Names and defaults are Stan's where Stan has them. Start from DefaultSettings.
type Settings struct {
	NumChains  int
	NumWarmup  int
	NumSamples int
	SaveWarmup bool
	Thin       int // every Thin-th draw is kept
	Threads    int // number of chains at the same time; 0: one for each processor
	Seed       uint64
	Stream     uint64 // number of the random stream, for units of work that share a seed, such as subjects: see [stream.Of]

	Delta    float64 // adapt_delta: target of the acceptance statistic; 0: DefaultDelta of the metric
	MaxDepth int     // largest number of doublings of a trajectory
	Metric   Metric
	StepSize float64 // initial step size
	Jitter   float64 // stepsize_jitter: the step is drawn from eps·(1 ± Jitter)

	InitBuffer, TermBuffer, Window int // phases of Stan's warm-up, in iterations

	Init   float64         // initial values are uniform on (-Init, Init); if the density is not finite there, the interval is widened up to four times
	Inits  [][]float64     // initial positions, one for each chain, that replace random ones
	Reuse  *chains.Adapted // step size and metric of an earlier run, which replace the warm-up's
	Report int             // number of transitions between calls of Progress

	Keep     Keeper         // stores the states of the chains; nil for none
	Progress func(Progress) // called from one chain at a time; nil for none
}

// DefaultSettings returns Stan's settings, with two exceptions: the metric, which is learned from draws and gradients and models
// correlations, and Delta, which depends on the metric.
func DefaultSettings() Settings {
	return Settings{
		NumChains: 4, NumWarmup: 1000, NumSamples: 1000, Thin: 1,
		MaxDepth: 10, Metric: LowRank, StepSize: 1,
		InitBuffer: 75, TermBuffer: 50, Window: 25,
		Init: 2, Report: 100,
	}
}

// DefaultDelta returns the default target of the acceptance statistic. It is Stan's 0.8 for Stan's metrics, and 0.9 for metrics
// that are learned from gradients. These learn correlations from few draws and make longer steps, which are too long for curved
// ridges. The following table was measured with exact ddm on 1,000 trials without a minority response, 4 × 1,000 draws and three
// seeds:
//
//	target              divergences  largest R-hat  least bulk ESS per 1,000 gradients
//	0.8                 33–78        1.06           0.7–1.5
//	0.85                7–84         1.04           0.9–3.6
//	0.88                7–39         1.08           0.5–1.8
//	0.9                 0–2          1.02           2.3–3.2
//	Stan's warm-up 0.8  0            1.008          1.5–1.7
//
// The following ratios compare bulk ESS per gradient at 0.9 with Stan's warm-up at 0.8: 1.0 on a normal density in 1 or 4
// dimensions, 0.86 in 20 and 1.2 in 100, 1.0 on a funnel, 1.1 on a banana, and 5 to 100 on normal densities with scales or
// correlations.
func DefaultDelta(m Metric) float64 {
	if m == Fisher || m == LowRank {
		return 0.9
	}
	return 0.8
}

// withDelta returns the settings with the default value of Delta filled in.
func (s Settings) withDelta() Settings {
	if s.Delta == 0 {
		s.Delta = DefaultDelta(s.Metric)
	}
	return s
}

// Validate returns an error for the first setting that is not allowed.
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

// maxFullMetric is the largest number of dimensions in which the matrix of a low_rank metric is written. The size of the matrix
// is the square of this number.
const maxFullMetric = 1000

// header returns the part of the settings that a Stan CSV file contains. Readers only know Stan's metrics. So fisher is written
// as diag_e, and low_rank, with its full matrix, as dense_e, or in many dimensions as diag_e.
func (s *Settings) header(dim int) chains.Run {
	metric := s.Metric
	switch metric {
	case Fisher:
		metric = Diag
	case LowRank:
		if metric = Dense; dim > maxFullMetric {
			metric = Diag
		}
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
