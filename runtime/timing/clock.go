package timing

import "time"

// Clock tells how much time has passed since a moment that is always the same.
type Clock func() time.Duration

var start = time.Now()

// Wall is the time that passes for everyone.
func Wall() time.Duration { return time.Since(start) }
