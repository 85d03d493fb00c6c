package dictionary

import (
	"slices"

	"likc/compiler/expr"
)

// OfProcess makes libraries from the process that the header declares (its Evidence). Terms of the first library are products
// of three kinds of atoms: quantities from Girsanov's theorem and the method of images, functions of the starting point, and
// functions of the clock. sd is the standard deviation of the drift between trials; nil for a drift that does not vary.
//
// Each other library has a further atom: the density of a simpler process, with constant boundaries in the process's clock. The
// atom includes the factors of Girsanov's change of measure that do not depend on the path. By itself it is exact for
// boundaries and drifts that are constant or linear.
//
// The returned header is for the formulas that a search finds. If the process is its own mirror image, that header has a block
// `lower`.
func OfProcess(header *expr.Model, sd *expr.Expr) ([]*Library, *expr.Model, error) {
	own := *header
	if len(own.Lower) == 0 {
		own.Lower = mirror(header)
	}
	var libraries []*Library
	var lets []expr.Let
	integrals := coarse
	for which, more := 0, 1; which <= more; which++ {
		p, err := newProcess(&own, sd, integrals)
		if err != nil {
			return nil, nil, err
		}
		l := &Library{Shared: true}
		more = l.process(p, which)
		l.write(p.bases, p.names())
		if lets = named(&own, lets, l.Lets); len(l.Start.Terms) > 0 {
			libraries = append(libraries, l)
		}
		integrals = fine
	}
	for _, l := range libraries {
		l.Lets = lets
	}
	own.Evidence = nil
	return libraries, &own, nil
}

// named returns lets, followed by those of `more` whose values have no name in lets yet. A name that is already taken gets an underscore.
func named(header *expr.Model, lets, more []expr.Let) []expr.Let {
	for _, l := range more {
		if slices.ContainsFunc(lets, func(o expr.Let) bool { return o.Value.Equal(l.Value) }) {
			continue
		}
		for isTaken(header, l.Name) || slices.ContainsFunc(lets, func(o expr.Let) bool { return o.Name == l.Name }) {
			l.Name += "_"
		}
		lets = append(lets, l)
	}
	return lets
}

// write replaces the symbols of quantities in the library's atoms by their expressions, which names holds by symbol. It also adds the
// quantities in bases to the library's Lets.
func (l *Library) write(bases []expr.Let, names map[string]*expr.Expr) {
	written := expr.Substitution(names)
	for i, a := range l.Atoms {
		l.Atoms[i].cost = len(expr.Order(a.Expr))
		l.Atoms[i].Expr = written.Map(a.Expr)
		if a.with != nil {
			l.Atoms[i].with = func(k float64) *expr.Expr { return expr.Substitution(names).Map(a.with(k)) } // a new mapper in each call, because fits are refined in parallel
		}
	}
	for _, b := range bases {
		l.Lets = append(l.Lets, expr.Let{Name: b.Name, Value: names[mark+b.Name]})
	}
}

// process adds the atoms and terms of a process. If which is k > 0, it also adds the k-th density that p.wholes returns, a density
// of a simpler process. It returns the number of such densities.
func (l *Library) process(p *process, which int) (wholes int) {
	of := func(op expr.Op, x ...*expr.Expr) *expr.Expr { return expr.New(op, x...) }
	gap := add(mul(p.side, sub(p.mid, p.start)), p.wide) // from the start to the boundary
	if p.stretch == nil {
		gap = simple(gap)
	}
	direct := l.add(Atom{Expr: p.direct(gap)})
	logTime := l.add(Atom{Expr: of(expr.Log, p.time)})
	clock := l.add(Atom{Expr: p.clock})
	// single holds atoms that are terms by themselves and in no product.
	single := append(logTime, l.add(Atom{Expr: of(expr.Log, p.rate)}, Atom{Expr: p.tau}, Atom{Expr: of(expr.Log, p.tau)},
		Atom{Expr: of(expr.Log, of(expr.Max, sub(div(gap, p.time), div(add(p.gamma, p.kappa), p.wide)), expr.Num(0.001)))})...)
	if p.pastOnsets != nil {
		single = append(single, l.add(Atom{Expr: of(expr.Log, div(p.pastOnsets, p.allOnsets))}, Atom{Expr: of(expr.Log, p.since)})...)
	}
	near, rest := p.near, simple(sub(expr.Num(1), p.near))
	starts := l.add(Atom{Expr: near}, Atom{Expr: of(expr.Square, rest)}, inner(0.01, func(k float64) *expr.Expr { return of(expr.Log, add(rest, expr.Num(k))) }),
		under(inner(0.1, func(k float64) *expr.Expr { return add(rest, expr.Num(k)) })))
	factors, clocks := append(direct, l.add(p.factors(gap)...)...), append(clock, l.add(ofClock(p.clock)...)...)
	if p.steady() {
		o := p.frequency()
		relaxed := mul(o, p.clock) // in units of the time in which evidence forgets where it was
		factors = append(factors, l.add(Atom{Expr: relaxed}, Atom{Expr: mul(of(expr.Square, div(mul(p.gamma0, p.kappa0), o)), p.clock)})...)
		clocks = append(clocks, l.add(ofClock(relaxed)...)...)
	}
	for _, a := range single {
		l.Terms = append(l.Terms, Term{a})
	}
	l.addProducts([][]int{factors, starts, clocks, l.add(p.spreads()...)}, 3)
	all := p.wholes(gap)
	if which == 0 {
		l.startAt(map[int]float64{direct[0]: -0.5, logTime[0]: -1.5, clock[0]: -1.2})
	} else if which <= len(all) {
		at := l.add(Atom{Expr: all[which-1]})
		l.Terms = append(l.Terms, Term{at[0]})
		decay := l.add(Atom{Expr: p.decay})
		first := map[int]float64{at[0]: 1, decay[0]: -1}
		if p.steady() { // the density contains the decay already
			delete(first, decay[0])
		}
		if p.spread != nil && which == 1 { // the density by images ignores the other boundary, so the clock compensates
			first[clock[0]] = -0.1
		}
		l.startAt(first)
	}
	return len(all)
}

