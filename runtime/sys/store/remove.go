package store

import (
	"errors"
	"os"
	"syscall"
	"time"
)

// RemoveAll removes a folder and its contents. On a network file system, a file that a process still has open stays in the
// folder under another name until the process closes it. RemoveAll waits for that, at most as long as Lock waits.
func RemoveAll(dir string) error { return removeAll(dir, os.RemoveAll) }

func removeAll(dir string, remove func(string) error) error {
	for end := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
		err := remove(dir)
		if err == nil || !isOccupied(err) || time.Now().After(end) {
			return err
		}
	}
}

// isOccupied reports whether a removal that failed with this error may succeed if it is tried again soon.
func isOccupied(err error) bool {
	return errors.Is(err, syscall.ENOTEMPTY) || errors.Is(err, syscall.EEXIST) || errors.Is(err, syscall.EBUSY)
}
