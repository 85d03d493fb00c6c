// Package engine prepares a model once and binds many sets of trials to it.
//
//	Open(model, engine) ─▶ Binder ─Bind(trials)─▶ Likelihood
//
// Preparing takes long, because it compiles, builds and loads; binding is quick. A model without an expression, which is an exact density
// or a teacher, has an engine of its own.
package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"likc/compiler"
	"likc/compiler/ir"
	"likc/runtime/model/catalog"
	"likc/runtime/model/kernel"
	"likc/runtime/model/load"
	"likc/runtime/num/tabulate"
	"likc/runtime/sys/store"
)

// Engine is a way to evaluate an expression.
type Engine string

// The engines. Tree and IR are interpreters: the model as written, trial by trial, and the compiled program. Go is the
// compiled package: linked in, or built and loaded; Bound is the same with every sum that depends on one parameter from a table.
// Auto is Go, or the interpreter where the package cannot be built; Ready is what needs no building.
const (
	Auto  Engine = ""
	Ready Engine = "ready"
	Tree  Engine = "tree"
	IR    Engine = "ir"
	Go    Engine = "go"
	Bound Engine = "bound"
)

// Names are the engines that a user may ask for.
func Names() []string { return []string{string(Tree), string(IR), string(Bound), string(Go)} }

// Parse reads the name of an engine; "" is Auto.
func Parse(name string) (Engine, error) {
	if name != "" && !slices.Contains(Names(), name) {
		return "", fmt.Errorf("%s: want tree, ir, bound or go", name)
	}
	return Engine(name), nil
}

// ErrOneEngine says that a model without an expression was asked for with an engine of expressions.
var ErrOneEngine = errors.New("has one engine")

// bind gives trials to a likelihood, bindRows to one that is evaluated row by row.
type (
	bind     func(columns [][]float64, choice []float64) (kernel.Sum, error)
	bindRows func(columns [][]float64, choice []float64) (kernel.Rows, error)
)

// Binder binds sets of trials to a model. It is safe for concurrent use, but for Close.
type Binder struct {
	Slow error // why the model is interpreted, where Auto found no compiled package and none could be built

	bind   bind
	rows   bindRows
	linear linear   // nil where no parameter may be a linear combination
	set    load.Set // nil where nothing was loaded for this model

	together together // nil where blocks are bound one by one

	massesOf    massesOf
	regressions *regressions // nil for a model without an expression, or one with lapses or a binding function
	parts       []*Binder    // of a normalised model
	own         *ownPoints   // of a normalised model without lapses and binding function
}

// Open is OpenContext without an end to the building.
func Open(m *catalog.Model, e Engine) (*Binder, error) {
	return OpenContext(context.Background(), m, e)
}

// OpenContext prepares a model for an engine. Building ends when ctx does, with its error.
func OpenContext(ctx context.Context, m *catalog.Model, e Engine) (*Binder, error) {
	if d, ok := m.Density(); ok {
		return ofDensity(m, d, e)
	}
	if err := m.Usable(); err != nil {
		return nil, err
	}
	if m.Normalise {
		return openNormalised(ctx, m, e)
	}
	b, err := ofExpression(ctx, m, e)
	if err != nil {
		return nil, err
	}
	b.bind = merging(m.Model, b.bind)
	b.rows = rowsOf(m.Model)
	b.regressions = &regressions{model: m, engine: e, opened: map[string]*Binder{}}
	return b, nil
}

// ofExpression is an engine of an expression.
func ofExpression(ctx context.Context, m *catalog.Model, e Engine) (*Binder, error) {
	switch e {
	case Tree:
		tree := compiler.NewTreeBinder(m.Model)
		return &Binder{bind: func(columns [][]float64, choice []float64) (kernel.Sum, error) {
			return orNil(tree.Bind(columns, choice))
		}}, nil
	case IR:
		return interpreted(m)
	case Go, Bound:
		return compiled(ctx, m, e == Bound)
	}
	if isLinked(m) {
		return compiled(ctx, m, false)
	}
	if e == Auto {
		b, err := compiled(ctx, m, false)
		if err == nil {
			return b, nil
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if errors.Is(err, store.ErrUntrusted) {
			return nil, err
		}
		slow := err
		if b, err = interpreted(m, ir.WithTables(newTable)); err == nil {
			b.Slow = slow
		}
		return b, err
	}
	return interpreted(m, ir.WithTables(newTable))
}

// ofDensity is the engine of a model without an expression.
func ofDensity(m *catalog.Model, d catalog.Density, e Engine) (*Binder, error) {
	if e != Auto && e != Ready {
		return nil, fmt.Errorf("engine %s: %s and %w", e, m.What(), ErrOneEngine)
	}
	b := &Binder{bind: func(columns [][]float64, choice []float64) (kernel.Sum, error) {
		return d.Bind(columns[0], choice)
	}, rows: func(columns [][]float64, choice []float64) (kernel.Rows, error) {
		return d.Rows(columns[0], choice)
	}}
	if l, ok := d.(linear); ok && l.Linear() >= 0 {
		b.linear = l
	}
	b.together, _ = d.(together)
	return b, nil
}

// interpreted compiles a model to a program and interprets that.
func interpreted(m *catalog.Model, options ...ir.Option) (*Binder, error) {
	u, err := compiler.Compile(m.Model, compiler.Options{})
	if err != nil {
		return nil, err
	}
	return &Binder{bind: func(columns [][]float64, choice []float64) (kernel.Sum, error) {
		return orNil(ir.Bind(u.Program, columns, choice, options...))
	}}, nil
}

// orNil keeps a nil pointer from becoming a likelihood that is not nil.
func orNil[L kernel.Sum](lik L, err error) (kernel.Sum, error) {
	if err != nil {
		return nil, err
	}
	return lik, nil
}

// newTable is a table for the interpreter. It is built where it is visited first, so that answers depend on theta alone.
func newTable(k int, lo, hi float64, edge ir.Edge, sum func(psi, value, abs []float64)) ir.Table {
	edges := [...]tabulate.Edge{ir.NoEdge: tabulate.NoEdge, ir.EdgeHi: tabulate.EdgeHi, ir.EdgeLo: tabulate.EdgeLo}
	return tabulate.NewTable(k, tabulate.Domain{Lo: lo, Hi: hi, Edge: edges[edge], Visits: 1}, sum)
}

// Bind gives trials to the log-likelihood: one slice a trial column, in the model's order, all of one length, and the choice,
// nil for a model that has none.
func (b *Binder) Bind(columns [][]float64, choice []float64) (kernel.Sum, error) {
	return b.bind(columns, choice)
}

// Err says why evaluations failed, as when the process that answers them has ended: values are NaN then.
func (b *Binder) Err() error {
	for _, part := range b.parts {
		if err := part.Err(); err != nil {
			return err
		}
	}
	if b.set == nil {
		return nil
	}
	return b.set.Err()
}

// Close releases what was loaded for the model; its likelihoods must not be used any more.
func (b *Binder) Close() error {
	err := b.regressions.close()
	for _, part := range b.parts {
		err = errors.Join(err, part.Close())
	}
	if b.set != nil {
		err = errors.Join(b.set.Close(), err)
	}
	return err
}
