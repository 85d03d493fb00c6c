package bound

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"likc/compiler/expr"
	"likc/runtime/model/catalog"
	"likc/runtime/model/kernel"
)

// Wrapper turns one density into another, with the parameters and draws that belong to it. Lapses, which are responses unrelated to
// the task, and deadlines are wrappers. A wrapper does not depend on data.
type Wrapper interface {
	// Check returns an error if the model cannot be wrapped.
	Check(p *Prepared) error
	// Params returns the wrapper's own parameters, which come after the model's.
	Params() []expr.Param
	// Early reports whether a trial may come before the model's onset. If so, the model's conditions no longer hold, and the upper end
	// of an onset's range is the trials' median instead of their minimum.
	Early() bool
	// Kernel returns the new density. k is the kernel of model m, which evaluates its density; the parameters of k come first. The new
	// kernel has only rows, which are independent of each other.
	Kernel(m *catalog.Model, k kernel.Kernel) kernel.Kernel
	// Draw returns a function that draws trials of the new density. draw draws those of model m.
	Draw(m *catalog.Model, d Draw) Draw
}

// Draw fills rt, in seconds, and choice with one trial for each given row of the data, at the parameters theta. rows holds the rows'
// numbers; it is nil if all rows are alike. choice is nil for a model without choice.
type Draw func(ctx context.Context, rng *rand.Rand, theta []float64, rows []int, rt, choice []float64) error

// With returns the model with wrappers around it, the first one innermost. Both models share their resources: closing one closes
// the other. With any engine, trials are evaluated row by row.
func (p *Prepared) With(all ...Wrapper) (*Prepared, error) {
	for _, w := range all {
		if err := w.Check(p); err != nil {
			return nil, err
		}
		if p.Model.Stateful() && p.callee == nil { // a trial's slopes depend on earlier rows too
			return nil, fmt.Errorf("%s has states, and its log density is not one call: nothing can be put around each of its trials", p.Model.Name)
		}
		p = p.wrap(w)
	}
	return p, nil
}

// wrap returns the model with one wrapper around it.
func (p *Prepared) wrap(w Wrapper) *Prepared {
	out := &Prepared{Model: p.Model.Wrapped(w.Params(), w.Early()), wrapper: w, wrapped: p, held: p.held, masses: p.masses}
	switch {
	case p.callee != nil: // the wrapper goes around the called model, so that arguments and states are computed first
		args := slices.Clone(p.Model.Called.Calls[0].Args)
		for _, param := range out.Model.Params[len(p.Bare().Model.Params):] {
			args = append(args, expr.Var(param.Name))
		}
		out.call(p.callee.wrap(w), args)
	case p.inner != nil:
		out.kernel = w.Kernel(p.Model, p)
	default:
		out.kernel = w.Kernel(p.Model, p.kernel)
	}
	return out
}

// Callee returns the model whose density scores a response: the one that the log density calls, if it is one call; otherwise p.
func (p *Prepared) Callee() *Prepared {
	if p.callee != nil {
		return p.callee.Callee()
	}
	return p
}

// Wrapped returns the outermost wrapper and the model inside it; nil for a model without wrappers.
func (p *Prepared) Wrapped() (Wrapper, *Prepared) { return p.wrapper, p.wrapped }

// Bare returns the model without its wrappers.
func (p *Prepared) Bare() *Prepared {
	for p.wrapped != nil {
		p = p.wrapped
	}
	return p
}
