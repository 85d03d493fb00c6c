//go:build !linux

package pipeline

import "syscall"

// boundToUs does nothing on this system.
func boundToUs() *syscall.SysProcAttr { return nil }

// Apart does nothing on this system.
func Apart() *syscall.SysProcAttr { return nil }
