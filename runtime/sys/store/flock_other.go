//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows)

package store

import (
	"errors"
	"os"
)

// flock knows no locks here.
func flock(*os.File) error { return errors.ErrUnsupported }

func isMountPoint(dir, parent string) bool { return false }
