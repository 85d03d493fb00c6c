//go:build !linux

package pipeline

import "syscall"

// detached does nothing here.
func detached() *syscall.SysProcAttr { return nil }

// Apart does nothing here.
func Apart() *syscall.SysProcAttr { return nil }
