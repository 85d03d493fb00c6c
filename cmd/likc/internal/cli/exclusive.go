package cli

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// exclusive is the annotation of a flag under which the groups stand that [Exclusive] puts it in: the flags of each, with spaces.
const exclusive = "likc exclusive"

// Exclusive says that of the named flags only one may be given.
func Exclusive(cmd *cobra.Command, names ...string) {
	for _, name := range names {
		f := cmd.Flag(name)
		if f.Annotations == nil {
			f.Annotations = map[string][]string{}
		}
		f.Annotations[exclusive] = append(f.Annotations[exclusive], strings.Join(names, " "))
	}
}

// CheckExclusive names two flags that were given and exclude each other, in the order in which [Exclusive] was told of them.
func CheckExclusive(cmd *cobra.Command) (err error) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		for _, group := range f.Annotations[exclusive] {
			var given []string
			for _, name := range strings.Fields(group) {
				if cmd.Flag(name).Changed {
					given = append(given, "--"+name)
				}
			}
			if len(given) > 1 && err == nil {
				err = Usagef("%s and %s: give one of them", given[0], given[1])
			}
		}
	})
	return err
}
