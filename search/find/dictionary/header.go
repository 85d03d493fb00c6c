package dictionary

import (
	"fmt"

	"likc/compiler/expr"
)

// OfHeader makes a library from a model's header: its parameters, ranges, support and reflection, without a process. A term is the
// product of at most one atom for each parameter and one atom of the time since the onset. A parameter's atoms follow from its range
// and from its value at the lower boundary. Time also appears divided by the square of each scale parameter, because a diffusion
// between boundaries has this natural unit of time. With one response, the densities of a first passage and an exponential time after
// it are terms, too.
func OfHeader(header *expr.Model) (*Library, error) { return Without{}.OfHeader(header) }

// OfHeader makes the library of a header, without scales if w says so.
func (w Without) OfHeader(header *expr.Model) (*Library, error) {
	if len(header.Trials) != 1 {
		return nil, fmt.Errorf("model %s: %d trial columns: want the response time alone", header.Name, len(header.Trials))
	}
	l := &Library{}
	onset, moved := onsetOf(header)
	tau := expr.Var(header.Trials[0])
	if onset != nil {
		tau = expr.New(expr.Sub, tau, onset)
	}
	var families [][]int
	var scales []*expr.Expr
	reflected := header.Reflected()
	for i, p := range header.Params {
		if p.Name == moved {
			continue
		}
		families = append(families, l.add(ofParameter(p, reflected[i])...))
		if isScale(p) && reflected[i].Op == expr.Sym && !w.Scales {
			scales = append(scales, expr.New(expr.Square, expr.Var(p.Name)))
		}
	}
	families = append(families, l.add(ofTime(tau, scales)...))
	l.products(families)
	if header.Choice == "" {
		l.addWaits(header, moved, tau)
	}
	l.startWith(func(a Atom) bool { return a.Expr == tau && !a.Under || a.Expr.Op == expr.Log && a.Expr.Args[0] == tau })
	return l, nil
}

// startWith sets the terms from which a search starts: those that are a single atom for which `chosen` is true. Their first
// coefficients are 0.
func (l *Library) startWith(chosen func(Atom) bool) {
	var s Start
	for i, t := range l.Terms {
		if len(t) == 1 && chosen(l.Atoms[t[0]]) {
			s.Terms, s.By = append(s.Terms, i), append(s.By, 0)
		}
	}
	l.Start = s
}

// onsetOf returns the time at which the density begins, nil for 0, and the name of the parameter that moves all times, "" for none.
func onsetOf(header *expr.Model) (onset *expr.Expr, moved string) {
	for _, c := range header.Support {
		if c.Right.Op != expr.Sym || c.Right.Name != header.Trials[0] {
			continue
		}
		onset = c.Left
		first := onset
		if first.Op == expr.Sub || first.Op == expr.Add {
			first = first.Args[0]
		}
		if first.Op == expr.Sym {
			moved = first.Name
		}
		return onset, moved
	}
	return nil, ""
}

// isScale reports whether a parameter is a scale: positive, with a range that spans a factor of 4 or more.
func isScale(p expr.Param) bool { return p.Lower > 0 && p.Upper >= 4*p.Lower }

// ofParameter returns the atoms of a parameter whose value at the lower boundary is `reflected`.
func ofParameter(p expr.Param, reflected *expr.Expr) []Atom {
	x := expr.Var(p.Name)
	square := func(e *expr.Expr) *expr.Expr { return expr.New(expr.Square, e) }
	switch {
	case reflected.Op == expr.Sub && reflected.Args[0].Op == expr.Const: // the reflected parameter is the distance to the other boundary, such as 1 − z
		rest := func(more float64) *expr.Expr { return expr.New(expr.Sub, expr.Num(reflected.Args[0].Value+more), x) }
		return []Atom{{Expr: x}, {Expr: square(rest(0))}, inner(0.01, func(k float64) *expr.Expr { return expr.New(expr.Log, rest(k)) }), under(inner(0.1, rest))}
	case isScale(p):
		return []Atom{{Expr: x}, {Expr: square(x)}, {Expr: x, Under: true}, {Expr: square(x), Under: true}, {Expr: expr.New(expr.Log, x)}}
	}
	return []Atom{{Expr: x}, {Expr: square(x)}}
}

// rates are the rate constants in the atoms of time.
var rates = []float64{0.25, 0.5, 1, 1.5, 2, 3, 4, 5}

// ofTime returns the atoms of the time since the onset, in units of each squared scale, or in seconds if there is no scale.
func ofTime(tau *expr.Expr, scales []*expr.Expr) []Atom {
	of := func(op expr.Op, x ...*expr.Expr) *expr.Expr { return expr.New(op, x...) }
	later := of(expr.Add, tau, expr.Num(1))
	root, log := of(expr.Sqrt, tau), of(expr.Log, tau)
	atoms := []Atom{{Expr: tau}, {Expr: tau, Under: true}, {Expr: log}, {Expr: root}, {Expr: root, Under: true}, {Expr: of(expr.Square, tau)},
		{Expr: later, Under: true}, {Expr: of(expr.Log, later)}, {Expr: of(expr.Square, log)}}
	if len(scales) == 0 {
		scales = []*expr.Expr{expr.Num(1)}
	}
	for _, s := range scales {
		for _, k := range rates {
			shifted := func(k float64) *expr.Expr { return of(expr.Add, tau, times(k, s)) }
			atoms = append(atoms, inner(k, func(k float64) *expr.Expr { return of(expr.Exp, of(expr.Div, times(-k, s), tau)) }),
				inner(k, func(k float64) *expr.Expr { return of(expr.Log, shifted(k)) }), under(inner(k, shifted)),
				inner(k, func(k float64) *expr.Expr { return of(expr.Exp, div(times(-k, tau), s)) }))
		}
	}
	return atoms
}

// times returns k·x in as few nodes as possible.
func times(k float64, x *expr.Expr) *expr.Expr {
	switch {
	case x.Op == expr.Const:
		return expr.Num(k * x.Value)
	case k == 1:
		return x
	case k == -1:
		return expr.New(expr.Neg, x)
	}
	return expr.New(expr.Mul, expr.Num(k), x)
}
