package simplify

import (
	"slices"

	"likc/compiler/expr"
)

// maxChain is the largest number of nodes of a sum or product that are collected together. Such a sum or product is called a
// chain here.
const maxChain = 512

// rewriteLarge rewrites the arguments of an expression that may contain a chain longer than maxChain. It simplifies long chains
// from the inside out, so that the time is proportional to their length.
func (s *Simplifier) rewriteLarge(e *expr.Expr) {
	if e.Size() <= maxChain {
		return
	}
	for _, a := range e.Args {
		s.rewrite(a)
	}
}

// inner returns e as it is used inside a chain: e itself, or its canonical form if e is large.
func (s *Simplifier) inner(e *expr.Expr) *expr.Expr {
	if e.Size() > maxChain {
		if out := s.done[e]; out != nil {
			return out
		}
	}
	return e
}

// term is a coefficient c times an expression t.
type term struct {
	c ratio
	t *expr.Expr
}

// sum is a collected chain of additions: a constant plus terms c·t with distinct t.
type sum struct {
	s        *Simplifier
	terms    []term
	constant ratio
	index    map[*expr.Expr]int // for t, the index of its term; used only if there are many terms
	journal
	groups int    // the number of sums in the chain that have a coefficient
	items  []item // the pieces of the rendered sum
}

// isSum reports whether the sum collector applies to e: an addition or subtraction, perhaps multiplied by constants.
func isSum(e *expr.Expr) bool {
	for {
		switch e.Op {
		case expr.Add, expr.Sub:
			return true
		case expr.Mul:
			if isFactor(e.Args[1]) {
				e = e.Args[0]
			} else if isFactor(e.Args[0]) {
				e = e.Args[1]
			} else {
				return false
			}
		case expr.Div:
			if !isFactor(e.Args[1]) {
				return false
			}
			e = e.Args[0]
		case expr.Neg:
			e = e.Args[0]
		default:
			return false
		}
	}
}

// isFactor reports whether e is a constant by which terms can be multiplied.
func isFactor(e *expr.Expr) bool {
	return e.Op == expr.Const && e.Value != 0 && ratioOf(e.Value).usable()
}

// collectSum returns the canonical form of the sum e, or nil if that would be larger than e.
func (s *Simplifier) collectSum(e *expr.Expr) *expr.Expr {
	s.rewriteLarge(e)
	l := s.sum(e)
	defer l.free()
	if l.bad {
		return nil
	}
	return s.accept(e, l.render(), &l.journal, orderSum)
}

// sum collects the sum e.
func (s *Simplifier) sum(e *expr.Expr) *sum {
	l := s.newSum()
	l.add(e, one)
	if !l.bad {
		l.finish()
	}
	return l
}

// newSum returns an empty sum, in memory that [sum.free] has released.
func (s *Simplifier) newSum() *sum {
	n := len(s.sums)
	if n == 0 {
		return &sum{s: s, constant: ratioOf(0)}
	}
	l := s.sums[n-1]
	s.sums = s.sums[:n-1]
	*l = sum{s: s, constant: ratioOf(0), terms: l.terms[:0], items: l.items[:0], journal: l.journal.emptied()}
	return l
}

// free releases the sum's memory for the next sum.
func (l *sum) free() { l.s.sums = append(l.s.sums, l) }

// add adds c·e to the sum.
func (l *sum) add(e *expr.Expr, c ratio) {
	l.visit()
	if l.bad {
		return
	}
	switch e = l.s.inner(e); e.Op {
	case expr.Add:
		l.add(e.Args[0], c)
		l.add(e.Args[1], c)
	case expr.Sub:
		l.add(e.Args[0], c)
		l.add(e.Args[1], c.neg())
	case expr.Neg:
		l.add(e.Args[0], c.neg())
	case expr.Mul, expr.Div:
		l.addScaled(e, c)
	case expr.Const:
		l.addConstant(e, c)
	default:
		l.addTerm(e, c)
	}
}

// addConstant adds c·e to the sum, where e is a constant.
func (l *sum) addConstant(e *expr.Expr, c ratio) {
	if e.Value == 0 {
		l.note(addZero)
		return
	}
	if !isFactor(e) {
		l.merge(e, c)
		return
	}
	if !l.constant.isZero() {
		l.note(foldSum)
	}
	l.constant = l.constant.plus(c.times(ratioOf(e.Value)))
	l.bad = l.bad || !l.constant.usable()
}

// addScaled adds c times the product e. If e is a constant times a sum, it adds the terms of that sum.
func (l *sum) addScaled(e *expr.Expr, c ratio) {
	if !isSum(e) {
		l.addTerm(e, c)
		return
	}
	l.visit()
	l.groups++
	x, y := e.Args[0], e.Args[1]
	switch {
	case e.Op == expr.Div:
		l.add(x, c.times(ratioOf(y.Value).inverse()))
	case isFactor(y):
		l.add(x, c.times(ratioOf(y.Value)))
	default:
		l.add(y, c.times(ratioOf(x.Value)))
	}
}

// addTerm adds c·e to the sum. e is no sum, but may become one when it is simplified.
func (l *sum) addTerm(e *expr.Expr, c ratio) {
	l.size--
	a := l.s.rewrite(e)
	if a != e && (isSum(a) || a.Op == expr.Const) {
		l.add(a, c)
		return
	}
	l.size += a.Size()
	k, t := l.s.split(a)
	l.merge(t, c.times(k))
}

// merge adds c·t to the term with expression t, or appends it as a new term.
func (l *sum) merge(t *expr.Expr, c ratio) {
	l.bad = l.bad || !c.usable()
	if i, ok := l.find(t); ok {
		l.note(mergeTerms)
		l.terms[i].c = l.terms[i].c.plus(c)
		l.bad = l.bad || !l.terms[i].c.usable()
		return
	}
	if l.index != nil {
		l.index[t] = len(l.terms)
	}
	l.terms = append(l.terms, term{c, t})
}

// find returns the index of the term with expression t, and whether there is one. In long sums it uses the map index.
func (l *sum) find(t *expr.Expr) (int, bool) {
	if l.index == nil && len(l.terms) > 24 {
		l.index = map[*expr.Expr]int{}
		for i, u := range l.terms {
			l.index[u.t] = i
		}
	}
	if l.index != nil {
		i, ok := l.index[t]
		return i, ok
	}
	for i, u := range l.terms {
		if u.t == t {
			return i, true
		}
	}
	return 0, false
}

// finish removes terms that cancelled and sorts the others.
func (l *sum) finish() {
	kept := l.terms[:0]
	for _, u := range l.terms {
		if u.c.isZero() {
			l.note(cancelTerms)
			l.gone = append(l.gone, u.t)
			continue
		}
		if l.s.sets&Reassociate != 0 {
			u.c = ratioOf(u.c.value())
		}
		kept = append(kept, u)
	}
	if l.s.sets&Reassociate != 0 {
		l.constant = ratioOf(l.constant.value())
	}
	l.terms, l.index = kept, nil
	slices.SortFunc(l.terms, func(x, y term) int { return compare(x.t, y.t) })
}

// scale multiplies the whole sum by c.
func (l *sum) scale(c ratio) {
	for i := range l.terms {
		l.terms[i].c = l.terms[i].c.times(c)
	}
	l.constant = l.constant.times(c)
}
