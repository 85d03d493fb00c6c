package cli

import (
	"context"

	"likc/runtime/sys/interrupt"

	"github.com/spf13/cobra"
)

// KeepsWork annotates a command that ends by itself when it is interrupted, and keeps what was finished. All other commands have nothing
// to keep, and end at once.
var KeepsWork = map[string]string{keepsWork: ""}

// keepsWork is the key of the annotation.
const keepsWork = "keeps work"

// DoesKeepWork reports whether a command ends by itself when it is interrupted, and keeps what was finished.
func DoesKeepWork(cmd *cobra.Command) bool {
	_, keeps := cmd.Annotations[keepsWork]
	return keeps
}

// Interruptible returns a context that a signal ends, for the command that args call.
func Interruptible(root *cobra.Command, args []string) (context.Context, func()) {
	cmd, _, err := root.Find(args)
	return interrupt.Context(err == nil && DoesKeepWork(cmd))
}
