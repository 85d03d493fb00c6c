package main

import (
	"strings"
	"testing"

	"likc/cmd/likc/internal/cli"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// TestNumbersHaveBounds: every number and every time that a user can give is checked by the tags of its setting, but for seeds, which may
// be any.
func TestNumbersHaveBounds(t *testing.T) {
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			s := cli.SettingOf(f)
			switch {
			case s == nil && f.Name != "help" && f.Name != "version":
				t.Errorf("%s --%s: of no setting", cmd.CommandPath(), f.Name)
			case s == nil || f.Name == "seed" || !strings.Contains("int int64 uint64 float64 ints floats duration", f.Value.Type()):
			case s.Tag("in") == "" && !s.Checks():
				t.Errorf("%s --%s: has no bounds", cmd.CommandPath(), f.Name)
			}
		})
		for _, c := range cmd.Commands() {
			visit(c)
		}
	}
	visit(newRoot())
}
