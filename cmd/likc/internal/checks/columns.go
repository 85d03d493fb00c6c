package checks

import (
	"slices"

	"likc/cmd/likc/internal/cli"
	"likc/runtime/fit"
	"likc/runtime/model/catalog"
	"likc/search/study"

	"github.com/spf13/cobra"
)

// readColumns reads columns of --data into the settings: those on which the model's trials depend, and those that the design's formulas name. With
// formulas, all participants of the data belong to one experiment.
func readColumns(f *cli.ColumnFlags, cmd *cobra.Command, m *catalog.Model, s *study.Settings, d *study.Design) error {
	sequence, dependent := m.Sequence()
	switch name := cli.FirstGiven(cmd, "data", "subject"); {
	case !dependent && name != "":
		return cli.Usagef("--%s: trials of %s depend on no columns; leave it out", name, m.Name)
	case !dependent:
		return nil
	case f.Data == "":
		return cli.NeedsColumns(m, sequence)
	}
	unused := []string{"trials", "column", "between"}
	if d.Asked() {
		unused = append(unused, "subjects")
	}
	if name := cli.FirstGiven(cmd, unused...); name != "" {
		return cli.Usagef("--%s: not with --data, each row of which is a trial with its columns", name)
	}
	var extra []string
	if d.Asked() {
		spec, err := fit.NewSpec(m, fit.Wishes{Priors: s.Priors, Ranges: s.Ranges, Fixed: s.Fixed, Formulas: d.Formulas, Links: d.Links, Preset: d.Preset})
		if err != nil {
			return cli.NameFlag(err)
		}
		extra = spec.Columns()
	}
	cli.NoteGiven(cmd.ErrOrStderr(), m, sequence)
	table, err := f.ReadColumns(m, sequence, extra)
	if err != nil {
		return err
	}
	s.Columns = &study.Columns{SHA256: table.Source.SHA256, Subject: f.Subject, Table: table}
	if d.Asked() {
		s.Subjects = 1
		if table.Person != nil {
			s.Subjects = int(slices.Max(table.Person)) + 1
		}
		s.Trials = table.N() / s.Subjects
	}
	return nil
}
