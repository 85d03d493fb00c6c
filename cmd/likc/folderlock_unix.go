//go:build unix && !solaris && !illumos && !aix

package main

import (
	"errors"
	"os"
	"syscall"
)

// lockFolder locks a folder as long as the file stays open and the process lives. The error is errLocked where another
// process has locked it.
func lockFolder(path string) (*os.File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		f.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, errLocked
		}
		return nil, err
	}
	return f, nil
}

// isMountPoint reports whether another file system begins at the folder: it cannot be renamed.
func isMountPoint(dir, parent string) bool {
	var here, above syscall.Stat_t
	return syscall.Stat(dir, &here) == nil && syscall.Stat(parent, &above) == nil && here.Dev != above.Dev
}
