package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
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
	if (interrupted || len(kept) < len(all)) && holdsFit(r.dir) {
		r.dir += ".partial" // an older fit is worth more than a part of this one
	}
	return r.write(kept, !r.noFigures && !r.mode && !interrupted)
}

// holdsFit reports whether the folder is an earlier fit's.
func holdsFit(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, summaryFile))
	return err == nil
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
