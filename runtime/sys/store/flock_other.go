//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows)

package store

import (
	"errors"
	"os"
)

// flock returns an error: this package uses no locks on this system.
func flock(*os.File) error { return errors.ErrUnsupported }

func isMountPoint(dir, parent string) bool { return false }
