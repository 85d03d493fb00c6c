package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"likc/runtime/nuts"
)

// all fits the subjects: several at a time if there are several, else the chains of the one.
func (r *fitRun) all(ctx context.Context, jobs []job) []*fitted {
	out := make([]*fitted, len(jobs))
	if !r.many {
		bars := newProgress(r.stderr)
		out[0] = r.one(ctx, jobs[0], r.threads, bars.chain)
		bars.close()
		return out
	}
	threads := r.threads
	if threads == 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	bars := newProgress(r.stderr)
	var next, done atomic.Int64
	var workers sync.WaitGroup
	for range min(threads, len(jobs)) {
		workers.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(jobs); i = int(next.Add(1)) - 1 {
				out[i] = r.one(ctx, jobs[i], 1, nil)
				bars.subjects(int(done.Add(1)), len(jobs))
			}
		})
	}
	workers.Wait()
	bars.close()
	return out
}

// finish prints and writes what was fitted, and says what is missing.
func (r *fitRun) finish(all []*fitted) error {
	var kept []*fitted
	for _, f := range all {
		if f.whole() || !r.many && f.draws != nil {
			kept = append(kept, f)
		}
	}
	if len(kept) > 0 {
		if err := r.report(kept, all); err != nil {
			return err
		}
	}
	return r.missing(all, kept)
}

// report prints the table and the warnings and writes the folder.
func (r *fitRun) report(kept, all []*fitted) error {
	if err := r.print(kept); err != nil {
		return err
	}
	for _, f := range kept {
		warn(r.stderr, f)
	}
	if r.dir == "" {
		return nil
	}
	interrupted := false
	for _, f := range all {
		interrupted = interrupted || f.stopped()
	}
	return r.write(kept, !r.noFigures && !r.mode && !interrupted)
}

// missing is the error of a fit that is not whole.
func (r *fitRun) missing(all, kept []*fitted) error {
	var errs []error
	stopped := false
	for _, f := range all {
		stopped = stopped || f.stopped()
		if f.err != nil && !f.stopped() {
			errs = append(errs, f.errorf(f.err))
		}
	}
	if !stopped {
		return errors.Join(errs...)
	}
	where := "printed"
	if r.dir != "" {
		where = "kept in " + r.dir
	}
	switch {
	case len(kept) == 0:
		return errors.New("interrupted: nothing was drawn yet, and nothing written")
	case r.many:
		return fmt.Errorf("interrupted: %d of %d subjects are %s; --only ID fits one of the others", len(kept), len(all), where)
	}
	return fmt.Errorf("interrupted: %d of %d draws a chain are %s; the same command draws them all", kept[0].draws.Len(), r.settings.NumSamples, where)
}

// samplerFlags are Stan's settings.
type samplerFlags struct {
	chains, warmup, draws, maxDepth int
	seed                            uint64
	delta                           float64
	metric                          string
	stan, saveWarmup                bool
}

// metrics by name, learned from draws and gradients, and as Stan learns them.
var metricNames = map[string]struct{ ours, stan nuts.Metric }{
	"unit":     {nuts.Unit, nuts.Unit},
	"diag":     {nuts.Fisher, nuts.Diag},
	"dense":    {nuts.Dense, nuts.Dense},
	"low-rank": {nuts.LowRank, ""},
}

func (f *samplerFlags) settings() (nuts.Settings, error) {
	s := nuts.DefaultSettings()
	s.NumChains, s.NumWarmup, s.NumSamples = f.chains, f.warmup, f.draws
	s.Seed, s.Delta, s.MaxDepth, s.SaveWarmup = f.seed, f.delta, f.maxDepth, f.saveWarmup
	for _, c := range []struct {
		flag       string
		value, low int
		high       int
	}{{"--chains", f.chains, 1, 1 << 20}, {"--warmup", f.warmup, 0, 1 << 30}, {"--draws", f.draws, 1, 1 << 30}, {"--max-depth", f.maxDepth, 1, 30}} {
		if c.value < c.low || c.value > c.high {
			return s, usagef("%s %d: want a number from %d to %d", c.flag, c.value, c.low, c.high)
		}
	}
	if !(f.delta > 0 && f.delta < 1) {
		return s, usagef("--adapt-delta %v: want a number between 0 and 1", f.delta)
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
		return s, usagef("--metric %s: want unit, diag, dense or, without --stan-warmup, low-rank", name)
	}
	return s, nil
}
