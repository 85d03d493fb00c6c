package study

import (
	"context"
	"errors"
	"testing"
)

// TestInterruptedElsewhere: if the units run elsewhere, the error after an interrupt is the one that Elsewhere returns.
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
