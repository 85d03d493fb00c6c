package discover

import (
	"math"
	"sync/atomic"
	"time"
)

// clock ends a search early enough to write the last checkpoint. A nil clock never ends it.
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

// left returns the time until the search must end.
func (c *clock) left() time.Duration {
	if c == nil {
		return math.MaxInt64
	}
	return time.Until(c.end)
}

// reserve makes the search stop d before that time.
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
