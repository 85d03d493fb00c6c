package pipeline

import "syscall"

// boundToUs keeps a terminal's Ctrl-C from a child process, because we pass it on ourselves. The kernel kills the child when this process is killed.
func boundToUs() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// OwnGroup returns attributes with which a child process gets a process group of its own, so that a terminal's Ctrl-C does not reach it.
func OwnGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
