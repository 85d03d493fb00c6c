package cli

import (
	"fmt"
	"io"
	"strings"

	"likc/runtime/model/catalog"
	"likc/runtime/model/trials"
	"likc/runtime/sys/interrupt"
)

// ColumnFlags name the data file with the columns that simulated trials depend on.
type ColumnFlags struct {
	Data    string `flag:"data" value:"FILE" help:"trials with the columns on which those of MODEL depend, one a row; their response times and choices are not read"`
	Subject string `flag:"subject" help:"with --data: column of the subjects, each of whom carries states of their own (default: the one that is named so)"`
}

// ReadColumns reads the columns that trials of a model depend on, and the columns whose names are in extra.
func (f *ColumnFlags) ReadColumns(m *catalog.Model, s *catalog.Sequence, extra []string) (*trials.Table, error) {
	o := trials.Options{Trials: s.Needed(), Labels: len(m.Restarts()), Persons: true, Subject: f.Subject, Extra: extra}
	return interrupt.WhileReading(func() (*trials.Table, error) { return trials.Read(f.Data, o) })
}

// NoteGiven prints a remark on stderr for each column that changes a model's states and is copied from the data, although the simulated
// choices differ from those of the data. A state is a number that the model carries from trial to trial.
func NoteGiven(stderr io.Writer, m *catalog.Model, s *catalog.Sequence) {
	for _, name := range s.Unexplained() {
		fmt.Fprintf(stderr, "likc: note: %s: %s is taken from the data whatever is chosen. If choices lead to it, write trial %[2]s = …, as in reward = if(0 < c, ra, rb)\n", m.Name, name)
	}
}

// NeedsColumns returns the error that a model's trials cannot be simulated without a data file.
func NeedsColumns(m *catalog.Model, s *catalog.Sequence) error {
	names := s.Needed()
	if len(names) == 0 {
		return Usagef("--data: missing; trials of %s depend on those before them: name a file with a row a trial", m.Name)
	}
	return Usagef("--data: missing; trials of %s depend on columns: name a file with %s", m.Name, strings.Join(names, ", "))
}
