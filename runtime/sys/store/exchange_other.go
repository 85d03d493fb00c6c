//go:build !linux

package store

import "errors"

// exchange returns an error: only Linux can exchange two files.
func exchange(a, b string) error { return errors.ErrUnsupported }

// flushAll does nothing: the system decides when files reach the disk.
func flushAll(dir string) {}
