package discover

import (
	"math"
	"sync/atomic"
	"time"
)

// clock ends a search in time for the last checkpoint to be written. A nil clock never does.
type clock struct {
	end   time.Time
	timer *time.Timer
	up    atomic.Bool
}

func newClock(limit time.Duration, stop func()) *clock {
	if limit == 0 {
		return nil
	}
	c := &clock{end: time.Now().Add(limit)}
	c.timer = time.AfterFunc(limit, func() {
		c.up.Store(true)
		stop()
	})
	return c
}

// left returns the time until the end.
func (c *clock) left() time.Duration {
	if c == nil {
		return math.MaxInt64
	}
	return time.Until(c.end)
}

// reserve ends the search d before the end.
func (c *clock) reserve(d time.Duration) {
	if c != nil {
		c.timer.Reset(c.left() - d)
	}
}

// rang reports whether the time is up.
func (c *clock) rang() bool { return c != nil && c.up.Load() }

// close stops the timer.
func (c *clock) close() {
	if c != nil {
		c.timer.Stop()
	}
}
