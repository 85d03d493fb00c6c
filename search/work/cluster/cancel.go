package cluster

import (
	"context"
	"fmt"
	"slices"
	"time"

	"likc/runtime/num/notation"
)

// Left describes the arrays that stay in the queue after Close, each as a text with its id and the number of its unfinished tasks.
func (e *Engine) Left() (all []string) {
	for _, a := range e.arrays {
		if n := a.open(); n > 0 {
			all = append(all, fmt.Sprintf("%s (%s)", a.ID, notation.Count(n, "task")))
		}
	}
	slices.Sort(all)
	return all
}

// Cancel cancels the arrays that are in the queue after Close, and waits until their tasks have ended.
func (e *Engine) Cancel(ctx context.Context) error {
	var ids []string
	for _, a := range e.arrays {
		if err := e.queue.Cancel(ctx, a.ID); err != nil {
			return err
		}
		ids = append(ids, a.ID)
	}
	for len(ids) > 0 {
		if open, err := e.queue.Poll(ctx, ids); err == nil && len(open) == 0 {
			break
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(min(5*time.Second, e.settings.Poll)):
		}
	}
	for _, a := range e.arrays {
		e.forget(a)
	}
	return nil
}
