// Package separate uses the linearity of the sum over trials. It rewrites Σ f as a combination of sums that depend on the
// trials alone (sufficient statistics, summed once) and of sums that still depend on parameters (accumulators):
//
//	Σ(x+y) = Σx + Σy    Σ(c·x) = c·Σx    Σc = c·N      where c has no trial symbol
//
// after multiplying out what stands between the sum and the trials. Multiplying out can cancel, so callers compare the
// result with [Whole] on data before they use it.
package separate

import (
	"likc/compiler/expr"
)

// Known is what is known of a model's symbols.
type Known struct {
	Trials   map[string]bool // symbols with a value a trial
	Positive []*expr.Expr    // expressions that the support makes positive
}

// Know collects what a model says: its trial columns, and right - left of each support condition of the group.
func Know(m *expr.Model, g expr.Group) Known {
	k := Known{Trials: map[string]bool{}}
	for _, t := range m.Trials {
		k.Trials[t] = true
	}
	for _, c := range g.Support {
		k.Positive = append(k.Positive, expr.New(expr.Sub, c.Right, c.Left))
	}
	return k
}

// Whole returns Σ f over the group, with nothing taken out of the sum but factors and terms without trial symbols.
func Whole(group string, f *expr.Expr, k Known) *expr.Expr {
	s := newSplitter(k)
	return s.hoist(group, f)
}

// Plain returns Σ f without rewriting f; f·N if f has no trial symbol.
func Plain(group string, f *expr.Expr, k Known) *expr.Expr {
	if s := newSplitter(k); !s.perTrial(f) {
		return expr.New(expr.Mul, f, expr.SumOver(group, expr.Num(1)))
	}
	return expr.SumOver(group, f)
}

// Split returns Σ f over the group, multiplied out into statistics and accumulators. It reports false where multiplying out would need more
// than maxTerms terms.
func Split(group string, f *expr.Expr, k Known) (*expr.Expr, bool) {
	s := newSplitter(k)
	p, ok := s.multiplied(f)
	if !ok {
		return nil, false
	}
	total := expr.Num(0)
	for _, t := range p {
		sum := expr.SumOver(group, s.monomial(t.factors))
		if t.coef.IsNum(0) {
			total = expr.Plus(total, expr.New(expr.Mul, t.coef, sum))
			continue
		}
		total = expr.Plus(total, expr.Times(t.coef, sum))
	}
	return total, true
}

// SplitSums rewrites every sum in e by [Split], or by [Whole] where that would need too many terms.
func SplitSums(e *expr.Expr, k Known) *expr.Expr {
	return expr.Map(e, func(n *expr.Expr, args []*expr.Expr) *expr.Expr {
		if n.Op != expr.Sum {
			return n.With(args)
		}
		if split, ok := Split(n.Name, n.Args[0], k); ok {
			return split
		}
		return Whole(n.Name, n.Args[0], k)
	})
}

// Linear writes f as a sum of products of a coefficient, without trial symbols, and a function of trial symbols alone. It reports false where f
// is no such sum, or one of more than so many terms.
func Linear(f *expr.Expr, k Known, most int) (*expr.Expr, bool) {
	s := newSplitter(k)
	p, ok := s.multiplied(f)
	if !ok || len(p) > most {
		return nil, false
	}
	total := expr.Num(0)
	for _, t := range p {
		function := s.monomial(t.factors)
		if s.mixed(function) {
			return nil, false
		}
		total = expr.Plus(total, expr.Times(t.coef, function))
	}
	return total, true
}

// multiplied returns f multiplied out.
func (s *splitter) multiplied(f *expr.Expr) ([]term, bool) {
	s.findDivisors(f)
	p, ok := s.expand(f)
	if !ok {
		return nil, false
	}
	return s.multiplyOutAtoms(p)
}

// Bounds: terms of a product that is multiplied out; nodes, counted as a tree, of a sum or product that is taken apart.
const (
	maxTerms = 256
	maxChain = 1 << 14
)

// splitter rewrites one expression.
type splitter struct {
	known    Known
	depends  map[*expr.Expr]dependence
	expanded map[*expr.Expr][]term
	atoms    []*expr.Expr // trial-dependent expressions that are not taken apart, by number
	number   map[uint64][]int
	divisors map[uint64][]*expr.Expr // sums that are denominators, in normal form
	terms    map[*expr.Expr]int      // how many terms a sum has
	lengths  map[int]bool            // numbers of terms of the divisors
	keys     map[*expr.Expr]string   // texts of the terms of sums
	marked   map[*expr.Expr]bool
	positive []*expr.Expr // sums that the support makes positive, in normal form
}

