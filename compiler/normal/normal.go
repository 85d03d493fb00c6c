// Package normal normalises likelihood expressions that are not densities: it divides by the integral Z(θ) over time and all
// choices.
//
//	log density = f(rt, choice; θ) - log Z(θ)      Z(θ) = Σ_choice ∫ exp f(rt, choice; θ) d rt
//
// Z is computed as a sum over the points of a fixed grid, evenly spaced in the logarithm of the time since the onset. So Z
// looks like the log-likelihood of another model, whose trials are the points of the grid, and the compiler compiles its value
// and gradient like those of any model. The grid is chosen for each model, and checked against adaptive quadrature.
package normal

import (
	"fmt"
	"sync"

	"likc/compiler/expr"
	"likc/compiler/simplify"
)

// Parts are the models into which a normalised model is divided. The compiler compiles each of them.
type Parts struct {
	Bare *expr.Model // the model without normalisation: f

	// Integral is the model whose "log-likelihood", summed over the points of the grid, is Z(θ)·exp(-Typical - shift) itself and
	// not its log. Its parameters are the model's, then the shift, which keeps exp from overflowing. Log is the log of the summand,
	// as it was written: f at a point, plus the log of the point's weight, minus Typical and the shift.
	Integral, Log *expr.Model

	// Mixed is the density mixed with lapses, as a function of the model's parameters and then log Z; nil for a model without
	// lapses.
	Mixed *expr.Model

	Typical float64 // the median of log Z over the points of the ranges that are checked, rounded to a whole number

	Columns [][]float64 // the trials of Integral, which are grid points: time since the onset in seconds, and log of the weight
	Choice  []float64   // nil for a model without choice

	Grid Grid
}

// known holds the results of [Of] for each model, because choosing a grid takes tenths of a second.
var known sync.Map // results by *expr.Model

// result is what [Of] returns for a model.
type result struct {
	parts *Parts
	err   error
}

// Of returns the parts of a normalised model. It fails if no grid is accurate to [Tolerance], for example if the integral is
// infinite.
func Of(m *expr.Model) (*Parts, error) {
	if r, ok := known.Load(m); ok {
		return r.(result).parts, r.(result).err
	}
	parts, err := of(m)
	if err != nil {
		err = fmt.Errorf("normalise %s: %w", m.Name, err)
	}
	known.Store(m, result{parts, err})
	return parts, err
}

// of computes what [Of] returns.
func of(m *expr.Model) (*Parts, error) {
	untilted := m
	if m.Binding != nil && m.Binding.Tilt != nil {
		m = tilted(m)
	}
	bare := *m
	bare.Normalise, bare.Lapse, bare.Binding = false, nil, nil
	p := &Parts{Bare: &bare}
	if err := m.Normalisable(); err != nil {
		return nil, err
	}
	u, weight, shift := fresh(m, "u"), fresh(m, "w"), fresh(m, "shift")
	since := sinceOnset(m, u)
	d := newDensity(since, u)
	var err error
	checked := d.points(untilted)
	if m.Binding != nil {
		checked = append(checked, spread(untilted, imagePoints)...)
	}
	checked = images(untilted, checked)
	if p.Grid, err = choose(d, checked); err != nil {
		return nil, err
	}
	if m.Lapse != nil {
		p.Mixed = mixed(m)
	}
	z := *since
	z.Name, z.Trials = m.Name+"_integral", []string{u, weight}
	z.Params = append(append([]expr.Param{}, m.Params...), expr.Param{Name: shift, Lower: -700, Upper: 700})
	p.Typical = d.typical
	logs := z
	term := func(f *expr.Expr) *expr.Expr {
		return expr.New(expr.Sub, expr.New(expr.Sub, expr.New(expr.Add, f, expr.Var(weight)), expr.Num(p.Typical)), expr.Var(shift))
	}
	logs.LogLik = term(since.LogLik)
	z.LogLik = expr.New(expr.Exp, term(linear(since, d, &p.Grid, checked)))
	p.Integral, p.Log = &z, &logs
	p.bind(d)
	return p, nil
}

// bind sets the trials of the integral: the grid's points, once for each choice.
func (p *Parts) bind(d *density) {
	p.Columns = make([][]float64, 2)
	for _, c := range d.choices {
		p.Columns[0], p.Columns[1] = append(p.Columns[0], p.Grid.U...), append(p.Columns[1], p.Grid.LogWeight...)
		for range p.Grid.U {
			if p.Bare.Choice != "" {
				p.Choice = append(p.Choice, c)
			}
		}
	}
}

// tilted returns a model with one more parameter, the tilt, which comes last. The log density falls by tilt for each second
// since the onset. The binding function of the model, if any, is not changed.
func tilted(m *expr.Model) *expr.Model {
	out := *m
	tilt := fresh(m, "tilt")
	out.Params = append(append([]expr.Param{}, m.Params...), expr.Param{Name: tilt, Lower: -700, Upper: 700})
	since := expr.Var(m.Trials[0])
	if onset := onsetOf(m); onset != nil {
		since = expr.New(expr.Sub, since, onset)
	}
	out.LogLik = expr.New(expr.Sub, m.LogLik, expr.New(expr.Mul, expr.Var(tilt), since))
	return &out
}

// onsetOf returns the time at which the support begins: the maximum of the lower bounds of the response time. It is nil if
// there is none.
func onsetOf(m *expr.Model) (onset *expr.Expr) {
	for _, c := range m.Support {
		switch {
		case c.Right.Op != expr.Sym || c.Right.Name != m.Trials[0]:
		case onset == nil:
			onset = c.Left
		default:
			onset = expr.New(expr.Max, onset, c.Left)
		}
	}
	return onset
}

// sinceOnset returns the model with onset + u in place of the response time, and without support conditions. The onset is that
// of [onsetOf], or 0 if there is none. The model is simplified while the onset is a symbol, because in floating-point numbers
// (onset + u) - onset differs from a small u.
func sinceOnset(m *expr.Model, u string) *expr.Model {
	onset := onsetOf(m)
	put := map[string]*expr.Expr{m.Trials[0]: expr.Var(u)}
	loglik, back := m.LogLik, expr.Substitution(nil)
	if onset != nil {
		name := fresh(m, "onset")
		loglik, back = named(loglik, onset, name), expr.Substitution(map[string]*expr.Expr{name: onset})
		put[m.Trials[0]] = expr.New(expr.Add, expr.Var(name), expr.Var(u))
	}
	since, _ := simplify.Model(&expr.Model{Name: m.Name, Trials: []string{u}, Positive: []string{u}, Choice: m.Choice, Choices: m.Choices, Params: m.Params, Lower: m.Lower,
		LogLik: expr.Substitution(put).Map(loglik)}, simplify.Options{})
	since.LogLik = back.Map(since.LogLik)
	return since
}

// named returns e with a symbol in place of every subexpression that is equal to part.
func named(e, part *expr.Expr, name string) *expr.Expr {
	symbol, size := expr.Var(name), part.Size()
	return expr.Map(e, func(n *expr.Expr, args []*expr.Expr) *expr.Expr {
		if n.Op == part.Op && n.Size() == size && n.Equal(part) {
			return symbol
		}
		return n.With(args)
	})
}

// fresh returns a name that the model does not use.
func fresh(m *expr.Model, name string) string {
	for m.IsParam(name) || m.IsTrial(name) || name == m.Choice {
		name += "_"
	}
	return name
}
