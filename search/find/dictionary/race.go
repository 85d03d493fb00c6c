package dictionary

import (
	"math"
	"slices"
	"strconv"

	"likc/compiler/expr"
)

// OfRace makes a library from the header of a model with numbered choices. It assumes a race between accumulators that are alike
// except for parameters NAME0, NAME1, …, of which each accumulator has one. A term is a function of the winning accumulator, or a
// sum of a function over the losing ones. So the terms do not change if accumulators are renumbered.
//
// The functions measure how far an accumulator has come. For a parameter m of each accumulator that can be negative, this is (log τ
// − m)/s. For a parameter v that cannot, it is (v τ − d)/√τ. The scale s and the distance d are shared by all accumulators. A parameter that cannot
// be negative may be a rate, too: then v τ is a clock, and functions of it are terms.
func OfRace(header *expr.Model) (*Library, error) {
	l := &Library{}
	onset, moved := onsetOf(header)
	tau := expr.Var(header.Trials[0])
	if onset != nil {
		tau = sub(tau, onset)
	}
	r := &race{library: l, header: header, tau: tau}
	r.sort(moved)
	won, lost := r.functions()
	for _, families := range [][][]int{won, lost} {
		l.addProducts(families, 2)
	}
	l.unique()
	l.startWith(func(a Atom) bool {
		return a.Expr == tau && !a.Under || a.Expr.Op == expr.Log && a.Expr.Args[0] == tau || slices.ContainsFunc(r.first, a.Expr.Equal)
	})
	return l, nil
}

// race collects the atoms of a race.
type race struct {
	library *Library
	header  *expr.Model
	tau     *expr.Expr
	own     []ownParam   // the parameters that each accumulator has its own copy of
	shared  []expr.Param // the parameters that all accumulators share, except the onset
	first   []*expr.Expr // expressions of the atoms that a search starts with
}

// ownParam is a parameter that each accumulator has its own copy of.
type ownParam struct {
	of         []*expr.Expr // the copy of each accumulator
	isLocation bool         // whether it can be negative
}

// sort divides the parameters into those of each accumulator and the shared ones.
func (r *race) sort(moved string) {
	taken := map[string]bool{moved: true}
	for _, p := range r.header.Params {
		base, ok := cutZero(p.Name)
		if !ok || taken[p.Name] {
			continue
		}
		own := ownParam{isLocation: p.Lower < 0}
		for k := range r.header.Choices {
			name := base + strconv.Itoa(k)
			if r.header.IsParam(name) {
				own.of = append(own.of, expr.Var(name))
			}
		}
		if len(own.of) == r.header.Choices {
			r.own = append(r.own, own)
			for _, x := range own.of {
				taken[x.Name] = true
			}
		}
	}
	for _, p := range r.header.Params {
		if !taken[p.Name] {
			r.shared = append(r.shared, p)
		}
	}
}

// cutZero returns a name without its final 0.
func cutZero(name string) (base string, ok bool) {
	if n := len(name); n > 1 && name[n-1] == '0' {
		return name[:n-1], true
	}
	return "", false
}

// won returns the function of the winning accumulator; f holds the function of each accumulator.
func (r *race) won(f []*expr.Expr) *expr.Expr {
	return r.choose(func(c int) *expr.Expr { return f[c] })
}

// lost returns the sum of a function over the losing accumulators; f holds the function of each.
func (r *race) lost(f []*expr.Expr) *expr.Expr {
	return r.choose(func(c int) *expr.Expr {
		var sum *expr.Expr
		for k, x := range f {
			switch {
			case k == c:
			case sum == nil:
				sum = x
			default:
				sum = add(sum, x)
			}
		}
		return sum
	})
}

// choose returns an expression that equals of(c) if the choice is c.
func (r *race) choose(of func(c int) *expr.Expr) *expr.Expr {
	last := r.header.Choices - 1
	e := of(last)
	for c := last - 1; c >= 0; c-- {
		e = expr.New(expr.If, expr.New(expr.LessEqual, expr.Var(r.header.Choice), expr.Num(float64(c))), of(c), e)
	}
	return e
}

