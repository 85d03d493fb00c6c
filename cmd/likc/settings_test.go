package main

import (
	"strings"
	"testing"

	"likc/cmd/likc/internal/cli"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// TestNumbersHaveBounds: for every number and time that a user can give, the tags of the setting have bounds. Only seeds may be any number.
func TestNumbersHaveBounds(t *testing.T) {
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			s := cli.SettingOf(f)
			switch {
			case s == nil && f.Name != "help" && f.Name != "version":
				t.Errorf("%s --%s: belongs to no setting", cmd.CommandPath(), f.Name)
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
