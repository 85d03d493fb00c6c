// Package cli holds what all command groups share: errors of usage, flags that find trials and set up samplers, models by name,
// data that come with likc, and how numbers and tables are printed.
package cli

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"likc/runtime/fit"
	"likc/runtime/num/notation"
)

// UsageError is an error in how the command was called.
type UsageError struct{ error }

// Unwrap returns the error without its type.
func (e UsageError) Unwrap() error { return e.error }

// Usage marks an error as one in how the command was called.
func Usage(err error) error { return UsageError{err} }

// Usagef does what Usage does, for an error that it formats.
func Usagef(format string, args ...any) error { return UsageError{fmt.Errorf(format, args...)} }

// NameFlag writes the flag's name before a [fit.WishError], which is about a flag such as --prior or --fix, and marks it as an error of usage.
// It returns any other error as it is.
func NameFlag(err error) error {
	wrong := fit.WishError{}
	switch {
	case !errors.As(err, &wrong):
		return err
	case wrong.Of == "":
		return Usage(err)
	}
	return Usagef("--%w", err)
}

// OneLine returns the text of an error on one line, as scripts expect. It cuts the middle out of a very long text, such as one that quotes a whole
// file.
func OneLine(err error) string {
	const first, last = 2000, 200 // numbers of characters that are kept: the beginning names the place of the error, the end its reason
	line := strings.Join(strings.Fields(strings.ReplaceAll(err.Error(), "\n", "; ")), " ")
	if r := []rune(line); len(r) > first+last {
		return string(r[:first]) + " … " + string(r[len(r)-last:])
	}
	return line
}

// Exactly returns the check of a command that takes exactly these arguments. The error names them.
func Exactly(names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != len(names) {
			return Usagef("%s: needs %s, got %s; see likc %[1]s --help", commandName(cmd), cmp.Or(strings.Join(names, " "), "only flags"), given(args))
		}
		return nil
	}
}

// given returns a text with the arguments of a command, or with their number if there are many.
func given(args []string) string {
	const most = 3
	if len(args) == 0 || len(args) > most {
		return notation.Count(len(args), "argument")
	}
	return strings.Join(args, " ")
}

// Some returns the check of a command that takes one argument or more. want names the arguments in the error.
func Some(want string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return Usagef("%s: needs %s", commandName(cmd), want)
		}
		return nil
	}
}
