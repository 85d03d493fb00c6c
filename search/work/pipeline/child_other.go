//go:build !linux

package pipeline

import "syscall"

// detached does nothing on this system.
func detached() *syscall.SysProcAttr { return nil }

// Apart does nothing on this system.
func Apart() *syscall.SysProcAttr { return nil }
