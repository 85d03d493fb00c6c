package workers

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// TestDo checks that every number comes once, that no two calls of a worker run at a time, and that there are not more workers than threads
// or numbers.
func TestDo(t *testing.T) {
	for _, c := range []struct{ n, threads int }{{0, 3}, {1, 3}, {2, 3}, {1000, 3}, {1000, 1}, {1000, 0}} {
		busy := make([]atomic.Bool, Threads(c.n, c.threads))
		calls := make([]atomic.Int64, c.n)
		Do(t.Context(), c.n, c.threads, func(worker, i int) {
			if busy[worker].Swap(true) {
				t.Errorf("%+v: worker %d is called twice at a time", c, worker)
			}
			calls[i].Add(1)
			busy[worker].Store(false)
		})
		for i := range calls {
			if got := calls[i].Load(); got != 1 {
				t.Errorf("%+v: %d calls for %d", c, got, i)
			}
		}
		if c.threads > 0 && len(busy) > c.threads {
			t.Errorf("%+v: %d workers", c, len(busy))
		}
	}
}

// TestDoIsParallel lets three calls wait for each other. If Do made them one after another, the test would never end.
func TestDoIsParallel(t *testing.T) {
	var together sync.WaitGroup
	together.Add(3)
	Do(t.Context(), 3, 3, func(int, int) {
		together.Done()
		together.Wait()
	})
}

// TestDoEnds checks that after the context's end running calls finish, and none begins.
func TestDoEnds(t *testing.T) {
	for _, threads := range []int{1, 4} {
		ctx, stop := context.WithCancel(t.Context())
		var calls atomic.Int64
		Do(ctx, 1000, threads, func(_, i int) {
			calls.Add(1)
			stop()
		})
		if got := calls.Load(); got < 1 || got > int64(threads) {
			t.Errorf("%d threads: %d calls though the first ended the context", threads, got)
		}
	}
}

func TestAfterwardsOutlivesItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	late, stop := Afterwards(ctx, time.Millisecond)
	defer stop()
	if late.Err() != nil {
		t.Error("ended before its context")
	}
	cancel()
	<-late.Done() // ends after all
	unhurried, end := Afterwards(ctx, time.Hour)
	if unhurried.Err() != nil {
		t.Error("ended with its context")
	}
	end()
}

// TestTry checks that all calls run if none fails. The first failure is returned, ends the context of the other calls, and lets no further
// call begin.
func TestTry(t *testing.T) {
	var calls atomic.Int64
	if err := Try(t.Context(), 100, 3, func(context.Context, int) error { calls.Add(1); return nil }); err != nil || calls.Load() != 100 {
		t.Errorf("%d of 100 calls, %v", calls.Load(), err)
	}
	calls.Store(0)
	broken := errors.New("broken")
	err := Try(t.Context(), 100, 3, func(ctx context.Context, i int) error {
		if calls.Add(1); i == 2 {
			return broken
		}
		<-ctx.Done()
		return ctx.Err()
	})
	if err != broken || calls.Load() != 3 {
		t.Errorf("%d calls, want 3; %v, want %v", calls.Load(), err, broken)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if err := Try(ended, 1, 1, func(context.Context, int) error { t.Error("called"); return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("an ended context: %v", err)
	}
}
