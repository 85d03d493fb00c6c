// Package separate splits the sum of the log density over trials, so that an evaluation does less work for each trial. It
// rewrites Σ f as a combination of two kinds of sums: those that depend only on trials (sufficient statistics, computed once)
// and those that also depend on parameters (accumulators). It multiplies out and uses that sums are linear:
//
//	Σ(x+y) = Σx + Σy    Σ(c·x) = c·Σx    Σc = c·N      where c has no trial symbol
//
// Multiplying out can lose digits by cancellation, so callers compare the result with [Whole] on data before they use it.
package separate

import (
	"likc/compiler/expr"
)

// Known holds what the compiler knows about a model's symbols.
type Known struct {
	Trials   map[string]bool // symbols that have a value for each trial
	Positive []*expr.Expr    // expressions that the support makes positive
}

// Know returns what a model says about its symbols: the trial columns, and that right - left of each support condition is
// positive.
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

// Whole returns Σ f over the group without multiplying out. Only factors and terms without trial symbols are moved out of the
// sum.
func Whole(group string, f *expr.Expr, k Known) *expr.Expr {
	s := newSplitter(k)
	return s.hoist(group, f)
}

// Plain returns Σ f over the group without rewriting f, or f·N if f has no trial symbol.
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

// SplitSums rewrites every sum in e by [Split], or by [Whole] if Split would need too many terms.
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

// Linear returns f as a sum of products: each is a coefficient without trial symbols, times a function of trial symbols only.
// It returns false if f has no such form, or one with more than most terms.
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

// multiplied returns f multiplied out, or false if there would be too many terms.
func (s *splitter) multiplied(f *expr.Expr) ([]term, bool) {
	s.findDivisors(f)
	p, ok := s.expand(f)
	if !ok {
		return nil, false
	}
	return s.multiplyOutAtoms(p)
}

// Limits: the terms of a product that is multiplied out, and the nodes, counted as a tree, of a sum or product that is split.
const (
	maxTerms = 256
	maxChain = 1 << 14
)

// splitter rewrites one expression.
type splitter struct {
	known    Known
	depends  map[*expr.Expr]dependence // the results of dependence
	expanded map[*expr.Expr][]term     // the results of expand
	atoms    []*expr.Expr              // expressions that depend on trials and are not split, by their index in factors
	number   map[uint64][]int          // the indexes in atoms, by hash
	divisors map[uint64][]*expr.Expr   // the sums that are divisors, in normal form, by hash
	terms    map[*expr.Expr]int        // the number of terms of a sum
	lengths  map[int]bool              // the numbers of terms that divisors have
	keys     map[*expr.Expr]string     // the texts of the terms of sums
	marked   map[*expr.Expr]bool       // the nodes that markDivisor has visited
	positive []*expr.Expr              // sums that are positive within the support, in normal form
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

// dependence computes the dependence of e and of all nodes below it.
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

// hoist returns Σ f with factors and terms without trial symbols moved out of the sum. Terms that depend only on trials become
// sums by themselves, which are statistics.
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

// addend is a term of a sum, with the sign 1 or -1.
type addend struct {
	e    *expr.Expr
	sign float64
}

// addends returns the terms of a sum, where nested sums are split too.
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

// factor returns e as coef·body, where coef has no trial symbols. body is nil if e has no trial symbols.
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

// join returns op(a, b), where nil stands for no operand.
func join(op expr.Op, a, b *expr.Expr) *expr.Expr {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return expr.New(op, a, b)
}

// Hoist rewrites every sum in e as [Whole] does. Derivatives need it, because they have further factors and terms to move out
// of sums.
func Hoist(e *expr.Expr, k Known) *expr.Expr {
	s := newSplitter(k)
	return expr.Map(e, func(n *expr.Expr, args []*expr.Expr) *expr.Expr {
		if n.Op == expr.Sum {
			return s.hoist(n.Name, n.Args[0])
		}
		return n.With(args)
	})
}
