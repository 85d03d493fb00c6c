package cli

import (
	"errors"
	"io"
	"testing"

	"github.com/spf13/cobra"
)

// example has a setting for each tag that restricts which flags may be given together.
type example struct {
	Data    string   `flag:"data" required:"--data: missing; name a file" help:"data"`
	Dir     string   `flag:"output,o" value:"DIR" help:"DIR to write"`
	Formula []string `flag:"formula" not:"preset" help:"formula"`
	Preset  string   `flag:"preset" help:"preset"`
	Link    string   `flag:"link" only:"formula preset" help:"link"`
	PNG     bool     `flag:"png" wants:"-o DIR, where figures are written" help:"png"`
	N       int      `flag:"trials,n" called:"-n" wants:"--data" in:"[1,10]" help:"trials"`
	ran     bool
}

func (e *example) Run(*cobra.Command, []string) error { e.ran = true; return nil }

// TestCheckSettings: if two flags exclude each other, or a flag needs another one, the error names them and the command does not run.
func TestCheckSettings(t *testing.T) {
	for _, c := range []struct {
		want string
		args []string
	}{
		{"", []string{"--data=f", "-n3", "--formula=v", "--formula=a", "--link=log"}},
		{"", []string{"--data=f", "--png=false"}},
		{"--data: missing; name a file", nil},
		{"--formula and --preset: give one of them", []string{"--data=f", "--preset=p", "--formula=v"}},
		{"--link: only with --formula or --preset", []string{"--data=f", "--link=log"}},
		{"--png: needs -o DIR, where figures are written", []string{"--data=f", "--png"}},
		{"", []string{"--data=f", "--png", "-o", "dir"}},
		{"-n 11: want 1 to 10", []string{"--data=f", "-n", "11"}},
		{"-n, --trials: \"x\" is not a whole number; see likc try --help", []string{"-n", "x"}},
	} {
		e := &example{}
		root := &cobra.Command{Use: "likc", SilenceErrors: true, SilenceUsage: true, PersistentPreRunE: CheckSettings}
		root.SetFlagErrorFunc(FlagError)
		root.AddCommand(Command(e, &cobra.Command{Use: "try"}))
		root.SetArgs(append([]string{"try"}, c.args...))
		root.SetOut(io.Discard)
		got := ""
		if err := root.Execute(); err != nil {
			got = err.Error()
			if !errors.As(err, new(UsageError)) {
				t.Errorf("%q: not an error of usage", got)
			}
		}
		if got != c.want || e.ran != (c.want == "") {
			t.Errorf("%q: %q, want %q; ran: %v", c.args, got, c.want, e.ran)
		}
	}
}
