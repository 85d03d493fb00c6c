package pipeline

import "syscall"

// detached keeps a terminal's Ctrl-C from a child process, because we pass it on ourselves. The child ends when we are killed.
func detached() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// Apart keeps a terminal's Ctrl-C from a child process.
func Apart() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
