package cli

import (
	"strings"

	"github.com/spf13/cobra"
)

// Group makes cmd a command that only groups others: by itself it shows its help, and it refuses words that name no
// subcommand.
func Group(cmd *cobra.Command, commands ...*cobra.Command) *cobra.Command {
	cmd.Args = func(_ *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		var names []string
		for _, c := range commands {
			names = append(names, c.Name())
		}
		return Usagef("%s %s: no such command; there are %s", cmd.Name(), args[0], strings.Join(names, ", "))
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	cmd.AddCommand(commands...)
	return cmd
}
