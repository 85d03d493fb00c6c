package timing

import (
	"time"

	"golang.org/x/sys/unix"
)

// CPU is the time that all threads of this process have spent on processors. What other programs do to a shared machine
// is not in it, but for the caches and the memory that they use.
func CPU() (Clock, error) { return clockOf(unix.CLOCK_PROCESS_CPUTIME_ID) }

// ThreadCPU is the time that the calling thread has spent on processors; a goroutine that uses it must stay on one thread.
func ThreadCPU() (Clock, error) { return clockOf(unix.CLOCK_THREAD_CPUTIME_ID) }

func clockOf(id int32) (Clock, error) {
	var t unix.Timespec
	if err := unix.ClockGettime(id, &t); err != nil {
		return nil, err
	}
	return func() time.Duration {
		var t unix.Timespec
		unix.ClockGettime(id, &t) // it has answered before
		return time.Duration(t.Nano())
	}, nil
}
