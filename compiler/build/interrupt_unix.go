//go:build unix

package build

import (
	"os/exec"
	"syscall"
	"time"
)

// interruptible makes a command end with all its children when its context ends: they form a group, which is interrupted,
// so that they clean up behind them, and killed a little later.
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
