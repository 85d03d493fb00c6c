package store

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// flock locks an open file until it is closed or the process ends. The locked byte lies far behind any content, because
// on Windows nobody else can read locked bytes. A folder cannot be locked.
func flock(f *os.File) error {
	far := windows.Overlapped{OffsetHigh: 1 << 30}
	err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &far)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
		return ErrLocked
	}
	return err
}

func isMountPoint(dir, parent string) bool { return false }
