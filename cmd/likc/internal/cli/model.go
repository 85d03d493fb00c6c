package cli

import (
	"errors"
	"fmt"

	"likc/runtime/catalog"
	"likc/runtime/interrupt"
	"likc/search/judge"
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

func ReadVerdicts(path string) ([]*judge.Verdict, error) {
	return interrupt.Reading(func() ([]*judge.Verdict, error) { return judge.ReadFile(path) })
}