// functions adds the atoms of the winner and of the losers. Each term is a function of one accumulator times a factor made of shared
// parameters and time.
func (r *race) functions() (won, lost [][]int) {
	l := r.library
	log, root := expr.New(expr.Log, r.tau), expr.New(expr.Sqrt, r.tau)
	var all [][]*expr.Expr // for each function, its expression for each accumulator
	each := func(own ownParam, f func(x *expr.Expr) *expr.Expr) []*expr.Expr {
		out := make([]*expr.Expr, len(own.of))
		for k, x := range own.of {
			out[k] = f(x)
		}
		return out
	}
	progress := func(p []*expr.Expr) {
		square, above, below := make([]*expr.Expr, len(p)), make([]*expr.Expr, len(p)), make([]*expr.Expr, len(p))
		for k, x := range p {
			square[k], above[k], below[k] = expr.New(expr.Square, x), expr.New(expr.LogNormCDF, x), expr.New(expr.LogNormCDF, expr.New(expr.Neg, x))
		}
		all = append(all, p, square, above, below)
		if len(r.first) == 0 { // approximately the density of the winner, and the survivor function of the losers
			r.first = append(r.first, r.won(square), r.lost(below))
		}
	}
	for _, own := range r.own {
		all = append(all, each(own, func(x *expr.Expr) *expr.Expr { return x }), each(own, func(x *expr.Expr) *expr.Expr { return expr.New(expr.Square, x) }))
		for _, d := range r.distances(own.isLocation) {
			progress(each(own, func(x *expr.Expr) *expr.Expr {
				if own.isLocation {
					return div(sub(log, x), d)
				}
				return div(sub(mul(x, r.tau), d), root)
			}))
		}
		if own.isLocation {
			all = append(all, each(own, func(x *expr.Expr) *expr.Expr { return expr.New(expr.Exp, sub(log, x)) }))
		} else {
			all = append(all, each(own, func(x *expr.Expr) *expr.Expr { return mul(x, r.tau) }), each(own, func(x *expr.Expr) *expr.Expr { return mul(expr.New(expr.Square, x), r.tau) }))
		}
	}
	factors := r.factors(log, root)
	times := l.add(Atom{Expr: r.tau}, Atom{Expr: log}, Atom{Expr: r.tau, Under: true}, Atom{Expr: root, Under: true}, Atom{Expr: expr.New(expr.Square, log)})
	var winners, losers []int
	for _, own := range r.own {
		if !own.isLocation {
			winners, losers = append(winners, l.add(r.ofRates(own, r.won)...)...), append(losers, l.add(r.ofRates(own, r.lost)...)...)
		}
	}
	for _, f := range all {
		winners, losers = append(winners, l.add(Atom{Expr: r.won(f)})...), append(losers, l.add(Atom{Expr: r.lost(f)})...)
	}
	return [][]int{append(winners, times...), factors}, [][]int{losers, factors}
}

// ofRates returns functions of the clock v τ, where v is a parameter that each accumulator has. choose makes one expression of those of all accumulators.
func (r *race) ofRates(v ownParam, choose func(f []*expr.Expr) *expr.Expr) (atoms []Atom) {
	each := make([][]Atom, len(v.of)) // for each accumulator, its functions
	for k, x := range v.of {
		each[k] = ofClock(mul(x, r.tau))
	}
	for i, first := range each[0] {
		of := func(number float64) *expr.Expr {
			f := make([]*expr.Expr, len(each))
			for k := range each {
				if f[k] = each[k][i].Expr; first.with != nil {
					f[k] = each[k][i].with(number)
				}
				if first.Under {
					f[k] = div(expr.Num(1), f[k])
				}
			}
			return choose(f)
		}
		if first.with == nil {
			atoms = append(atoms, Atom{Expr: of(0)})
		} else {
			atoms = append(atoms, inner(first.inner, of))
		}
	}
	return atoms
}

// distances returns candidates for the distance d, or for the scale s if location is set. They are the positive shared parameters
// and, for d only, sums of one with another or with half of another.
func (r *race) distances(location bool) (all []*expr.Expr) {
	for i, p := range r.shared {
		if p.Lower > 0 {
			all = append(all, expr.Var(p.Name))
		}
		if location {
			continue
		}
		for j, q := range r.shared {
			if i != j && p.Lower > 0 && q.Lower >= 0 && !math.IsInf(q.Upper, 1) {
				all = append(all, add(expr.Var(p.Name), mul(expr.Num(0.5), expr.Var(q.Name))), add(expr.Var(p.Name), expr.Var(q.Name)))
			}
		}
	}
	return all
}

// factors returns factors made of the shared parameters and time.
func (r *race) factors(log, root *expr.Expr) []int {
	var atoms []Atom
	for _, p := range r.shared {
		x := expr.Var(p.Name)
		atoms = append(atoms, Atom{Expr: x}, Atom{Expr: expr.New(expr.Square, x)}, Atom{Expr: div(expr.New(expr.Square, x), r.tau)}, Atom{Expr: div(x, root)})
		if p.Lower > 0 {
			atoms = append(atoms, Atom{Expr: x, Under: true}, Atom{Expr: expr.New(expr.Square, x), Under: true})
		}
	}
	return r.library.add(append(atoms, Atom{Expr: log}, Atom{Expr: r.tau, Under: true}, Atom{Expr: root, Under: true}, Atom{Expr: r.tau})...)
}
