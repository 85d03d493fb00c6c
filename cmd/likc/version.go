package main

import (
	"fmt"
	"io"
	"strings"

	"likc/cmd/likc/internal/cli"
	"likc/runtime/sys/version"

	"github.com/spf13/cobra"
)

func newVersion() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version, the Go toolchain and the instruction set in use",
		Long: "Version prints the release or commit that the program was built from, the Go toolchain that built it, the platform, and the\n" +
			"instruction set that its kernels use. Name them when you report a problem.",
		Args: cli.Exactly(),
		RunE: func(cmd *cobra.Command, args []string) error {
			if asJSON {
				return cli.PrintJSON(cmd.OutOrStdout(), version.Get())
			}
			return printVersion(cmd.OutOrStdout(), version.Get())
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func printVersion(w io.Writer, i version.Info) error {
	plugins := "without cgo: it opens no plugins"
	if i.Cgo {
		plugins = "with cgo"
	}
	_, err := fmt.Fprintf(w, "likc %s\n%s %s, %s\nkernels use %s code\n", versionLine(i), i.Go, i.Platform, plugins, i.Kernels)
	return err
}

// versionLine is the version, with the commit if that says more.
func versionLine(i version.Info) string {
	if i.Commit == "" || strings.Contains(i.Version, i.Commit[:12]) {
		return i.Version
	}
	return i.Version + " (commit " + i.Commit[:12] + ")"
}
