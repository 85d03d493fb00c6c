package main

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// usageError is an error in how the command was called.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// oneLine keeps an error to one line, as scripts expect.
func oneLine(err error) string {
	return strings.Join(strings.Fields(strings.ReplaceAll(err.Error(), "\n", "; ")), " ")
}

// exactly is cobra.ExactArgs with an error that names what is wanted.
func exactly(names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != len(names) {
			return usagef("%s: wants %s, got %d arguments", commandName(cmd), cmp.Or(strings.Join(names, " "), "flags alone"), len(args))
		}
		return nil
	}
}

func oneOf(flag, value string, allowed ...string) error {
	for _, a := range allowed {
		if value == a {
			return nil
		}
	}
	return usagef("%s %s: want one of %s", flag, value, strings.Join(allowed, ", "))
}
