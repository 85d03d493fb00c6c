package cli

import (
	"context"

	"likc/runtime/sys/interrupt"

	"github.com/spf13/cobra"
)

// keepsWork names the commands that end by themselves when their context does, keeping what was finished. The others hold
// nothing worth keeping and end at once.
var keepsWork = map[string]bool{"fit": true, "judge": true, "apply": true, "make": true, "simulate": true, "bench": true,
	"train": true, "recover": true, "confuse": true, "ppc": true, "sbc": true, "audit": true, "ablate": true, "run": true, "unit": true, "search": true, "polish": true, "distil": true}

// KeepsWork reports whether a command ends by itself when it is interrupted, and keeps what was finished.
func KeepsWork(cmd *cobra.Command) bool { return keepsWork[cmd.Name()] }

// Interruptible returns a context that a signal ends, for the command that args call.
func Interruptible(root *cobra.Command, args []string) (context.Context, func()) {
	cmd, _, err := root.Find(args)
	return interrupt.Context(err == nil && KeepsWork(cmd))
}
