// Package workers calls a function for the numbers from 0 to n-1 on several goroutines. It also gives work a little more time after an
// interrupt.
package workers

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// Do calls work once for each i from 0 to n-1, in that order, on at most `threads` goroutines. 0 threads means one for each
// processor.
// It returns when all calls have returned. Once ctx has ended, no further call begins.
//
// worker is the number of the goroutine, from 0 to [Threads](n, threads)-1, so that calls of one worker can share memory: no two of them
// run at a time. Which worker gets which i differs from run to run: results must not depend on it.
func Do(ctx context.Context, n, threads int, work func(worker, i int)) {
	threads = Threads(n, threads)
	var next atomic.Int64
	run := func(worker int) {
		for ctx.Err() == nil {
			i := int(next.Add(1)) - 1
			if i >= n {
				return
			}
			work(worker, i)
		}
	}
	if threads == 1 {
		run(0)
		return
	}
	var group sync.WaitGroup
	for worker := range threads {
		group.Go(func() { run(worker) })
	}
	group.Wait()
}

// Try does what Do does, for work that may fail. The first failure ends the context that the other calls have, and so they fail too: Try
// returns the error that came first, or that of ctx if it ended before every call had begun.
func Try(ctx context.Context, n, threads int, work func(ctx context.Context, i int) error) error {
	inner, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	Do(inner, n, threads, func(_, i int) {
		if err := work(inner, i); err != nil {
			fail(err)
		}
	})
	return context.Cause(inner)
}

// Threads returns how many goroutines Do uses for n calls: at least 1.
func Threads(n, threads int) int {
	if threads <= 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	return max(1, min(threads, n))
}

// Afterwards returns a context that ends `grace` after ctx ends, and a function that releases it.
func Afterwards(ctx context.Context, grace time.Duration) (context.Context, func()) {
	late, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(grace, cancel) })
	return late, func() {
		stop()
		cancel()
	}
}
