//go:build !unix

package build

import (
	"os/exec"
	"time"
)

// interruptible makes a command end soon after its context does.
func interruptible(c *exec.Cmd) *exec.Cmd {
	c.WaitDelay = 500 * time.Millisecond
	return c
}
