//go:build !unix

package judge

import "time"

// clock measures wall time.
type clock struct{ from time.Time }

func startClock() clock { return clock{time.Now()} }

func (c clock) seconds() float64 { return time.Since(c.from).Seconds() }
