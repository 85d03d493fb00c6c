package main

import (
	"fmt"
	"io"
	"strings"

	"likc/cmd/likc/internal/cli"
	"likc/runtime/sys/version"

	"github.com/spf13/cobra"
)

// versionFlags are the flags of the command version.
type versionFlags struct {
	JSON bool `flag:"json" help:"print JSON"`
}

func newVersion() *cobra.Command {
	return cli.Command(&versionFlags{}, &cobra.Command{
		Use:   "version",
		Short: "Print the version, the Go toolchain and the instruction set in use",
		Long: "Print the release or commit that the program was built from, the Go toolchain that built it, the platform, and the\n" +
			"instruction set that its kernels use. Name them when you report a problem.",
		Args: cli.Exactly(),
	})
}

// Run prints the version.
func (f *versionFlags) Run(cmd *cobra.Command, _ []string) error {
	if f.JSON {
		return cli.PrintJSON(cmd.OutOrStdout(), version.Get())
	}
	return printVersion(cmd.OutOrStdout(), version.Get())
}

func printVersion(w io.Writer, i version.Info) error {
	plugins := "without cgo: it opens no plugins"
	if i.Cgo {
		plugins = "with cgo"
	}
	_, err := fmt.Fprintf(w, "likc %s\n%s %s, %s\nkernels use %s code\n", versionLine(i), i.Go, i.Platform, plugins, i.Kernels)
	return err
}

// versionLine returns the version, and the commit if that says more.
func versionLine(i version.Info) string {
	if i.Commit == "" || strings.Contains(i.Version, i.Commit[:12]) {
		return i.Version
	}
	return i.Version + " (commit " + i.Commit[:12] + ")"
}
