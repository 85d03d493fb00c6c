//go:build !linux

package pipeline

import "syscall"

// boundToUs does nothing on this system.
func boundToUs() *syscall.SysProcAttr { return nil }

// OwnGroup returns no attributes: on this system, a terminal's Ctrl-C reaches child processes.
func OwnGroup() *syscall.SysProcAttr { return nil }
