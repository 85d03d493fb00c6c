package cli

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// exclusiveAnnotation is where cobra keeps the groups of [cobra.Command.MarkFlagsMutuallyExclusive] with each of their flags.
const exclusiveAnnotation = "cobra_annotation_mutually_exclusive"

// CheckExclusive names two flags that were set and exclude each other, before cobra does in words of its own.
func CheckExclusive(cmd *cobra.Command) (err error) {
	first := map[string]string{} // the flag that was set, by group
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Changed {
			return
		}
		for _, group := range f.Annotations[exclusiveAnnotation] {
			if other, taken := first[group]; taken && err == nil {
				names := strings.Fields(group)
				if names[0] == f.Name {
					other, f = f.Name, cmd.Flag(other)
				}
				err = Usagef("--%s and --%s: give one of them", other, f.Name)
			}
			first[group] = f.Name
		}
	})
	return err
}
