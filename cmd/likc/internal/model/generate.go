package model

import (
	"fmt"
	"os"
	"path/filepath"

	"likc/cmd/likc/internal/cli"
	"likc/compiler/emit"
	"likc/runtime/model/bound"
	"likc/runtime/model/catalog"
	"likc/runtime/sys/store"
	"likc/runtime/sys/version"
	"likc/testdata"

	"github.com/spf13/cobra"
)

// NewGenerate returns the command generate.
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

// Generate writes the package of every built-in model, and the registry that links them, and replaces the files there.
func Generate(dir string) error {
	var models []*catalog.Model
	for _, name := range testdata.ModelNames() {
		m, err := cli.ReadModel(name)
		if err != nil {
			return err
		}
		models = append(models, m)
	}
	packages, err := bound.Packages(version.Module(), models)
	if err != nil {
		return err
	}
	for name, files := range packages {
		target := filepath.Join(dir, name)
		if err := os.RemoveAll(target); err != nil {
			return fmt.Errorf("%s: %w", target, store.Cause(err))
		}
		if err := emit.WriteFolder(target, files, false); err != nil {
			return err
		}
	}
	return nil
}
