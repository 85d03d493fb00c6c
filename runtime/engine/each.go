package engine

import (
	"context"
	"sync"
	"sync/atomic"
)

// each calls work for 0 to n-1 on several threads, until the context ends.
func each(ctx context.Context, n, threads int, work func(i int)) {
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(max(threads, 1), n) {
		workers.Go(func() {
			for i := int(next.Add(1)) - 1; i < n && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				work(i)
			}
		})
	}
	workers.Wait()
}
