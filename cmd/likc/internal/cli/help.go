package cli

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// SetHelp makes root and its commands print examples first, and list flags in groups. Usage is printed without a template, because cobra's
// templates call methods by names that the linker does not know, so that it would keep every method of the program.
func SetHelp(root *cobra.Command) {
	root.SetUsageFunc(func(cmd *cobra.Command) error {
		_, err := io.WriteString(cmd.OutOrStderr(), usageOf(cmd))
		return err
	})
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) { fmt.Fprint(cmd.OutOrStdout(), helpOf(cmd)) })
}

// usageOf returns how a command is called, its commands and its flags.
func usageOf(cmd *cobra.Command) string {
	var out strings.Builder
	// Both calls also merge the flags of parents, which UseLine needs.
	local, inherited := groupedFlags(cmd.LocalFlags()), cmd.InheritedFlags().FlagUsages()
	out.WriteString("Usage:")
	if cmd.Runnable() {
		out.WriteString("\n  " + cmd.UseLine())
	}
	if cmd.HasAvailableSubCommands() {
		out.WriteString("\n  " + cmd.CommandPath() + " [command]")
	}
	out.WriteString(commandsOf(cmd))
	if cmd.HasAvailableLocalFlags() {
		out.WriteString("\n\n" + strings.TrimRightFunc(local, unicode.IsSpace))
	}
	if cmd.HasAvailableInheritedFlags() {
		out.WriteString("\n\nGlobal Flags:\n" + strings.TrimRightFunc(inherited, unicode.IsSpace))
	}
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(&out, "\n\nUse \"%s [command] --help\" for more information about a command.", cmd.CommandPath())
	}
	out.WriteString("\n")
	return out.String()
}

// commandsOf lists the commands of a command below the titles of their groups. Those of no group come last.
func commandsOf(cmd *cobra.Command) string {
	last := "Available Commands:"
	if len(cmd.Groups()) > 0 {
		last = "Additional Commands:"
	}
	var out strings.Builder
	for _, group := range append(cmd.Groups(), &cobra.Group{Title: last}) {
		title := "\n\n" + group.Title
		for _, c := range cmd.Commands() {
			if c.GroupID == group.ID && (c.IsAvailableCommand() || c.Name() == "help") {
				fmt.Fprintf(&out, "%s\n  %-*s %s", title, c.NamePadding(), c.Name(), c.Short)
				title = ""
			}
		}
	}
	return out.String()
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
