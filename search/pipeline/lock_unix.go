//go:build unix

package pipeline

import (
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// patience is how long to wait for a run that is ending.
const patience = 5 * time.Second

// lock makes sure that one run works in a folder at a time.
func lock(path string) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	for start := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if err == nil {
			return func() { f.Close() }, nil
		}
		if !errors.Is(err, unix.EWOULDBLOCK) || time.Since(start) > patience {
			f.Close()
			return nil, errors.New("another run works here")
		}
	}
}
