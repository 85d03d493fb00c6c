//go:build !linux

package run

import "syscall"

// detached does nothing here.
func detached() *syscall.SysProcAttr { return nil }
