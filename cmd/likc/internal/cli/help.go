package cli

import (
	"cmp"
	"fmt"
	"strings"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// SetHelp makes root and its commands print examples first, and list flags in groups.
func SetHelp(root *cobra.Command) {
	cobra.AddTemplateFunc("groupedFlags", groupedFlags)
	usage := root.UsageTemplate()
	usage = strings.Replace(usage, "{{if .HasExample}}\n\nExamples:\n{{.Example}}{{end}}", "", 1)
	usage = strings.Replace(usage, "Flags:\n{{.LocalFlags.FlagUsages | trimTrailingWhitespaces}}", "{{groupedFlags .LocalFlags | trimTrailingWhitespaces}}", 1)
	root.SetUsageTemplate(usage)
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) { fmt.Fprint(cmd.OutOrStdout(), helpOf(cmd)) })
}

// helpOf returns the help of a command: examples, description, usage and flags. The text is printed by one call, so that a full disk gives
// one error.
func helpOf(cmd *cobra.Command) string {
	var out strings.Builder
	if cmd.Example != "" {
		out.WriteString("Examples:\n" + cmd.Example + "\n\n")
	}
	if text := strings.TrimRightFunc(cmp.Or(cmd.Long, cmd.Short), unicode.IsSpace); text != "" {
		out.WriteString(text + "\n\n")
	}
	out.WriteString(cmd.UsageString())
	return out.String()
}

// flagTitles are the titles of groups of flags, in the order of help. Flags that belong to no group are listed below the first
// title.
var flagTitles = []string{"Flags", "Data", "Priors, ranges and formulas", "Lapses and deadlines", "Predictions", "Sampler", "Cluster"}

// groupedFlags lists flags: those of no group first, then each group below its title.
func groupedFlags(all *pflag.FlagSet) string {
	groups := map[string]*pflag.FlagSet{}
	for _, title := range flagTitles {
		groups[title] = pflag.NewFlagSet(title, pflag.ContinueOnError)
	}
	all.VisitAll(func(f *pflag.Flag) {
		title := flagTitles[0]
		if s := SettingOf(f); s != nil {
			title = cmp.Or(s.Tag("title"), title)
		}
		groups[title].AddFlag(f)
	})
	var out strings.Builder
	for _, title := range flagTitles {
		if groups[title].HasAvailableFlags() {
			out.WriteString(title + ":\n" + groups[title].FlagUsages() + "\n")
		}
	}
	return out.String()
}
