package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"likc/runtime/sys/store"
	"likc/runtime/sys/units"
)

// PartFlags are the flags of a command whose work can be divided. Tasks on a cluster do parts of the work, and the command
// itself joins their results.
type PartFlags struct {
	Text  string   `flag:"part" value:"K/N" not:"parts" hidden:"true" help:"do only the part K/N of the work, and write only that"`
	Files []string `flag:"parts" value:"FILE,FILE…" list:"comma" hidden:"true" help:"take the work from the outputs of all parts, FILE,FILE…, in their order"`
	StartFlag

	Part units.Part // the part that Text names; Parse sets it
}

// StartFlag is the flag by which a task on a cluster starts in the folder of the command that submitted it.
type StartFlag struct {
	Start string `flag:"start-in" value:"DIR" hidden:"true" help:"start in the folder DIR: all paths but those of outputs are relative to it"`
}

// EnterStartFolder goes to the folder of the flag. The paths of outputs become absolute first, because they are not relative to that
// folder.
func (f *StartFlag) EnterStartFolder(outputs ...*string) (err error) {
	if f.Start == "" {
		return nil
	}
	for _, path := range outputs {
		if *path == "" {
			continue
		}
		if *path, err = filepath.Abs(*path); err != nil {
			return err
		}
	}
	if err := os.Chdir(f.Start); err != nil {
		return fmt.Errorf("--start-in %s: %w", f.Start, store.Cause(err))
	}
	return nil
}

// IsPartFlag reports whether a flag is one of PartFlags.
func IsPartFlag(name string) bool {
	return slices.Contains([]string{"part", "parts", "start-in"}, name)
}

// Given reports whether the user gave one of the flags.
func (f *PartFlags) Given() bool { return f.Text != "" || len(f.Files) > 0 }

// Parse reads the flags. output is the value of --output. It becomes an absolute path if the program is to work in another folder.
func (f *PartFlags) Parse(output *string) (err error) {
	if err := f.EnterStartFolder(output); err != nil || f.Text == "" {
		return err
	}
	if f.Part, err = units.ParsePart(f.Text); err != nil {
		return Usagef("--part %w", err)
	}
	return nil
}
