//go:build unix

package program

import (
	"os/exec"
	"syscall"
)

// shell returns a command that the system's shell runs, in a process group of its own, so that signals from
// the terminal, such as Ctrl-C, go only to likc.
func shell(command string) *exec.Cmd {
	c := exec.Command("sh", "-c", command)
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return c
}

// killGroup ends a command and its child processes.
func killGroup(c *exec.Cmd) {
	syscall.Kill(-c.Process.Pid, syscall.SIGKILL)
}
