package pipeline

import "syscall"

// detached keeps a terminal's Ctrl-C from a child, which is told by us, and ends it when we are killed.
func detached() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// Apart keeps a terminal's Ctrl-C from a child.
func Apart() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
