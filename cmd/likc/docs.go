package main

import (
	"fmt"
	"os"
	"strings"

	"likc/cmd/likc/internal/cli"
	"likc/runtime/sys/store"
	"likc/runtime/sys/version"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// docsFlags are the flags of the command docs.
type docsFlags struct {
	Man bool `flag:"man" help:"manual pages, section 1"`
}

// newDocs returns the command that writes the reference pages.
func newDocs() *cobra.Command {
	return cli.Command(&docsFlags{}, &cobra.Command{
		Use:    "docs DIR",
		Short:  "Write a page for every command into DIR: Markdown, or manual pages with --man",
		Hidden: true,
		Args:   cli.Exactly("DIR"),
	})
}

// Run writes the pages to the folder args[0].
func (f *docsFlags) Run(_ *cobra.Command, args []string) error {
	if err := os.MkdirAll(args[0], 0o777); err != nil {
		return fmt.Errorf("%s: %w", args[0], store.Cause(err))
	}
	return writePages(args[0], f.Man)
}

// writePages writes a page for every command that help lists.
func writePages(dir string, man bool) error {
	root := newRoot()
	root.DisableAutoGenTag = true // the tag holds the date, which would make two builds differ
	root.InitDefaultHelpCmd()
	root.InitDefaultVersionFlag()
	root.CompletionOptions.DisableDefaultCmd = true
	fenceTables(root)
	if man {
		return doc.GenManTree(root, &doc.GenManHeader{Section: "1", Source: "likc " + version.Get().Version, Manual: "likc"}, dir)
	}
	return doc.GenMarkdownTree(root, dir)
}

// fenceTables puts the indented lines of every command's description, which are tables and examples, into code blocks, so that
// Markdown does not join them.
func fenceTables(cmd *cobra.Command) {
	var out []string
	fenced := false
	for _, line := range strings.Split(cmd.Long, "\n") {
		indented := strings.HasPrefix(line, "  ")
		if indented != fenced {
			out = append(out, "```")
			fenced = indented
		}
		out = append(out, line)
	}
	if fenced {
		out = append(out, "```")
	}
	cmd.Long = strings.Join(out, "\n")
	for _, c := range cmd.Commands() {
		fenceTables(c)
	}
}
