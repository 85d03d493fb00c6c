package ssm

import (
	"context"
	"fmt"
	"math/rand/v2"
)

// Program draws trials of one model outside likc. It is safe for concurrent use.
type Program interface {
	// Draw fills rt, in seconds, and choice with independent trials at the request's parameters.
	Draw(ctx context.Context, ask Request, rt, choice []float64) error
}

// Request is a request for trials to a program.
type Request struct {
	Model   *Model
	Seed    uint64 // below 2³¹, so that random number generators of all languages accept it
	Theta   []float64
	Columns map[string][]float64 // further trial columns besides response times, by name, with one number for each trial; nil for none
}

// programKey is the key of a context's program.
type programKey struct{}

// WithProgram returns a context in which a program draws the trials of models that likc cannot simulate itself
// ([Model.Outside]).
func WithProgram(ctx context.Context, p Program) context.Context {
	return context.WithValue(ctx, programKey{}, p)
}

// From returns the model itself, or, if a program outside likc draws the model's trials, a copy that uses the
// program of ctx. The result can draw trials without a context.
func (m *Model) From(ctx context.Context) *Model {
	p, ok := ctx.Value(programKey{}).(Program)
	if !m.Outside || !ok {
		return m
	}
	out := *m
	out.program = p
	return &out
}

// ask draws trials with the program of the context, or with the model's program.
func (m *Model) ask(ctx context.Context, r *rand.Rand, theta []float64, columns map[string][]float64, rt, choice []float64) error {
	p, _ := ctx.Value(programKey{}).(Program)
	if p == nil {
		p = m.program
	}
	if p == nil {
		return fmt.Errorf("simulate %s: the model does not say how its trials come about; --exec CMD names a program that draws them", m.Name)
	}
	if err := m.Check(theta); err != nil {
		return fmt.Errorf("simulate: %w", err)
	}
	return p.Draw(ctx, Request{Model: m, Seed: r.Uint64() >> 33, Theta: theta, Columns: columns}, rt, choice)
}
