//go:build !unix

package build

import (
	"os/exec"
	"time"
)

// interruptible makes a command stop soon after its context is cancelled. It returns the command.
func interruptible(c *exec.Cmd) *exec.Cmd {
	c.WaitDelay = 500 * time.Millisecond
	return c
}
