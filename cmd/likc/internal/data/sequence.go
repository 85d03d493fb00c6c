package data

import (
	"fmt"
	"slices"

	"likc/cmd/likc/internal/cli"
	"likc/runtime/model/catalog"
	"likc/runtime/model/ssm"
	"likc/runtime/model/trials"
	"likc/runtime/sys/interrupt"

	"github.com/spf13/cobra"
)

// columnFlags say which data have the columns that trials of a model depend on.
type columnFlags struct {
	Data    string `flag:"data" value:"FILE" help:"trials with the columns on which those of MODEL depend, one a row; their response times and choices are not read"`
	Subject string `flag:"subject" help:"with --data: column of the subjects, each of whom carries states of their own (default: the one that is named so)"`
}

// simulateSequence draws a response to each row of a file, in its order: responses change states, and columns that are computed from them.
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
		if scheme, err = f.of(p); err != nil {
			return nil, err
		}
	} else if name := cli.FirstGiven(cmd, "scheme", "dt"); name != "" {
		return nil, cli.Usagef("--%s: %s draws choices alone; leave it out", name, m.Name)
	}
	o := trials.Options{Trials: s.Needed(), Labels: len(m.Restarts()), Persons: true, Subject: f.Subject}
	given, err := interrupt.Reading(func() (*trials.Table, error) { return trials.Read(f.Data, o) })
	if err != nil {
		return nil, err
	}
	t, supplied := s.Blank(given)
	params := make([][]float64, len(theta))
	for j := range theta {
		params[j] = theta[j : j+1]
	}
	err = s.Draw(cmd.Context(), ssm.NewRand(f.Seed, 0), scheme, params, t, supplied)
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
