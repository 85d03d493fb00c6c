package simplify

import (
	"math"

	"likc/compiler/expr"
)

// intern returns the node that represents all expressions equal to e. The arguments of e must be interned.
func (s *Simplifier) intern(e *expr.Expr) *expr.Expr {
	for h := e.Hash(); ; h++ {
		f := s.nodes[h]
		if f == nil {
			s.nodes[h] = e
			return e
		}
		if f == e || sameNode(f, e) {
			return f
		}
	}
}

// sameNode compares two nodes whose arguments are interned.
func sameNode(e, f *expr.Expr) bool {
	if e.Op != f.Op || e.Name != f.Name || math.Float64bits(e.Value) != math.Float64bits(f.Value) {
		return false
	}
	for i, a := range e.Args {
		if a != f.Args[i] {
			return false
		}
	}
	return true
}

// new returns the interned node op(args).
func (s *Simplifier) new(op expr.Op, args ...*expr.Expr) *expr.Expr {
	e := expr.New(op, args...)
	if e.Op == expr.Const {
		return s.num(e.Value)
	}
	return s.intern(e)
}

// num returns the interned constant v. It makes -0 a 0.
func (s *Simplifier) num(v float64) *expr.Expr { return s.intern(expr.Num(v + 0)) }

// compare defines the order of interned nodes in canonical forms: constants, then symbols by name, then smaller before larger
// expressions.
func compare(e, f *expr.Expr) int {
	for e != f {
		switch {
		case e.Size() != f.Size():
			return e.Size() - f.Size()
		case e.Op != f.Op:
			return int(e.Op) - int(f.Op)
		case e.Op == expr.Const && e.Value < f.Value:
			return -1
		case e.Op == expr.Const:
			return 1
		case e.Name < f.Name:
			return -1
		case e.Name > f.Name:
			return 1
		}
		e, f = firstDifference(e, f)
	}
	return 0
}

// firstDifference returns the first pair of arguments that differ. Two distinct interned nodes always have one.
func firstDifference(e, f *expr.Expr) (*expr.Expr, *expr.Expr) {
	for i, a := range e.Args {
		if a != f.Args[i] {
			return a, f.Args[i]
		}
	}
	return e, e
}

// interval returns an interval that contains the values of an interned node. It follows from the assumptions and from the
// node's structure.
func (s *Simplifier) interval(e *expr.Expr) expr.Interval {
	switch e.Op {
	case expr.Const:
		return expr.Point(e.Value)
	case expr.Sym:
		if known, ok := s.assume.Symbols[e.Name]; ok {
			return s.withFact(e, known)
		}
		return s.withFact(e, expr.Reals)
	}
	if x, ok := s.ranges[e]; ok {
		return x
	}
	var args [3]expr.Interval
	for i, a := range e.Args {
		args[i] = s.interval(a)
	}
	x := s.withFact(e, e.Op.Range(args))
	s.ranges[e] = x
	return x
}

func (s *Simplifier) withFact(e *expr.Expr, x expr.Interval) expr.Interval {
	if fact, ok := s.facts[e]; ok {
		return x.Intersect(fact)
	}
	return x
}

// is reports whether e is proven to meet the requirement must wherever it is finite.
func (s *Simplifier) is(e *expr.Expr, must expr.Must) bool { return s.interval(e).Satisfies(must) }
