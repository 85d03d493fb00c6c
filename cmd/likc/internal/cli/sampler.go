package cli

import (
	"likc/runtime/fit/nuts"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// SamplerFlags are Stan's settings.
type SamplerFlags struct {
	chains, warmup, draws, maxDepth int
	seed                            uint64
	delta                           float64
	metric                          string
	stan, saveWarmup                bool
	flags                           *pflag.FlagSet
}

func (f *SamplerFlags) Add(cmd *cobra.Command) {
	flags := cmd.Flags()
	f.flags = flags
	flags.IntVar(&f.chains, "chains", 4, "Markov chains")
	flags.IntVar(&f.warmup, "warmup", 1000, "transitions of warm-up a chain")
	flags.IntVar(&f.draws, "draws", 1000, "draws a chain")
	flags.Uint64Var(&f.seed, "seed", 1, "seed of the draws")
	flags.Float64Var(&f.delta, "adapt-delta", 0, "acceptance statistic that the step size aims at; closer to 1, steps are shorter (default 0.9, at which subjects\nwithout a minority response hardly diverge; Stan's 0.8 with --stan-warmup and --metric unit or dense)")
	flags.IntVar(&f.maxDepth, "max-depth", 10, "most doublings of a trajectory")
	flags.StringVar(&f.metric, "metric", "", "unit, diag, dense or low-rank (default low-rank; with --stan-warmup diag)")
	flags.BoolVar(&f.stan, "stan-warmup", false, "learn the metric as Stan does, from the draws alone")
	flags.BoolVar(&f.saveWarmup, "save-warmup", false, "write the draws of the warm-up too")
}

// metrics by name, learned from draws and gradients, and as Stan learns them.
var metricNames = map[string]struct{ ours, stan nuts.Metric }{
	"unit":     {nuts.Unit, nuts.Unit},
	"diag":     {nuts.Fisher, nuts.Diag},
	"dense":    {nuts.Dense, nuts.Dense},
	"low-rank": {nuts.LowRank, ""},
}

// Bounds of what is drawn. All draws of a fit are in memory, with some ten numbers each.
const (
	mostChains = 1000
	mostDraws  = 10_000_000 // a chain, and in all chains together twice that
)

// checkCounts reports counts that cannot be, or that no memory holds.
func (f *SamplerFlags) checkCounts() error {
	for _, c := range []struct {
		flag             string
		value, low, high int
	}{{"--chains", f.chains, 1, mostChains}, {"--warmup", f.warmup, 0, mostDraws}, {"--draws", f.draws, 1, mostDraws}, {"--max-depth", f.maxDepth, 1, 20}} {
		if c.value < c.low || c.value > c.high {
			return Usagef("%s %d: want a number from %d to %d", c.flag, c.value, c.low, c.high)
		}
	}
	if kept := f.draws; f.chains*kept > 2*mostDraws || f.saveWarmup && f.chains*(kept+f.warmup) > 2*mostDraws {
		return Usagef("--chains %d with --draws %d: want at most %d draws in all", f.chains, f.draws, 2*mostDraws)
	}
	return nil
}

// Settings turns the flags into settings of the sampler.
func (f *SamplerFlags) Settings() (nuts.Settings, error) {
	s := nuts.DefaultSettings()
	s.NumChains, s.NumWarmup, s.NumSamples = f.chains, f.warmup, f.draws
	s.Seed, s.Delta, s.MaxDepth, s.SaveWarmup = f.seed, f.delta, f.maxDepth, f.saveWarmup
	if err := f.checkCounts(); err != nil {
		return s, err
	}
	if f.flags.Changed("adapt-delta") && !(f.delta > 0 && f.delta < 1) {
		return s, Usagef("--adapt-delta %v: want a number between 0 and 1", f.delta)
	}
	name := f.metric
	if name == "" && f.stan {
		name = "diag"
	} else if name == "" {
		return s, nil
	}
	metric, known := metricNames[name]
	s.Metric = metric.ours
	if f.stan {
		s.Metric = metric.stan
	}
	if !known || s.Metric == "" {
		return s, Usagef("--metric %s: want unit, diag, dense or, without --stan-warmup, low-rank", name)
	}
	return s, nil
}
