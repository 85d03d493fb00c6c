package find

import (
	"math"
	"sync/atomic"
	"time"
)

// searchClock ends a search in time for the last checkpoint to be written. A nil one never does.
type searchClock struct {
	end   time.Time
	timer *time.Timer
	up    atomic.Bool
}

func newSearchClock(limit time.Duration, stop func()) *searchClock {
	if limit == 0 {
		return nil
	}
	c := &searchClock{end: time.Now().Add(limit)}
	c.timer = time.AfterFunc(limit, func() {
		c.up.Store(true)
		stop()
	})
	return c
}

// left is the time until the end.
func (c *searchClock) left() time.Duration {
	if c == nil {
		return math.MaxInt64
	}
	return time.Until(c.end)
}

// reserve ends the search so long before the end.
func (c *searchClock) reserve(d time.Duration) {
	if c != nil {
		c.timer.Reset(c.left() - d)
	}
}

// rang reports whether the time is up.
func (c *searchClock) rang() bool { return c != nil && c.up.Load() }

// close lets go of the timer.
func (c *searchClock) close() {
	if c != nil {
		c.timer.Stop()
	}
}
