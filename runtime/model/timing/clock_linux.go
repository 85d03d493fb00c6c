package timing

import (
	"time"

	"golang.org/x/sys/unix"
)

// CPU returns the clock of processor time of all threads of this process. Other programs affect it only through shared caches and
// memory.
func CPU() (Clock, error) { return clockOf(unix.CLOCK_PROCESS_CPUTIME_ID) }

// ThreadCPU returns the clock of the calling thread's processor time. A goroutine that uses it must be locked to its thread.
func ThreadCPU() (Clock, error) { return clockOf(unix.CLOCK_THREAD_CPUTIME_ID) }

func clockOf(id int32) (Clock, error) {
	var t unix.Timespec
	if err := unix.ClockGettime(id, &t); err != nil {
		return nil, err
	}
	return func() time.Duration {
		var t unix.Timespec
		unix.ClockGettime(id, &t) // cannot fail, because it has worked before
		return time.Duration(t.Nano())
	}, nil
}
