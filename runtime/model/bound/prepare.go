// Package bound prepares a model once and binds many sets of trials to it.
//
//	Prepare(model, engine) ─▶ Prepared ─Bind(trials, design)─▶ Bound, a log-likelihood of the design's coefficients
//
// Preparing takes long, because it compiles, builds and loads; binding is quick. One evaluation goes this way, and back for the gradient:
//
//	coefficients ─predictors─▶ model's parameters ─map─▶ kernel's parameters ─kernel─▶ log density of a trial
//
// A kernel evaluates the log density of trials. A model without an expression is its own kernel: an exact density, or a teacher, which
// is a trained network.
package bound

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"likc/runtime/model/catalog"
	"likc/runtime/model/kernel"
)

// ErrOneEngine is the error that an engine was chosen for a model without an expression, which has only one.
var ErrOneEngine = errors.New("has one engine")

// Prepared is a model whose density can be bound to trials. It is safe for concurrent use, except for Close.
type Prepared struct {
	Model *catalog.Model

	kernel  kernel.Kernel
	inner   kernel.Map // the map from the model's parameters to the kernel's; nil if they are the same
	silence *silence   // identifies the model's trials without a response; nil for a model that has none
	held    *held      // the loaded packages and processes
	masses  *massesOf  // integrals of the density at a few points
	own     *ownPoints // tables from which trials of a normalised model are drawn; nil with lapses, or if the expression is evaluated at calibrated parameters
	callee  *Prepared  // the called model, if the log density is a single call; else nil
	wrapper Wrapper    // the outermost wrapper, such as one that adds lapses; nil for none
	wrapped *Prepared  // the prepared model inside the outermost wrapper
}

// held holds the resources of an open model, such as a loaded package. A model shares them with its wrapped versions.
type held struct {
	all    []resource
	closed sync.Once
	err    error // the error of closing
}

// resource is something that must be closed, such as a process. Err says why it failed.
type resource interface {
	Err() error
	Close() error
}

// Open prepares a model as Prepare does, but building cannot be interrupted.
func Open(m *catalog.Model, e Engine) (*Prepared, error) {
	return Prepare(context.Background(), m, e)
}

// Prepare prepares a model for an engine. If ctx ends while it builds, it returns the error of ctx.
func Prepare(ctx context.Context, m *catalog.Model, e Engine) (*Prepared, error) {
	if k, ok := m.Density(); ok {
		if e != Auto && e != Ready {
			return nil, fmt.Errorf("engine %s: %s and %w", e, m.What(), ErrOneEngine)
		}
		return newPrepared(m, k), nil
	}
	if err := m.Usable(); err != nil {
		return nil, err
	}
	if m.Called != nil {
		return prepareCalled(ctx, m, e)
	}
	if m.Normalise {
		return prepareNormalised(ctx, m, e)
	}
	x, err := newExpression(ctx, m, e)
	if err != nil {
		return nil, err
	}
	return ofExpression(m, x), nil
}

// newPrepared returns a prepared model with the given kernel.
func newPrepared(m *catalog.Model, k kernel.Kernel, all ...resource) *Prepared {
	return &Prepared{Model: m, kernel: k, held: &held{all: all}, masses: &massesOf{}}
}

// ofExpression returns a prepared model whose kernel is its expression.
func ofExpression(m *catalog.Model, x *expression) *Prepared {
	p := newPrepared(m, x, x)
	p.silence = silenceOf(m.Model)
	return p
}

// Rows binds trials to the log density row by row, where each parameter may differ from row to row. An expression is interpreted,
// with any engine.
func (p *Prepared) Rows(t kernel.Trials) (kernel.Rows, error) {
	rows, err := p.kernel.Rows(t)
	if err != nil || p.inner == nil {
		return rows, err
	}
	return newMapped(rows, p.inner, t, p.Dim())
}

// Err returns the reason why evaluations failed, for example that the process that computes them has ended. Failed evaluations return NaN.
func (p *Prepared) Err() error {
	for _, r := range p.held.all {
		if err := r.Err(); err != nil {
			return err
		}
	}
	return nil
}

// Slow returns the reason why sums that were bound are interpreted although Auto prefers a compiled package; nil if there are none.
func (p *Prepared) Slow() error {
	for _, r := range p.held.all {
		if x, ok := r.(interface{ Slow() error }); ok && x.Slow() != nil {
			return x.Slow()
		}
	}
	return nil
}

// Close releases the code that was loaded for the model. Every Prepared that With made from this one, and the one from which With made
// this one, share that code: none of their likelihoods may be used afterwards. A second Close does nothing.
func (p *Prepared) Close() error {
	p.held.closed.Do(func() {
		var all []error
		for _, r := range p.held.all {
			all = append(all, r.Close())
		}
		p.held.err = errors.Join(all...)
	})
	return p.held.err
}
