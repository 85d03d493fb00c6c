package pipeline

import "syscall"

// boundToUs keeps a terminal's Ctrl-C from a child process, because we pass it on ourselves. The kernel kills the child when this process is killed.
func boundToUs() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// Apart keeps a terminal's Ctrl-C from a child process.
func Apart() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
