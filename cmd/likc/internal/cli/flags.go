package cli

import (
	"errors"
	"strings"

	"likc/runtime/model/catalog"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// wants describes the values that a flag accepts, by the name of the flag's type.
var wants = map[string]string{
	"uint64":   "a whole number from 0 to 18446744073709551615",
	"int":      "a whole number",
	"int64":    "a whole number",
	"float64":  "a number",
	"floats":   "numbers with commas between them",
	"ints":     "whole numbers with commas between them",
	"duration": "a time, as 90s or 5m",
	"bool":     "true or false",
}

// FlagArgs returns the arguments that set a flag to its value. A flag that is given once for each value has several.
func FlagArgs(f *pflag.Flag) (args []string) {
	values := []string{f.Value.String()}
	if list, ok := f.Value.(pflag.SliceValue); ok {
		values = list.GetSlice()
	}
	for _, v := range values {
		args = append(args, "--"+f.Name+"="+v)
	}
	return args
}

// FirstGiven returns the first of the named flags that was given; "" for none.
func FirstGiven(cmd *cobra.Command, names ...string) string {
	for _, name := range names {
		if cmd.Flags().Changed(name) {
			return name
		}
	}
	return ""
}

// NoCommand returns the error of a word that is no command of root. It suggests the most similar one.
func NoCommand(root *cobra.Command, name string) error {
	var names []string
	for _, c := range root.Commands() {
		if !c.Hidden {
			names = append(names, c.Name())
		}
	}
	if near := catalog.Nearest(name, names); near != "" {
		return Usagef("%s: no such command; did you mean %s? likc --help lists all", name, near)
	}
	return Usagef("%s: no such command; likc --help lists them", name)
}

// UnknownHelp returns the error of a request for help about a word that is no command, nil for any other call of root.
func UnknownHelp(root *cobra.Command) error {
	if name := root.Flags().Arg(0); name != "" && root.Flags().Changed("help") {
		return NoCommand(root, name)
	}
	return nil
}

// commandName returns the words by which a command is called, without the program's name.
func commandName(cmd *cobra.Command) string {
	return strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()+" ")
}

// FlagError returns an error that says in plain words what is wrong with a flag. If an unknown command comes before the
// flag, the error is about the command.
func FlagError(cmd *cobra.Command, err error) error {
	if !cmd.HasParent() {
		if name := cmd.Flags().Arg(0); name != "" {
			return NoCommand(cmd, name)
		}
		return Usagef("%w; see %s --help", err, cmd.Name())
	}
	if bad, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		flag := bad.GetFlag()
		name := "--" + flag.Name
		if flag.Shorthand != "" {
			name = "-" + flag.Shorthand + ", " + name
		}
		if s := SettingOf(flag); s != nil && s.IsList() && s.Tag("want") != "" {
			return Usagef("--%s %s: want %s", flag.Name, bad.GetValue(), s.Wanted())
		}
		if want := wants[flag.Value.Type()]; want != "" {
			return Usagef("%s: %q is not %s; see likc %s --help", name, bad.GetValue(), want, commandName(cmd))
		}
	}
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok {
		if near := catalog.Nearest(unknown.GetSpecifiedName(), shownFlags(cmd)); near != "" {
			return Usagef("%s: %w; did you mean --%s? likc %[1]s --help lists all", commandName(cmd), err, near)
		}
	}
	return Usagef("%s: %w; see likc %[1]s --help", commandName(cmd), err)
}

// shownFlags returns the names of the flags that help lists.
func shownFlags(cmd *cobra.Command) (names []string) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	})
	return names
}
