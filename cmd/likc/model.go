package main

import (
	"errors"
	"fmt"
	"os"

	"likc/runtime/catalog"
	"likc/search/judge"
)

// readModel finds MODEL: what [catalog.Open] knows.
func readModel(arg string) (*catalog.Model, error) {
	m, err := reading(func() (*catalog.Model, error) { return catalog.Open(arg) })
	if errors.As(err, new(catalog.ChoiceError)) {
		return nil, usageError{err}
	}
	return m, err
}

// readExpression is readModel for commands that need an expression.
func readExpression(arg string) (*catalog.Model, error) {
	m, err := readModel(arg)
	if err != nil {
		return nil, err
	}
	if _, ok := m.Expression(); !ok {
		return nil, fmt.Errorf("%s: %s, not an expression: there is nothing to compile; likc eval takes it", arg, m.Origin.Kind)
	}
	return m, nil
}

// plain drops the operation and the paths that os errors repeat, which may be those of hidden files.
func plain(err error) error {
	var path *os.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		return path.Err
	case errors.As(err, &link):
		return link.Err
	}
	return err
}

func readVerdicts(path string) ([]*judge.Verdict, error) {
	return reading(func() ([]*judge.Verdict, error) { return judge.ReadFile(path) })
}
