package dictionary

import (
	"math"
	"slices"

	"likc/compiler/expr"
)

// OfProcess makes the libraries of a process that the header writes down (its Evidence): products of what Girsanov's theorem and the images say of
// it, of functions of the start, and of functions of the clock. The second library has one atom more, the strip: the density between boundaries that stand still, in the
// process's clock and with the factors of the change of measure that do not depend on the path: with nothing added it is exact for
// boundaries and drifts that are constant or linear.
//
// The header that it returns is that of the formulas: where the process is its own mirror image, it has a reflection.
func OfProcess(header *expr.Model) ([]*Library, *expr.Model, error) {
	own := *header
	if len(own.Lower) == 0 {
		own.Lower = mirror(header)
	}
	p, err := newProcess(&own)
	if err != nil {
		return nil, nil, err
	}
	own.Evidence = nil
	plain, strip := &Library{Shared: true}, &Library{Shared: true}
	plain.process(p, false)
	strip.process(p, true)
	libraries := []*Library{plain, strip}
	if len(strip.Start.Terms) == 0 {
		libraries = libraries[:1]
	}
	names := p.names()
	for _, l := range libraries {
		l.write(p.bases, names)
	}
	return libraries, &own, nil
}

// write replaces the symbols of quantities by what they stand for.
func (l *Library) write(bases []expr.Let, names map[string]*expr.Expr) {
	written := expr.Substitution(names)
	for i, a := range l.Atoms {
		l.Atoms[i].cost = len(expr.Order(a.Expr))
		l.Atoms[i].Expr = written.Map(a.Expr)
	}
	for _, b := range bases {
		l.Lets = append(l.Lets, expr.Let{Name: b.Name, Value: names[mark+b.Name]})
	}
}

// process adds the atoms and terms of a process, with the strip or without.
func (l *Library) process(p *process, withStrip bool) {
	of := func(op expr.Op, x ...*expr.Expr) *expr.Expr { return expr.New(op, x...) }
	sq := func(x *expr.Expr) *expr.Expr { return of(expr.Square, x) }
	num := expr.Num
	gap := add(mul(p.side, sub(p.mid, p.start)), p.wide) // from the start to the boundary
	if p.stretch == nil {
		gap = simple(gap)
	}
	direct := l.add(Atom{Expr: div(sq(gap), p.time)})
	logTime := l.add(Atom{Expr: of(expr.Log, p.time)})
	clock := l.add(Atom{Expr: p.clock})
	lone := append(l.add(Atom{Expr: of(expr.Log, p.rate)}, Atom{Expr: p.tau}, Atom{Expr: of(expr.Log, p.tau)},
		Atom{Expr: of(expr.Log, of(expr.Max, sub(div(gap, p.time), div(add(p.gamma, p.kappa), p.wide)), num(0.001)))}), logTime...)

	factors := append(direct, l.add(Atom{Expr: p.gamma}, Atom{Expr: p.gammaGamma}, Atom{Expr: p.kappa}, Atom{Expr: p.kappaKappa}, Atom{Expr: p.gammaKappa},
		Atom{Expr: of(expr.Log, div(p.half, p.half0))}, Atom{Expr: div(sq(sub(p.mid, p.mid0)), p.time)}, Atom{Expr: div(sq(sub(p.wide, p.half0)), p.time)},
		Atom{Expr: mul(p.side, div(mul(sub(p.mid, p.mid0), sub(p.wide, p.half0)), p.time))}, Atom{Expr: sq(p.gamma)}, Atom{Expr: sq(p.kappa)})...)
	if p.gamma0 != nil {
		factors = append(factors, l.add(Atom{Expr: p.gamma0}, Atom{Expr: mul(p.gamma0, p.y)}, Atom{Expr: mul(p.gamma0, sq(p.y))})...)
	}
	if p.kappa0 != nil {
		factors = append(factors, l.add(Atom{Expr: p.kappa0}, Atom{Expr: mul(p.kappa0, sq(p.y))})...)
	}
	near, rest := p.near, simple(sub(num(1), p.near))
	starts := l.add(Atom{Expr: near}, Atom{Expr: sq(rest)}, Atom{Expr: of(expr.Log, add(rest, num(0.01)))}, Atom{Expr: add(rest, num(0.1)), Under: true})
	clocks := append(clock, l.add(ofClock(p.clock)...)...)
	var spreads []int
	if p.spread != nil {
		spreads = l.add(Atom{Expr: p.spread}, Atom{Expr: sq(p.spread)})
	}
	for _, a := range lone {
		l.Terms = append(l.Terms, Term{a})
	}
	l.some([][]int{factors, starts, clocks, spreads}, 3)
	if !withStrip {
		l.begin(map[int]float64{direct[0]: -0.5, logTime[0]: -1.5, clock[0]: -1.2})
		return
	}
	if strip := p.strip(rest, near); strip != nil {
		at := l.add(Atom{Expr: strip})
		l.Terms = append(l.Terms, Term{at[0]})
		l.begin(map[int]float64{at[0]: 1})
	}
}

