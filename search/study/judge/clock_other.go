//go:build !linux

package judge

import "time"

var started = time.Now()

// processSeconds stands in for the processor time of the program: wall time.
func processSeconds() float64 { return time.Since(started).Seconds() }

// threadSeconds stands in for the processor time of the thread: wall time.
func threadSeconds() float64 { return time.Since(started).Seconds() }
