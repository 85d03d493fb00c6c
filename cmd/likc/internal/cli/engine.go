package cli

import (
	"errors"

	"likc/runtime/model/bound"
	"likc/runtime/model/catalog"
)

// Engine is the name of an engine that evaluates expressions, "" for the default.
type Engine string

// Check returns an error if there is no engine of that name.
func (e Engine) Check() error {
	_, err := bound.Parse(string(e))
	return err
}

// CheckNone returns an error if an engine is chosen for a model that can be evaluated in only one way.
func (e Engine) CheckNone(m *catalog.Model) error {
	if e == "" {
		return nil
	}
	return Usagef("--engine %s: %s and %w; leave the flag out", e, m.What(), bound.ErrOneEngine)
}

// OpenEngine prepares a model for the engine that --engine names. The argument otherwise is the engine if the flag was
// not given.
func OpenEngine(m *catalog.Model, name string, otherwise bound.Engine) (*bound.Prepared, error) {
	e, err := bound.Parse(name)
	if err != nil {
		return nil, Usagef("--engine %w", err)
	}
	if e == bound.Auto {
		e = otherwise
	}
	b, err := bound.Open(m, e)
	if errors.Is(err, bound.ErrOneEngine) {
		return nil, Usagef("--%w; leave the flag out", err)
	}
	return b, err
}
