//go:build !unix || solaris || illumos || aix

package main

import (
	"errors"
	"os"
)

// lockFolder knows no locks here: nothing is ever held to be left behind.
func lockFolder(string) (*os.File, error) { return nil, errors.ErrUnsupported }

func isMountPoint(dir, parent string) bool { return false }
