package cli

import (
	"errors"

	"likc/runtime/model/catalog"
	"likc/runtime/model/engine"
)

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
