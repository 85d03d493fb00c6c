//go:build unix

package program

import (
	"os/exec"
	"syscall"
)

// shell returns a command that the system's shell runs, with its children in a group of their own: signals of the terminal go to likc
// alone.
func shell(command string) *exec.Cmd {
	c := exec.Command("sh", "-c", command)
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return c
}

// killGroup ends a command and its child processes.
func killGroup(c *exec.Cmd) {
	syscall.Kill(-c.Process.Pid, syscall.SIGKILL)
}
