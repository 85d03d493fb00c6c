package model

import (
	"fmt"
	"likc/cmd/likc/internal/cli"
	"likc/compiler"
	"likc/compiler/emit"
	"likc/compiler/emit/gosrc"
	"likc/runtime/version"
	"likc/testdata"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
)

func NewGenerate() *cobra.Command {
	return &cobra.Command{
		Use:    "generate DIR",
		Short:  "Write the package of every built-in model, and their registry, anew",
		Hidden: true,
		Args:   cli.Exactly("DIR"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return Generate(args[0])
		},
	}
}

// Generate deletes what was generated before, to show that it can be made again, and writes every built-in model's package
// and the registry that links them.
func Generate(dir string) error {
	names := testdata.ModelNames()
	var entries []gosrc.Entry
	packages := map[string][]emit.File{}
	for _, name := range names {
		src, err := cli.ReadModel(name)
		if err != nil {
			return err
		}
		u, err := compiler.Compile(src.Model, compiler.Options{})
		if err != nil {
			return err
		}
		files, err := u.Files(gosrc.Emitter{}, emit.Config{Package: name, Source: src.Origin.File, Text: src.Origin.Text, ISA: emit.AutoISA})
		if err != nil {
			return err
		}
		packages[name] = files
		entries = append(entries, gosrc.Entry{Name: name, Trials: len(src.Trials), Choice: src.Choice != ""})
	}
	registry, err := gosrc.Registry(version.Module(), entries)
	if err != nil {
		return err
	}
	packages["all"] = []emit.File{registry}
	for name, files := range packages {
		target := filepath.Join(dir, name)
		if err := os.RemoveAll(target); err != nil {
			return fmt.Errorf("%s: %w", target, cli.Plain(err))
		}
		if err := writeFolder(target, files, false); err != nil {
			return err
		}
	}
	return nil
}
