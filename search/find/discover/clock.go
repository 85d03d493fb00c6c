package discover

import (
	"math"
	"sync/atomic"
	"time"
)

// clock stops a search early enough before its time limit to write the last checkpoint. A nil clock never stops it.
type clock struct {
	end   time.Time
	timer *time.Timer
	up    atomic.Bool // whether the timer has fired
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

// left returns the time until the limit.
func (c *clock) left() time.Duration {
	if c == nil {
		return math.MaxInt64
	}
	return time.Until(c.end)
}

// reserve makes the search stop d before the limit.
func (c *clock) reserve(d time.Duration) {
	if c != nil {
		c.timer.Reset(c.left() - d)
	}
}

// rang reports whether the clock has stopped the search.
func (c *clock) rang() bool { return c != nil && c.up.Load() }

// close stops the timer.
func (c *clock) close() {
	if c != nil {
		c.timer.Stop()
	}
}