func newSplitter(k Known) *splitter {
	s := &splitter{known: k, depends: map[*expr.Expr]dependence{}, expanded: map[*expr.Expr][]term{},
		number: map[uint64][]int{}, divisors: map[uint64][]*expr.Expr{},
		marked: map[*expr.Expr]bool{}, terms: map[*expr.Expr]int{}, lengths: map[int]bool{}, keys: map[*expr.Expr]string{}}
	for _, p := range k.Positive {
		if n, factor := s.normal(p); factor > 0 {
			s.positive = append(s.positive, n)
		}
	}
	return s
}

// perTrial reports whether e depends on a trial symbol.
func (s *splitter) perTrial(e *expr.Expr) bool { return s.dependence(e).trials }

// mixed reports whether e depends on a trial symbol and on a parameter.
func (s *splitter) mixed(e *expr.Expr) bool {
	d := s.dependence(e)
	return d.trials && d.params
}

// dependence says what kinds of symbol an expression contains.
type dependence struct{ trials, params bool }

func (s *splitter) dependence(e *expr.Expr) dependence {
	if d, ok := s.depends[e]; ok {
		return d
	}
	for _, n := range expr.Order(e) {
		var d dependence
		if n.Op == expr.Sym {
			d = dependence{s.known.Trials[n.Name], !s.known.Trials[n.Name]}
		}
		for _, a := range n.Args {
			d.trials = d.trials || s.depends[a].trials
			d.params = d.params || s.depends[a].params
		}
		s.depends[n] = d
	}
	return s.depends[e]
}

// hoist takes factors and terms without trial symbols out of the sum, and data-only terms as statistics.
func (s *splitter) hoist(group string, f *expr.Expr) *expr.Expr {
	free, data, rest := expr.Num(0), expr.Num(0), expr.Num(0)
	for _, t := range s.addends(f, 1) {
		coef, body := s.factor(t.e)
		coef = expr.Times(expr.Num(t.sign), coef)
		switch {
		case body == nil:
			free = expr.Plus(free, expr.Times(coef, expr.SumOver(group, expr.Num(1))))
		case !s.mixed(body):
			data = expr.Plus(data, expr.Times(coef, expr.SumOver(group, body)))
		default:
			rest = expr.Plus(rest, expr.Times(coef, body))
		}
	}
	if rest.IsNum(0) {
		return expr.Plus(free, data)
	}
	coef, body := s.factor(rest)
	return expr.Plus(expr.Plus(free, data), expr.Times(coef, expr.SumOver(group, body)))
}

type addend struct {
	e    *expr.Expr
	sign float64
}

// addends lists the terms of a sum, down to nodes that are no sums.
func (s *splitter) addends(e *expr.Expr, sign float64) []addend {
	if e.Size() > maxChain {
		return []addend{{e, sign}}
	}
	switch e.Op {
	case expr.Add:
		return append(s.addends(e.Args[0], sign), s.addends(e.Args[1], sign)...)
	case expr.Sub:
		return append(s.addends(e.Args[0], sign), s.addends(e.Args[1], -sign)...)
	case expr.Neg:
		return s.addends(e.Args[0], -sign)
	}
	return []addend{{e, sign}}
}

// factor writes e as coef·body, coef without trial symbols; body is nil if e has none.
func (s *splitter) factor(e *expr.Expr) (coef, body *expr.Expr) {
	if !s.perTrial(e) {
		return e, nil
	}
	if e.Size() > maxChain {
		return expr.Num(1), e
	}
	switch e.Op {
	case expr.Neg:
		c, b := s.factor(e.Args[0])
		return expr.Negative(c), b
	case expr.Mul:
		c0, b0 := s.factor(e.Args[0])
		c1, b1 := s.factor(e.Args[1])
		return expr.Times(c0, c1), join(expr.Mul, b0, b1)
	case expr.Div:
		c0, b0 := s.factor(e.Args[0])
		c1, b1 := s.factor(e.Args[1])
		switch {
		case b0 == nil:
			b0 = expr.New(expr.Inv, b1)
		case b1 != nil:
			b0 = expr.New(expr.Div, b0, b1)
		}
		return expr.Over(c0, c1), b0
	}
	return expr.Num(1), e
}

func join(op expr.Op, a, b *expr.Expr) *expr.Expr {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return expr.New(op, a, b)
}

// Hoist rewrites every sum in e by [Whole]'s rules: derivatives of sums have factors and terms of their own to take out.
func Hoist(e *expr.Expr, k Known) *expr.Expr {
	s := newSplitter(k)
	return expr.Map(e, func(n *expr.Expr, args []*expr.Expr) *expr.Expr {
		if n.Op == expr.Sum {
			return s.hoist(n.Name, n.Args[0])
		}
		return n.With(args)
	})
}
