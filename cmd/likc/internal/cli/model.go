package cli

import (
	"errors"
	"fmt"
	"io"

	"likc/runtime/catalog"
	"likc/runtime/interrupt"
	"likc/runtime/neural"
	"likc/search/judge"
	"likc/search/teacher/gate"
)

// ReadModel finds MODEL: what [catalog.Open] knows, but for processes without a likelihood.
func ReadModel(arg string) (*catalog.Model, error) {
	m, err := interrupt.Reading(func() (*catalog.Model, error) { return catalog.Open(arg) })
	if errors.As(err, new(catalog.ChoiceError)) {
		return nil, UsageError{err}
	}
	if err == nil {
		err = m.Usable()
	}
	return m, err
}

// ReadExpression is readModel for commands that need an expression.
func ReadExpression(arg string) (*catalog.Model, error) {
	m, err := ReadModel(arg)
	if err != nil {
		return nil, err
	}
	if _, ok := m.Expression(); !ok {
		return nil, fmt.Errorf("%s, not an expression: there is nothing to compile; likc eval takes it", m.What())
	}
	return m, nil
}

// NoteGate says on stderr if MODEL is a teacher that has not passed its gate: what it estimates may be wrong.
func NoteGate(stderr io.Writer, m *catalog.Model, arg string) error {
	if m.Origin.Kind != catalog.Teacher {
		return nil
	}
	t, err := neural.Open(arg)
	if err != nil {
		return err
	}
	if _, err := gate.Admitted(arg, t); err != nil {
		fmt.Fprintf(stderr, "likc: note: %v: what is estimated with this teacher may be wrong\n", err)
	}
	return nil
}

func ReadVerdicts(path string) ([]*judge.Verdict, error) {
	return interrupt.Reading(func() ([]*judge.Verdict, error) { return judge.ReadFile(path) })
}
