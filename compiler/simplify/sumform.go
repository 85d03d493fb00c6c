package simplify

import (
	"math"
	"slices"

	"likc/compiler/expr"
)

// item is one piece of a rendered sum: +e or -e. If e is a single term c·t, c and t are set too, so that the piece can be written with the
// other sign.
type item struct {
	negative bool
	e        *expr.Expr
	c        ratio
	t        *expr.Expr
}

// render returns the sum as an expression. Terms with the same coefficient are grouped; positive pieces come first, smaller
// before larger, and the constant last.
func (l *sum) render() *expr.Expr {
	l.gatherLogs()
	l.writeItems()
	slices.SortStableFunc(l.items, func(x, y item) int {
		switch {
		case x.negative == y.negative:
			return compare(x.e, y.e)
		case y.negative:
			return -1
		}
		return 1
	})
	if k := l.constant; !k.isZero() {
		it := item{negative: k.negative(), e: l.s.number(k.abs())}
		position := len(l.items)
		if lead := slices.IndexFunc(l.items, func(it item) bool { return it.negative }); !it.negative && lead >= 0 {
			position = lead
		} else if it.negative && lead == 0 {
			it, position = item{e: l.s.number(k)}, 0
		}
		l.items = slices.Insert(l.items, position, it)
	}
	return l.s.chain(l.items)
}

// chain adds the pieces from left to right, positive ones first. If no piece is positive, it begins with one that can have a
// minus sign without a further node.
func (s *Simplifier) chain(items []item) *expr.Expr {
	if len(items) == 0 {
		return s.num(0)
	}
	lead, out := 0, items[0].e
	if items[0].negative {
		out = s.negated(items[0])
		for i, it := range items {
			if n := s.negated(it); n.Size() <= it.e.Size() {
				lead, out = i, n
				break
			}
		}
	}
	for i, it := range items {
		switch {
		case i == lead:
		case it.negative:
			out = s.new(expr.Sub, out, it.e)
		default:
			out = s.new(expr.Add, out, it.e)
		}
	}
	return out
}

// negated returns the expression of a piece with the other sign.
func (s *Simplifier) negated(it item) *expr.Expr {
	if it.t != nil {
		return s.scaled(it.c, it.t)
	}
	return s.scaled(ratioOf(-1), it.e)
}

// writeItems turns terms into pieces. Terms with the same coefficient become one piece c*(…).
func (l *sum) writeItems() {
	l.items = l.items[:0]
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
				l.items = append(l.items, l.group(group))
				continue
			}
			u = l.s.halfLog(u)
		}
		l.items = append(l.items, item{u.c.negative(), l.s.scaled(u.c.abs(), u.t), u.c, u.t})
	}
}

// alike returns the indexes of the terms whose coefficient equals that of term i, up to sign.
func (l *sum) alike(i int) []int {
	c := l.terms[i].c.abs()
	if !slices.ContainsFunc(l.terms[i+1:], func(u term) bool { return u.c.abs() == c }) {
		return nil
	}
	var group []int
	for j := i; j < len(l.terms); j++ {
		if l.terms[j].c.abs() == c {
			group = append(group, j)
		}
	}
	return group
}

// group returns the piece c*(±t ± …) of several terms, given by their indexes. It is negative only if all its terms are.
func (l *sum) group(members []int) item {
	var plus, minus []item
	for _, j := range members {
		if u := l.terms[j]; u.c.negative() {
			minus = append(minus, item{negative: true, e: u.t})
		} else {
			plus = append(plus, item{e: u.t})
		}
	}
	if l.groups--; l.groups < 0 {
		l.note(groupTerms)
	}
	c := l.terms[members[0]].c.abs()
	if len(plus) > 0 {
		return item{e: l.s.timesRatio(l.s.chain(append(plus, minus...)), c)}
	}
	for i := range minus {
		minus[i].negative = false
	}
	inner := l.s.chain(minus)
	return item{true, l.s.timesRatio(inner, c), c.neg(), inner}
}

// timesRatio returns c*e, where e has no coefficient itself.
func (s *Simplifier) timesRatio(e *expr.Expr, c ratio) *expr.Expr {
	if c.n != 1 {
		e = s.new(expr.Mul, s.num(c.n), e)
	}
	if c.d != 1 {
		e = s.new(expr.Div, e, s.num(c.d))
	}
	return e
}

// number returns a ratio as a constant, or as a quotient of two constants.
func (s *Simplifier) number(c ratio) *expr.Expr {
	if c.d != 1 {
		return s.num(c.value())
	}
	return s.num(c.n)
}

// gatherLogs replaces terms 2n·log|x| by log(x^(2n)), which is smaller.
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

// halfLog returns log(x)/2 as log(√x), which is smaller.
func (s *Simplifier) halfLog(u term) term {
	if u.t.Op == expr.Log && u.c.abs() == (ratio{0.5, 1}) {
		return term{ratio{math.Copysign(1, u.c.n), 1}, s.new(expr.Log, s.power(u.t.Args[0], 0.5))}
	}
	return u
}
