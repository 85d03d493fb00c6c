//go:build unix

package build

import (
	"os/exec"
	"syscall"
	"time"
)

// interruptible makes a command and its child processes stop when its context is cancelled. They form a process group. The
// group gets an interrupt, after which it can delete temporary files, and is killed a little later. The command is returned.
func interruptible(c *exec.Cmd) *exec.Cmd {
	const grace = 400 * time.Millisecond
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.WaitDelay = grace + 100*time.Millisecond
	c.Cancel = func() error {
		group := -c.Process.Pid
		time.AfterFunc(grace, func() { syscall.Kill(group, syscall.SIGKILL) })
		return syscall.Kill(group, syscall.SIGINT)
	}
	return c
}
