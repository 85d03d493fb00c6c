package study

import (
	"context"
	"errors"
	"testing"
)

// TestInterruptedElsewhere: after a signal, the error is the cluster's, which says what is done and which jobs are queued.
func TestInterruptedElsewhere(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	queued := errors.New("interrupted: in the queue stays job 7")
	c := &Check{Where: Where{Threads: 1, Elsewhere: func() ([]string, error) { return nil, queued }}, name: "ddm", units: "fits", path: t.TempDir() + "/rows.jsonl"}
	_, err := Units(ctx, c, 3, func(context.Context, int) (int, error) { return 0, nil })
	if !errors.Is(err, queued) {
		t.Errorf("%v, want %v", err, queued)
	}
}