// direct returns (distance)²/time: minus twice the exponent of the normal density for moving by the distance gap to the
// boundary.
func (p *process) direct(gap *expr.Expr) *expr.Expr {
	if p.sd != nil {
		return div(expr.New(expr.Square, sub(gap, mul(p.mean, p.tau))), mul(p.tau, p.shrink))
	}
	return div(expr.New(expr.Square, gap), p.time)
}

// factors returns the quantities by which Girsanov's theorem describes the effect of the drift and of moving boundaries.
func (p *process) factors(gap *expr.Expr) (atoms []Atom) {
	sq := func(x *expr.Expr) *expr.Expr { return expr.New(expr.Square, x) }
	log := func(x *expr.Expr) *expr.Expr { return expr.New(expr.Log, x) }
	all := []*expr.Expr{p.gamma, p.gammaGamma, p.kappa, p.kappaKappa, p.gammaKappa, log(div(p.wide, p.half0)), p.decay, div(sq(sub(p.mid, p.mid0)), p.time),
		div(sq(sub(p.wide, p.half0)), p.time), mul(p.side, div(mul(sub(p.mid, p.mid0), sub(p.wide, p.half0)), p.time)), sq(p.gamma), sq(p.kappa)}
	if p.gamma0 != nil {
		all = append(all, p.gamma0, mul(p.gamma0, p.y), mul(p.gamma0, sq(p.y)))
	}
	if p.kappa0 != nil {
		all = append(all, p.kappa0, mul(p.kappa0, sq(p.y)))
	}
	all = append(all, p.averages...)
	if p.sd != nil {
		wide := sq(mul(p.sd, p.half0))
		all = append(all, mul(p.mean, p.half0), div(mul(p.mean, gap), p.shrink), div(mul(sq(p.mean), p.tau), p.shrink), div(sq(mul(p.sd, gap)), p.shrink),
			div(sq(gap), p.time), log(p.shrink), wide, sq(mul(p.mean, p.half0)), div(mul(mul(p.mean, p.half0), wide), p.shrink))
		atoms = append(atoms, Atom{Expr: p.shrink, Under: true})
	}
	if p.pastOnsets != nil {
		all = append(all, div(sq(mul(gap, p.pastOnsets)), mul(p.time, sq(p.tau))))
	}
	for _, e := range all {
		atoms = append(atoms, Atom{Expr: e})
	}
	return atoms
}

// spreads returns atoms that measure how much starts, drifts and onsets vary.
func (p *process) spreads() (atoms []Atom) {
	sq := func(x *expr.Expr) *expr.Expr { return expr.New(expr.Square, x) }
	if p.spread != nil {
		atoms = append(atoms, Atom{Expr: p.spread}, Atom{Expr: sq(p.spread)})
	}
	if p.sd != nil {
		atoms = append(atoms, Atom{Expr: sq(p.sd)})
	}
	if p.pastOnsets != nil {
		atoms = append(atoms, Atom{Expr: div(p.pastOnsets, p.tau)})
	}
	return atoms
}

// addProducts adds as terms the products of at most `most` atoms, with at most one atom of each family.
func (l *Library) addProducts(families [][]int, most int) {
	var grow func(f int, t Term)
	grow = func(f int, t Term) {
		if f == len(families) {
			if len(t) > 0 {
				l.Terms = append(l.Terms, slices.Clone(t))
			}
			return
		}
		grow(f+1, t)
		if len(t) < most {
			for _, a := range families[f] {
				grow(f+1, append(t, a))
			}
		}
	}
	grow(0, nil)
}

// startAt sets the terms from which a search starts. Each is a single atom. coefficients holds their first coefficients by the index
// of the atom.
func (l *Library) startAt(coefficients map[int]float64) {
	var s Start
	for i, t := range l.Terms {
		if c, ok := coefficients[t[0]]; ok && len(t) == 1 && !slices.Contains(s.Terms, i) {
			s.Terms, s.By = append(s.Terms, i), append(s.By, c)
		}
	}
	l.Start = s
}

// clockRates are the rate constants in atoms of the clock.
var clockRates = []float64{0.5, 1, 2, 4}

// ofClock returns atoms that are functions of the clock u.
func ofClock(u *expr.Expr) (atoms []Atom) {
	of := func(op expr.Op, x ...*expr.Expr) *expr.Expr { return expr.New(op, x...) }
	root := of(expr.Sqrt, u)
	atoms = []Atom{{Expr: u, Under: true}, {Expr: of(expr.Log, u)}, {Expr: root}, {Expr: root, Under: true}}
	for _, k := range clockRates {
		later := func(k float64) *expr.Expr { return add(expr.Num(1), times(k, u)) }
		atoms = append(atoms, inner(k, func(k float64) *expr.Expr { return of(expr.Exp, div(expr.Num(-k), u)) }), inner(k, func(k float64) *expr.Expr { return of(expr.Exp, times(-k, u)) }),
			inner(k, func(k float64) *expr.Expr { return of(expr.Log, later(k)) }), under(inner(k, later)))
	}
	return atoms
}
