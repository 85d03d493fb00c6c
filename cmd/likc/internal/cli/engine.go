package cli

import (
	"errors"

	"likc/runtime/model/catalog"
	"likc/runtime/model/engine"
)

// Engine is a name of an engine of expressions, "" for the default.
type Engine string

// Check returns what is wrong with a name.
func (e Engine) Check() error {
	_, err := engine.Parse(string(e))
	return err
}

// OpenEngine prepares a model for the engine that --engine names; otherwise is the engine where it names none.
func OpenEngine(m *catalog.Model, name string, otherwise engine.Engine) (*engine.Binder, error) {
	e, err := engine.Parse(name)
	if err != nil {
		return nil, Usagef("--engine %w", err)
	}
	if e == engine.Auto {
		e = otherwise
	}
	b, err := engine.Open(m, e)
	if errors.Is(err, engine.ErrOneEngine) {
		return nil, Usagef("--%w; leave the flag out", err)
	}
	return b, err
}
