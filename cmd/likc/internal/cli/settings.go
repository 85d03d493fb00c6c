package cli

import (
	"cmp"
	"reflect"
	"strings"
	"time"

	"likc/runtime/sys/settings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Runner is implemented by a command's settings. Its method Run does the command's work.
type Runner interface {
	Run(cmd *cobra.Command, args []string) error
}

// Command gives a command its settings, as flags, and their method Run.
func Command(s Runner, cmd *cobra.Command) *cobra.Command {
	Bind(cmd, s)
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return withProgram(s, cmd, args) }
	return cmd
}

// Bind gives a command a flag for each setting of the struct that s points to. A setting is a field with a struct tag; its value, if it is
// not zero, is the flag's default. The strings in but change settings. Each is written as in the struct tag `but` (NAME.TAG=TEXT, see
// package settings).
func Bind(cmd *cobra.Command, s any, but ...string) {
	settings.SetDefaults(s)
	for _, one := range settings.Of(s, but...) {
		f := &pflag.Flag{Name: one.Name, Shorthand: one.Letter, Usage: one.Help(), Hidden: one.Tag("hidden") != "", Value: value{one}}
		if one.IsList() {
			f.Value = list{value{one}}
		}
		if f.DefValue = f.Value.String(); one.Field.IsZero() {
			f.DefValue = ""
		}
		if f.Value.Type() == "bool" {
			f.NoOptDefVal = "true"
		}
		cmd.Flags().AddFlag(f)
		if one.Tag("writes") != "" {
			Bind(cmd, &ForceFlag{})
		}
	}
}

// value presents a setting as the value of a flag.
type value struct{ *settings.Setting }

// String returns the texts of the setting's elements, with commas between them.
func (v value) String() string { return strings.Join(v.Texts(), ",") }

// Type returns the name of the kind of value, which [FlagError] and the help show.
func (v value) Type() string {
	if v.Field.Type() == reflect.TypeFor[time.Duration]() {
		return "duration"
	}
	return v.Field.Kind().String()
}

// list presents a setting with several elements as the value of a flag: a [pflag.SliceValue].
type list struct{ value }

func (l list) String() string               { return "[" + l.value.String() + "]" }
func (l list) Append(text string) error     { return l.Set(text) }
func (l list) Replace(texts []string) error { return l.SetAll(texts) }
func (l list) GetSlice() []string           { return l.Texts() }
func (l list) Type() string {
	switch l.Field.Type().Elem().Kind() {
	case reflect.Float64:
		return "floats"
	case reflect.Int:
		return "ints"
	}
	return "strings"
}

// SettingOf returns the setting of a flag; nil for a flag that has none.
func SettingOf(f *pflag.Flag) *settings.Setting {
	switch v := f.Value.(type) {
	case value:
		return v.Setting
	case list:
		return v.Setting
	}
	return nil
}

// CheckSettings checks the given flags by the tags of their settings, and returns the first error: flags that exclude each other, a file
// that must not be written, a bad value, or a flag that is missing.
func CheckSettings(cmd *cobra.Command, args []string) error {
	for _, check := range []func(*cobra.Command, []string, *pflag.Flag, *settings.Setting) error{checkExcluded, checkOutput, checkValue, checkMissing} {
		var err error
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if s := SettingOf(f); s != nil && err == nil {
				err = check(cmd, args, f, s)
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// checkExcluded returns an error if a flag was given together with one that it excludes.
func checkExcluded(cmd *cobra.Command, _ []string, f *pflag.Flag, s *settings.Setting) error {
	for _, other := range strings.Fields(s.Tag("not")) {
		if f.Changed && cmd.Flags().Changed(other) {
			return Usagef("--%s and --%s: give one of them", f.Name, other)
		}
	}
	return nil
}

// checkOutput returns an error if a flag names an output file that must not be written. Its folder does not exist, or it is an input of the
// same command. Or it exists, likc did not write it, and --force is not given.
func checkOutput(cmd *cobra.Command, args []string, f *pflag.Flag, s *settings.Setting) error {
	if kind := s.Tag("writes"); kind != "" {
		path := f.Value.String()
		return cmp.Or(CheckParentFolder("--"+f.Name, path), CheckOutput(cmd, args, "--"+f.Name, path, writtenKinds[kind]))
	}
	return nil
}

// checkValue returns an error if the value that a flag gave its setting is invalid.
func checkValue(_ *cobra.Command, _ []string, f *pflag.Flag, s *settings.Setting) error {
	if !f.Changed {
		return nil
	}
	if err := s.Check(); err != nil {
		return Usagef("%s %w", cmp.Or(s.Tag("called"), "--"+f.Name), err)
	}
	return nil
}

// checkMissing returns an error if a required flag is missing, or if a flag was given without another one that it needs.
func checkMissing(cmd *cobra.Command, _ []string, f *pflag.Flag, s *settings.Setting) error {
	if required := s.Tag("required"); required != "" && s.Field.IsZero() {
		return Usagef("%s", required)
	}
	if !f.Changed || s.Field.IsZero() && f.Value.Type() == "bool" {
		return nil
	}
	if only := strings.Fields(s.Tag("only")); len(only) > 0 && !anyGiven(cmd, only) {
		return Usagef("--%s: only with --%s", f.Name, strings.Join(only, " or --"))
	}
	wants := s.Tag("wants")
	if name, _, _ := strings.Cut(wants, " "); wants != "" && !anyGiven(cmd, []string{strings.TrimRight(name, ",")}) {
		if given := f.Value.String(); f.Value.Type() != "bool" {
			return Usagef("--%s %s: needs %s", f.Name, given, wants)
		}
		return Usagef("--%s: needs %s", f.Name, wants)
	}
	return nil
}

// anyGiven reports whether one of some flags was given. They are named with or without hyphens.
func anyGiven(cmd *cobra.Command, names []string) bool {
	given := false
	cmd.Flags().Visit(func(f *pflag.Flag) {
		for _, name := range names {
			given = given || strings.TrimLeft(name, "-") == f.Name || name == "-"+f.Shorthand
		}
	})
	return given
}
