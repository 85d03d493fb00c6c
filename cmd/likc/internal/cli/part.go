package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"likc/runtime/sys/store"
	"likc/runtime/sys/units"

	"github.com/spf13/cobra"
)

// PartFlags are those of a command whose work can be divided: a cluster's tasks do parts of it, and the command itself puts them
// together.
type PartFlags struct {
	Part  units.Part
	Files []string // outputs of all parts
	text  string
	start string
}

// Add adds the flags, which are for programs.
func (f *PartFlags) Add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.text, "part", "", "do only the part `K/N` of the work, and write only that")
	flags.StringSliceVar(&f.Files, "parts", nil, "take the work from the outputs of all parts, `FILE,FILE…`, in their order")
	flags.StringVar(&f.start, "start-in", "", "start in the folder `DIR`, which paths but that of --output count from")
	for _, name := range partFlags {
		flags.MarkHidden(name)
	}
}

var partFlags = []string{"part", "parts", "start-in"}

// IsPartFlag reports whether a flag is one of PartFlags.
func IsPartFlag(name string) bool { return slices.Contains(partFlags, name) }

// Given reports whether one of the flags is there.
func (f *PartFlags) Given() bool { return f.text != "" || len(f.Files) > 0 }

// Check reads the flags. output is the value of --output, which becomes absolute where the program is to start elsewhere.
func (f *PartFlags) Check(output *string) (err error) {
	if f.start != "" {
		if *output, err = filepath.Abs(*output); err != nil {
			return err
		}
		if err := os.Chdir(f.start); err != nil {
			return fmt.Errorf("--start-in %s: %w", f.start, store.Cause(err))
		}
	}
	switch {
	case f.text != "" && len(f.Files) > 0:
		return Usagef("--part and --parts: want one of them")
	case f.text == "":
		return nil
	}
	if f.Part, err = units.ParsePart(f.text); err != nil {
		return Usagef("--part %w", err)
	}
	return nil
}