// some adds the products of at most so many atoms, one of each family.
func (l *Library) some(families [][]int, most int) {
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

// begin sets the terms to start from: those of one atom each, with coefficients.
func (l *Library) begin(with map[int]float64) {
	var s Start
	for i, t := range l.Terms {
		if c, ok := with[t[0]]; ok && len(t) == 1 && !slices.Contains(s.Terms, i) {
			s.Terms, s.By = append(s.Terms, i), append(s.By, c)
		}
	}
	l.Start = s
}

// clockRates are the numbers in atoms of the clock.
var clockRates = []float64{0.5, 1, 2, 4}

// ofClock returns functions of the clock.
func ofClock(u *expr.Expr) (atoms []Atom) {
	of := func(op expr.Op, x ...*expr.Expr) *expr.Expr { return expr.New(op, x...) }
	root := of(expr.Sqrt, u)
	atoms = []Atom{{Expr: u, Under: true}, {Expr: of(expr.Log, u)}, {Expr: root}, {Expr: root, Under: true}}
	for _, k := range clockRates {
		later := add(expr.Num(1), times(k, u))
		atoms = append(atoms, Atom{Expr: of(expr.Exp, div(expr.Num(-k), u))}, Atom{Expr: of(expr.Exp, times(-k, u))}, Atom{Expr: of(expr.Log, later)}, Atom{Expr: later, Under: true})
	}
	return atoms
}

// changeOver is the time on the clock at which images give way to waves: both are right to 1e-5 there.
const changeOver = 1

// strip is the log density between boundaries that stand still, in the process's clock, with the factors of the change of measure: two
// images beside the first before changeOver, and three waves after it. near and rest are the distances from the other boundary and to
// this one, as shares. It is nil for a process whose factors have no value at the start.
func (p *process) strip(rest, near *expr.Expr) *expr.Expr {
	if p.gamma0 == nil || p.kappa0 == nil || p.spread != nil {
		return nil
	}
	of := func(op expr.Op, x ...*expr.Expr) *expr.Expr { return expr.New(op, x...) }
	num, u := expr.Num, p.clock
	exp := func(x *expr.Expr) *expr.Expr { return of(expr.Exp, x) }
	images := add(sub(rest, mul(add(num(1), near), exp(div(mul(num(-8), near), u)))), mul(add(num(2), rest), exp(div(mul(num(-8), add(num(1), rest)), u))))
	early := sub(sub(of(expr.Log, of(expr.Max, images, num(1e-30))), div(mul(num(2), of(expr.Square, rest)), u)), mul(num(1.5), of(expr.Log, u)))
	wave := func(k float64) *expr.Expr {
		s := of(expr.Sin, mul(num(expr.Rounded(k*math.Pi, 9)), rest))
		if k == 1 {
			return s
		}
		return mul(mul(num(k), exp(mul(num(expr.Rounded(-(k*k-1)*math.Pi*math.Pi/8, 9)), u))), s)
	}
	// before: log(4^1.5/sqrt(2π)); after: log π; both less log 4
	late := sub(of(expr.Log, of(expr.Max, add(add(wave(1), wave(2)), wave(3)), num(1e-30))), mul(num(expr.Rounded(math.Pi*math.Pi/8, 9)), u))
	constant := math.Log(math.Pi) - math.Log(8/math.Sqrt(2*math.Pi))
	late = add(late, num(expr.Rounded(constant, 9)))
	e := of(expr.If, of(expr.Less, u, num(changeOver)), early, late)
	for _, part := range []struct {
		by float64
		of *expr.Expr
	}{{-1, p.gamma}, {-0.5, p.kappa}, {-0.5, p.gammaGamma}, {0.5, of(expr.Log, div(p.wide, p.half0))}, {-2, of(expr.Log, p.half)}, {2, of(expr.Log, p.now(p.noise))},
		{1, mul(p.gamma0, p.y)}, {0.5, mul(p.kappa0, of(expr.Square, p.y))}} {
		if s := simple(part.of); s.Op != expr.Const {
			e = add(e, times(part.by, part.of))
		}
	}
	return e
}
