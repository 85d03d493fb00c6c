package engine

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"likc/compiler/expr"
	"likc/runtime/model/catalog"
)

// Pointwise is the likelihood of a model over bound trials, asked for single trials: the form in which cross-validation needs
// it. It is safe for concurrent use.
type Pointwise struct {
	columns [][]float64
	choice  []float64 // nil for a model without choice
	density func(dst, theta [][]float64, first int)
}

// NewPointwise gives trials to a model: one slice a trial column, in the model's order, all of one length, and the choices,
// nil for a model without choice. An expression is evaluated as it was written. It refuses columns that do not fit the
// model, and trials that [catalog.Density] refuses. The density of a model without choice may have choices all the same: they tell
// omissions from responses.
func NewPointwise(m *catalog.Model, columns [][]float64, choice []float64) (*Pointwise, error) {
	p := &Pointwise{columns: columns, choice: choice}
	if len(columns) != len(m.Trials) || len(columns) == 0 {
		return nil, fmt.Errorf("%s: %d columns for %d trial columns", m.Name, len(columns), len(m.Trials))
	}
	d, isDensity := m.Density()
	if choice == nil && m.Choice != "" || choice != nil && (len(choice) != p.N() || m.Choice == "" && !isDensity) {
		return nil, fmt.Errorf("%s: %d choices for %d trials: want one a trial, and none for a model without choice", m.Name, len(choice), p.N())
	}
	for _, c := range columns {
		if len(c) != p.N() {
			return nil, fmt.Errorf("%s: trial columns of %d and %d trials", m.Name, p.N(), len(c))
		}
	}
	if !isDensity {
		of, err := innerOf(m.Model)
		if err != nil {
			return nil, err
		}
		return p, p.useInner(of)
	}
	if _, err := d.Bind(columns[0], choice); err != nil {
		return nil, fmt.Errorf("%s: %w", m.Name, err)
	}
	p.useDensity(d)
	return p, nil
}

// N returns the number of trials.
func (p *Pointwise) N() int { return len(p.columns[0]) }

// LogDensity sets dst[i][s] to the log density of trial first+i, counted from 0, at the parameters theta[s]; -Inf outside the
// support, NaN where the density itself is.
func (p *Pointwise) LogDensity(dst, theta [][]float64, first int) { p.density(dst, theta, first) }

// useDensity evaluates a model without an expression: many rows a call, those of one draw together, because what depends on
// the parameters alone is computed once for neighbours.
func (p *Pointwise) useDensity(d catalog.Density) {
	rooms := sync.Pool{New: func() any { return new(rows) }}
	p.density = func(dst, theta [][]float64, first int) {
		r := rooms.Get().(*rows)
		defer rooms.Put(r)
		n := len(dst)
		together := max(1, 1024/max(n, 1))
		for s := 0; s < len(theta); s += together {
			at := theta[s:min(s+together, len(theta))]
			var choice []float64
			if p.choice != nil {
				choice = p.choice[first : first+n]
			}
			r.fill(at, p.columns[0][first:first+n], choice)
			d.LogDensity(r.density, r.theta, r.rt, r.choice)
			for row, v := range r.density {
				dst[row%n][s+row/n] = v
			}
		}
	}
}

// rows are the arguments of a density.
type rows struct {
	density, rt, choice []float64
	theta               [][]float64
}

// fill makes one row of every draw and trial.
func (r *rows) fill(theta [][]float64, rt, choice []float64) {
	n := len(theta) * len(rt)
	r.rt, r.choice, r.theta = r.rt[:0], r.choice[:0], r.theta[:0]
	r.density = slices.Grow(r.density[:0], n)[:n]
	for _, at := range theta {
		r.rt, r.choice = append(r.rt, rt...), append(r.choice, choice...)
		for range rt {
			r.theta = append(r.theta, at)
		}
	}
}

// useExpression evaluates a model's log density and support as they were written, trial by trial.
func (p *Pointwise) useExpression(m *expr.Model) error {
	codes := m.Codes()
	for i, c := range p.choice {
		if !slices.Contains(codes, c) {
			return fmt.Errorf("%s: trial %d: choice %v: want %s", m.Name, i+1, c, wanted(codes))
		}
	}
	symbols := append(append([]string{}, m.Trials...), m.ParamNames()...)
	var tapes []*expr.Tape
	for _, g := range m.Groups() {
		roots := []*expr.Expr{g.LogLik}
		for _, c := range g.Support {
			roots = append(roots, c.Left, c.Right)
		}
		tapes = append(tapes, expr.NewTape(symbols, roots...))
	}
	type room struct{ at, values []float64 }
	rooms := sync.Pool{New: func() any { return &room{at: make([]float64, len(symbols))} }}
	p.density = func(dst, theta [][]float64, first int) {
		r := rooms.Get().(*room)
		defer rooms.Put(r)
		for i := range dst {
			tape := tapes[0]
			if p.choice != nil {
				tape = tapes[slices.Index(codes, p.choice[first+i])]
			}
			for j, c := range p.columns {
				r.at[j] = c[first+i]
			}
			for s, at := range theta {
				copy(r.at[len(p.columns):], at)
				r.values, _ = tape.Eval(r.values[:0], r.at)
				dst[i][s] = insideSupport(r.values)
			}
		}
	}
	return nil
}

// useInner evaluates the expression of a model at its own parameters.
func (p *Pointwise) useInner(of *inner) error {
	if err := p.useExpression(of.model); err != nil || of.z == nil {
		return err
	}
	bare := p.density
	p.density = func(dst, theta [][]float64, first int) {
		at, less := make([][]float64, len(theta)), make([]float64, len(theta))
		for s := range theta {
			at[s], less[s] = of.params(theta[s])
		}
		bare(dst, at, first)
		for s, x := range less {
			for i := range dst {
				dst[i][s] -= x
			}
		}
	}
	return nil
}

// insideSupport returns the first of the values, or -Inf where one of the pairs after it is not ascending.
func insideSupport(values []float64) float64 {
	for i := 1; i < len(values); i += 2 {
		if !(values[i] < values[i+1]) {
			return math.Inf(-1)
		}
	}
	return values[0]
}
