package data

import (
	"fmt"
	"slices"

	"likc/cmd/likc/internal/cli"
	"likc/runtime/model/catalog"
	"likc/runtime/model/ssm"
	"likc/runtime/model/trials"

	"github.com/spf13/cobra"
)

// simulateSequence simulates a response for each row of a file, in its order. A response changes the model's states, and the columns that
// are computed from them.
func (f *simulateFlags) simulateSequence(cmd *cobra.Command, m *catalog.Model, s *catalog.Sequence) (*trials.Table, error) {
	if cmd.Flags().Changed("trials") {
		return nil, cli.Usagef("-n: not with --data, each row of which is a trial")
	}
	theta, err := cli.ParseTheta(m.Model, f.Theta)
	if err != nil {
		return nil, err
	}
	var scheme ssm.Scheme
	if p, ok := s.Process(); ok {
		if scheme, err = f.schemeOf(p); err != nil {
			return nil, err
		}
	} else if name := cli.FirstGiven(cmd, "scheme", "dt"); name != "" {
		return nil, cli.Usagef("--%s: %s draws choices alone; leave it out", name, m.Name)
	}
	cli.NoteGiven(cmd.ErrOrStderr(), m, s)
	given, err := f.ReadColumns(m, s, nil)
	if err != nil {
		return nil, err
	}
	t, supplied := s.Blank(given)
	params := make([][]float64, len(theta))
	for j := range theta {
		params[j] = theta[j : j+1]
	}
	err = s.Draw(cmd.Context(), ssm.NewRand(f.Seed, 0), s.By(scheme), params, t, supplied)
	switch {
	case cmd.Context().Err() != nil:
		return nil, errInterrupted
	case err != nil:
		return nil, fmt.Errorf("%s at --theta %s: %w", m.Name, f.Theta, err)
	}
	out := &trials.Table{Symbols: slices.Concat(m.DataColumns(), s.Supplied()), Columns: append(t.Columns, supplied...), ChoiceSymbol: m.Choice, Choice: t.Choice,
		SubjectColumn: given.SubjectColumn, Subjects: given.Subjects}
	return out, nil
}
