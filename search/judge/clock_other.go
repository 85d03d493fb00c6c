//go:build !linux

package judge

import "time"

var started = time.Now()

// processSeconds stands in for the processor time of the program: wall time.
func processSeconds() float64 { return time.Since(started).Seconds() }

// threadSeconds stands in for that of the thread.
func threadSeconds() float64 { return time.Since(started).Seconds() }
