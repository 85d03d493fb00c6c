package bound

import (
	"context"
	"fmt"
	"math/rand/v2"

	"likc/compiler/expr"
	"likc/runtime/model/catalog"
	"likc/runtime/model/kernel"
)

// Wrapper makes another density of one, and what belongs to that: lapses and deadlines are wrappers. It is a value, and knows nothing of data.
type Wrapper interface {
	// Check says why the model cannot be wrapped.
	Check(p *Prepared) error
	// Params are the wrapper's own parameters, which come after the model's.
	Params() []expr.Param
	// Early reports whether a trial may come before the model's onset. The model's conditions hold no longer then, and trials end the range of
	// an onset at their median instead of their least.
	Early() bool
	// Kernel is the new density. k is that of model m; its parameters come first. The new one has rows alone, each a trial by itself.
	Kernel(m *catalog.Model, k kernel.Kernel) kernel.Kernel
	// Draw draws trials of the new density, given what draws those of model m.
	Draw(m *catalog.Model, d Draw) Draw
}

// Draw fills rt, in seconds, and choice, of one length, with a trial for each of some rows of the data, at the parameters theta. rows is nil where
// all rows are alike, choice for a model without choice.
type Draw func(ctx context.Context, rng *rand.Rand, theta []float64, rows []int, rt, choice []float64) error

// With puts wrappers around the model, the first one inside. What was prepared is shared: closing one of both closes the other. Whatever the engine
// is, trials are evaluated row by row.
func (p *Prepared) With(all ...Wrapper) (*Prepared, error) {
	for _, w := range all {
		if err := w.Check(p); err != nil {
			return nil, err
		}
		if p.Model.Stateful() { // a trial's slopes are not those of its own row alone
			return nil, fmt.Errorf("%s has states: its trials depend on one another, so nothing can be put around each of them", p.Model.Name)
		}
		p = p.wrap(w)
	}
	return p, nil
}

func (p *Prepared) wrap(w Wrapper) *Prepared {
	out := &Prepared{Model: p.Model.Wrapped(w.Params(), w.Early()), Slow: p.Slow, wrapper: w, wrapped: p, held: p.held, masses: p.masses}
	of := p.kernel
	if p.inner != nil {
		of = p
	}
	out.kernel = w.Kernel(p.Model, of)
	return out
}

// Wrapped returns the outermost wrapper and what it is around; nil for a model without wrappers.
func (p *Prepared) Wrapped() (Wrapper, *Prepared) { return p.wrapper, p.wrapped }

// Bare returns the model without its wrappers.
func (p *Prepared) Bare() *Prepared {
	for p.wrapped != nil {
		p = p.wrapped
	}
	return p
}
