//go:build !unix

package program

import "os/exec"

// shell returns a command that the system's shell runs.
func shell(command string) *exec.Cmd { return exec.Command("cmd", "/c", command) }

// killGroup ends a command.
func killGroup(c *exec.Cmd) { c.Process.Kill() }
