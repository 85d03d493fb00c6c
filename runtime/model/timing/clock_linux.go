package timing

import (
	"time"

	"golang.org/x/sys/unix"
)

// CPU is the time that all threads of this process have spent on processors. What other programs do to a shared machine
// is not in it, but for the caches and the memory that they use.
func CPU() (Clock, error) {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &t); err != nil {
		return nil, err
	}
	return func() time.Duration {
		var t unix.Timespec
		unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &t) // it has answered before
		return time.Duration(t.Nano())
	}, nil
}
