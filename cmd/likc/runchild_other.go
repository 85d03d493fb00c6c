//go:build !linux

package main

import "syscall"

// detached does nothing here.
func detached() *syscall.SysProcAttr { return nil }
