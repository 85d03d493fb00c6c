package cli

import (
	"likc/runtime/fit/nuts"
)

// SamplerFlags set the sampler. Names and defaults are those of Stan where Stan has them.
type SamplerFlags struct {
	Chains     int     `flag:"chains" default:"4" in:"[1,1000]" want:"a number from {in}" help:"Markov chains"`
	Warmup     int     `flag:"warmup" default:"1000" in:"[0,10000000]" want:"a number from {in}" help:"transitions of warm-up a chain"`
	Draws      int     `flag:"draws" default:"1000" in:"[1,10000000]" want:"a number from {in}" help:"draws a chain"`
	Seed       uint64  `flag:"seed" default:"1" help:"seed of the draws"`
	Delta      float64 `flag:"adapt-delta" in:"(0,1)" help:"acceptance statistic that the step size aims at; closer to 1, steps are shorter (default 0.9, at which subjects\nwithout a minority response hardly diverge; 0.95 where t or correlated effects vary by group; Stan's 0.8 with --stan-warmup and --metric unit or dense)"`
	MaxDepth   int     `flag:"max-depth" default:"10" in:"[1,20]" want:"a number from {in}" help:"most doublings of a trajectory"`
	Metric     string  `flag:"metric" help:"unit, diag, dense or low-rank (default low-rank; with --stan-warmup diag)"`
	Stan       bool    `flag:"stan-warmup" help:"learn the metric as Stan does, from the draws alone"`
	SaveWarmup bool    `flag:"save-warmup" help:"write the draws of the warm-up too"`
}

// metricNames holds two metrics for each name: for likc's own warm-up, and for Stan's with --stan-warmup; "" if the warm-up has
// no such metric.
var metricNames = map[string]struct{ ours, stan nuts.Metric }{
	"unit":     {nuts.Unit, nuts.Unit},
	"diag":     {nuts.Fisher, nuts.Diag},
	"dense":    {nuts.Dense, nuts.Dense},
	"low-rank": {nuts.LowRank, ""},
}

// mostDraws is the largest number of draws of all chains together. All of them are in memory, with some ten numbers each.
const mostDraws = 20_000_000

// Settings turns the flags into settings of the sampler.
func (f *SamplerFlags) Settings() (nuts.Settings, error) {
	s := nuts.DefaultSettings()
	s.NumChains, s.NumWarmup, s.NumSamples = f.Chains, f.Warmup, f.Draws
	s.Seed, s.Delta, s.MaxDepth, s.SaveWarmup = f.Seed, f.Delta, f.MaxDepth, f.SaveWarmup
	if f.Chains*f.Draws > mostDraws {
		return s, Usagef("--chains %d with --draws %d: want at most %d draws in all", f.Chains, f.Draws, mostDraws)
	}
	if f.SaveWarmup && f.Chains*(f.Draws+f.Warmup) > mostDraws {
		return s, Usagef("--chains %d with --draws %d and --warmup %d, which are kept too: want at most %d draws in all", f.Chains, f.Draws, f.Warmup, mostDraws)
	}
	name := f.Metric
	if name == "" && f.Stan {
		name = "diag"
	} else if name == "" {
		return s, nil
	}
	metric, known := metricNames[name]
	s.Metric = metric.ours
	if f.Stan {
		s.Metric = metric.stan
	}
	if !known || s.Metric == "" {
		return s, Usagef("--metric %s: want unit, diag, dense or, without --stan-warmup, low-rank", name)
	}
	return s, nil
}
