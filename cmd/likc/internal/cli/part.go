package cli

import (
	"likc/search/units"

	"github.com/spf13/cobra"
)

// PartFlags are those of a command whose work can be divided: a cluster's tasks do parts of it, and the command itself puts them
// together.
type PartFlags struct {
	Part  units.Part
	Files []string // outputs of all parts
	text  string
}

// Add adds the flags, which are for programs.
func (f *PartFlags) Add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.text, "part", "", "do only the part `K/N` of the work, and write only that")
	flags.StringSliceVar(&f.Files, "parts", nil, "take the work from the outputs of all parts, `FILE,FILE…`, in their order")
	flags.MarkHidden("part")
	flags.MarkHidden("parts")
}

// Given reports whether one of the flags is there.
func (f *PartFlags) Given() bool { return f.text != "" || len(f.Files) > 0 }

// Check reads the flags.
func (f *PartFlags) Check() (err error) {
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
