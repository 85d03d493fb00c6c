package simplify

import (
	"math"
	"slices"

	"likc/compiler/expr"
)

// item is one piece of a written sum: +e or -e. A piece that can also be written with the other sign keeps c and t.
type item struct {
	negative bool
	e        *expr.Expr
	c        ratio
	t        *expr.Expr
}

// render writes the sum: like coefficients grouped, positive pieces first, smaller before larger.
func (l *sum) render() *expr.Expr {
	l.gatherLogs()
	items := l.items()
	slices.SortStableFunc(items, func(x, y item) int { return compare(x.e, y.e) })
	var plus, minus []item
	for _, it := range items {
		if it.negative {
			minus = append(minus, it)
		} else {
			plus = append(plus, it)
		}
	}
	switch k := l.s.number(l.constant.abs()); {
	case l.constant.isZero():
	case !l.constant.negative():
		plus = append(plus, item{e: k})
	case len(plus) == 0:
		plus = append(plus, item{e: l.s.number(l.constant)})
	default:
		minus = append(minus, item{negative: true, e: k})
	}
	if len(plus) == 0 && len(minus) == 0 {
		return l.s.num(0)
	}
	return l.s.chain(plus, minus)
}

// chain adds up the pieces from the left. Without a positive piece, the first that takes a minus sign for free leads.
func (s *Simplifier) chain(plus, minus []item) *expr.Expr {
	if len(plus) == 0 {
		lead, e := 0, s.negated(minus[0])
		for i, it := range minus {
			if n := s.negated(it); n.Size() <= it.e.Size() {
				lead, e = i, n
				break
			}
		}
		plus = []item{{e: e}}
		minus = slices.Delete(minus, lead, lead+1)
	}
	out := plus[0].e
	for _, it := range plus[1:] {
		out = s.new(expr.Add, out, it.e)
	}
	for _, it := range minus {
		out = s.new(expr.Sub, out, it.e)
	}
	return out
}

func (s *Simplifier) negated(it item) *expr.Expr {
	if it.t != nil {
		return s.scaled(it.c, it.t)
	}
	return s.scaled(whole(-1), it.e)
}

// items turns terms into pieces, those with one common coefficient into one piece c*(…).
func (l *sum) items() []item {
	items := make([]item, 0, len(l.terms)+1)
	var taken []bool
	for i, u := range l.terms {
		if taken != nil && taken[i] {
			continue
		}
		if !u.c.abs().isOne() {
			if group := l.alike(i); len(group) > 1 {
				if taken == nil {
					taken = make([]bool, len(l.terms))
				}
				for _, j := range group {
					taken[j] = true
				}
				items = append(items, l.group(group))
				continue
			}
			u = l.s.halfLog(u)
		}
		items = append(items, item{u.c.negative(), l.s.scaled(u.c.abs(), u.t), u.c, u.t})
	}
	return items
}

// alike returns the places of the terms whose coefficient is that of term i up to sign.
func (l *sum) alike(i int) []int {
	var group []int
	c := l.terms[i].c.abs()
	for j := i; j < len(l.terms); j++ {
		if l.terms[j].c.abs() == c {
			group = append(group, j)
		}
	}
	return group
}

// group writes c*(±t ± …): the piece is negative only if all its terms are.
func (l *sum) group(places []int) item {
	var plus, minus []item
	for _, j := range places {
		if u := l.terms[j]; u.c.negative() {
			minus = append(minus, item{e: u.t})
		} else {
			plus = append(plus, item{e: u.t})
		}
	}
	if l.groups--; l.groups < 0 {
		l.note(groupTerms)
	}
	c := l.terms[places[0]].c.abs()
	negative := len(plus) == 0
	if negative {
		plus, minus = minus, nil
	}
	inner := l.s.chain(plus, minus)
	it := item{negative: negative, e: l.s.timesRatio(inner, c)}
	if negative {
		return item{true, it.e, c.neg(), inner}
	}
	return it
}

// timesRatio writes c*e for an e without a coefficient of its own.
func (s *Simplifier) timesRatio(e *expr.Expr, c ratio) *expr.Expr {
	if c.n != 1 {
		e = s.new(expr.Mul, s.num(c.n), e)
	}
	if c.d != 1 {
		e = s.new(expr.Div, e, s.num(c.d))
	}
	return e
}

// number writes a ratio as a constant or a quotient of two.
func (s *Simplifier) number(c ratio) *expr.Expr {
	if c.d != 1 {
		return s.num(c.value())
	}
	return s.num(c.n)
}

// gatherLogs writes 2n·log|x| as log(x^(2n)), which is smaller.
func (l *sum) gatherLogs() {
	changed := false
	for i, u := range l.terms {
		n := u.c.abs()
		if u.t.Op != expr.Log || u.t.Args[0].Op != expr.Abs || n.d != 1 || math.Mod(n.n, 2) != 0 {
			continue
		}
		log := l.s.new(expr.Log, l.s.power(u.t.Args[0].Args[0], n.n))
		l.terms[i] = term{ratio{math.Copysign(1, u.c.n), 1}, log}
		changed = true
	}
	if changed {
		slices.SortFunc(l.terms, func(x, y term) int { return compare(x.t, y.t) })
	}
}

// halfLog writes log(x)/2 as log(√x), which is smaller.
func (s *Simplifier) halfLog(u term) term {
	if u.t.Op == expr.Log && u.c.abs() == (ratio{0.5, 1}) {
		return term{ratio{math.Copysign(1, u.c.n), 1}, s.new(expr.Log, s.power(u.t.Args[0], 0.5))}
	}
	return u
}
