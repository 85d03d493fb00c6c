// Package units runs n numbered units of work in parallel and returns their results in order. With a file, it also appends each
// result as a JSON line; after an interruption the next run skips those units.
package units

import (
	"context"
	"sync"

	"likc/runtime/sys/workers"
)

// Settings of a run.
type Settings struct {
	Threads  int                // number of units that run at a time; 0: one for each processor
	Progress func(done, of int) // called after each unit; nil to report nothing
}

// Run calls work for every unit from 0 to n-1 that the file does not have yet, and returns all n. Units must not depend on
// which others were done before. file may be nil. After the first error, or the context's end, no further unit begins. The file
// then has the finished units up to the first gap.
func Run[T any](ctx context.Context, file *File[T], n int, s Settings, work func(ctx context.Context, unit int) (T, error)) ([]T, error) {
	r := &run[T]{file: file, n: n, waiting: map[int]T{}, progress: s.Progress}
	if file != nil {
		if err := file.begin(); err != nil {
			return nil, err
		}
		r.done = append(r.done, file.done[:min(n, len(file.done))]...)
	}
	first := len(r.done)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	workers.Do(ctx, n-first, s.Threads, func(_, i int) {
		result, err := work(ctx, first+i)
		if err == nil && ctx.Err() == nil {
			err = r.keepResult(first+i, result)
		}
		if err != nil {
			cancel(err)
		}
	})
	switch cause := context.Cause(ctx); {
	case r.unkept != nil:
		return r.done, r.unkept
	case cause != nil && len(r.done) < n:
		return r.done, cause
	}
	return r.done, nil
}

// run is the state that workers share.
type run[T any] struct {
	sync.Mutex
	file     *File[T]
	n        int
	done     []T       // the finished units, in order and without gaps
	waiting  map[int]T // finished units that follow a gap, by number
	unkept   error     // the error of writing a unit to the file; else nil
	progress func(done, of int)
}

// keepResult keeps a result, and writes all results that now follow without a gap.
func (r *run[T]) keepResult(unit int, result T) error {
	r.Lock()
	defer r.Unlock()
	r.waiting[unit] = result
	for {
		next, ok := r.waiting[len(r.done)]
		if !ok {
			break
		}
		delete(r.waiting, len(r.done))
		r.done = append(r.done, next)
		if r.file != nil && r.unkept == nil {
			r.unkept = r.file.append(next)
		}
	}
	if r.progress != nil {
		r.progress(len(r.done)+len(r.waiting), r.n)
	}
	return r.unkept
}
