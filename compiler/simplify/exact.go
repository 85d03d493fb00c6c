package simplify

import (
	"math"

	"likc/compiler/expr"
)

// exactRules returns the rules that keep every finite value exactly, to the last bit. The collectors of sums and products
// include much of this. The rules are needed if the collectors are switched off or leave a node unchanged.
func exactRules() []Rule {
	sums, products := []expr.Op{expr.Add, expr.Sub}, []expr.Op{expr.Mul, expr.Div}
	return []Rule{
		{Name: "FoldConstants", Doc: "an operator of constants is its value, if finite", Set: Exact, Ops: expr.Ops(), Apply: foldConstants},
		{Name: "OrderArguments", Doc: "x ∘ y = y ∘ x for commutative operators", Set: Exact, Ops: commutative(), Apply: orderArguments},
		{Name: "Zero", Doc: "x + 0 = x - 0 = x, 0 - x = -x", Set: Exact, Ops: sums, Apply: zero},
		{Name: "SubSelf", Doc: "x - x = 0, wherever x is defined", Set: Exact, Ops: []expr.Op{expr.Sub}, Apply: subSelf},
		{Name: "AddNegative", Doc: "x + (-y) = x - y, x - (-y) = x + y", Set: Exact, Ops: sums, Apply: addNegative},
		{Name: "DoubleNegative", Doc: "-(-x) = x, -(x - y) = y - x", Set: Exact, Ops: []expr.Op{expr.Neg}, Apply: doubleNegative},
		{Name: "One", Doc: "1*x = x/1 = x", Set: Exact, Ops: products, Apply: oneFactor},
		{Name: "TimesZero", Doc: "0*x = 0, wherever x is defined", Set: Exact, Ops: []expr.Op{expr.Mul}, Apply: timesZero},
		{Name: "DivSelf", Doc: "x/x = 1, x != 0", Set: Exact, Ops: []expr.Op{expr.Div}, Apply: divSelf},
		{Name: "NegativeFactors", Doc: "(-x)*(-y) = x*y, (-x)/(-y) = x/y", Set: Exact, Ops: products, Apply: negativeFactors},
		{Name: "EvenOfNegative", Doc: "(-x)^2 = x^2, |-x| = |x|", Set: Exact, Ops: []expr.Op{expr.Square, expr.Abs}, Apply: evenOfNegative},
		{Name: "AbsNonNegative", Doc: "|x| = x for x that cannot be negative", Set: Exact, Ops: []expr.Op{expr.Abs}, Apply: absNonNegative},
		{Name: "SqrtSquare", Doc: "sqrt(x^2) = |x|", Set: Exact, Ops: []expr.Op{expr.Sqrt}, Apply: sqrtSquare},
		{Name: "PowOne", Doc: "x^1 = x, x^0.5 = sqrt(x), 1^x = 1", Set: Exact, Ops: []expr.Op{expr.Pow}, Apply: powOne},
		{Name: "MinMaxSelf", Doc: "min(x, x) = max(x, x) = x", Set: Exact, Ops: []expr.Op{expr.Min, expr.Max}, Apply: minMaxSelf},
		{Name: "IfConstant", Doc: "if(1, x, y) = x, if(0, x, y) = y", Set: Exact, Ops: []expr.Op{expr.If}, Apply: ifConstant},
		{Name: "LessSelf", Doc: "less(x, x) = 0, wherever x is defined", Set: Exact, Ops: []expr.Op{expr.Less}, Apply: lessSelf},
		{Name: "SignKnown", Doc: "sign(x) = ±1 for x of known sign", Set: Exact, Ops: []expr.Op{expr.Sign}, Apply: signKnown},
	}
}

func commutative() []expr.Op {
	var ops []expr.Op
	for _, op := range expr.Ops() {
		if op.Info().Commutative {
			ops = append(ops, op)
		}
	}
	return ops
}

func foldConstants(s *Simplifier, n *expr.Expr) *expr.Expr {
	var x [3]float64
	eval := n.Op.Info().Eval
	for i, a := range n.Args {
		if a.Op != expr.Const {
			return nil
		}
		x[i] = a.Value
	}
	if eval == nil || len(n.Args) == 0 {
		return nil
	}
	if v := eval(x); !math.IsNaN(v) && !math.IsInf(v, 0) {
		return s.num(v)
	}
	return nil
}

func orderArguments(s *Simplifier, n *expr.Expr) *expr.Expr {
	if compare(n.Args[0], n.Args[1]) > 0 {
		return s.new(n.Op, n.Args[1], n.Args[0])
	}
	return nil
}

func zero(s *Simplifier, n *expr.Expr) *expr.Expr {
	x, y := n.Args[0], n.Args[1]
	switch {
	case y.IsNum(0):
		return x
	case x.IsNum(0) && n.Op == expr.Sub:
		return s.new(expr.Neg, y)
	case x.IsNum(0):
		return y
	}
	return nil
}

func subSelf(s *Simplifier, n *expr.Expr) *expr.Expr {
	if n.Args[0] != n.Args[1] {
		return nil
	}
	s.dropInside(n)
	return s.num(0)
}

func addNegative(s *Simplifier, n *expr.Expr) *expr.Expr {
	x, y := n.Args[0], n.Args[1]
	switch {
	case y.Op == expr.Neg && n.Op == expr.Add:
		return s.new(expr.Sub, x, y.Args[0])
	case y.Op == expr.Neg:
		return s.new(expr.Add, x, y.Args[0])
	case x.Op == expr.Neg && n.Op == expr.Add:
		return s.new(expr.Sub, y, x.Args[0])
	}
	return nil
}

func doubleNegative(s *Simplifier, n *expr.Expr) *expr.Expr {
	switch x := n.Args[0]; x.Op {
	case expr.Neg:
		return x.Args[0]
	case expr.Sub:
		return s.new(expr.Sub, x.Args[1], x.Args[0])
	}
	return nil
}

func oneFactor(s *Simplifier, n *expr.Expr) *expr.Expr {
	switch {
	case n.Args[1].IsNum(1):
		return n.Args[0]
	case n.Op == expr.Mul && n.Args[0].IsNum(1):
		return n.Args[1]
	}
	return nil
}

func timesZero(s *Simplifier, n *expr.Expr) *expr.Expr {
	if !n.Args[0].IsNum(0) && !n.Args[1].IsNum(0) {
		return nil
	}
	s.dropInside(n)
	return s.num(0)
}

func divSelf(s *Simplifier, n *expr.Expr) *expr.Expr {
	if n.Args[0] != n.Args[1] {
		return nil
	}
	s.dropInside(n)
	return s.num(1)
}

func negativeFactors(s *Simplifier, n *expr.Expr) *expr.Expr {
	x, y := n.Args[0], n.Args[1]
	if x.Op == expr.Neg && y.Op == expr.Neg {
		return s.new(n.Op, x.Args[0], y.Args[0])
	}
	return nil
}

func evenOfNegative(s *Simplifier, n *expr.Expr) *expr.Expr {
	if x := n.Args[0]; x.Op == expr.Neg || n.Op == expr.Square && x.Op == expr.Abs {
		return s.new(n.Op, x.Args[0])
	}
	return nil
}

func absNonNegative(s *Simplifier, n *expr.Expr) *expr.Expr {
	if s.is(n.Args[0], expr.NonNegative) {
		return n.Args[0]
	}
	return nil
}

func sqrtSquare(s *Simplifier, n *expr.Expr) *expr.Expr {
	if x := n.Args[0]; x.Op == expr.Square {
		return s.new(expr.Abs, x.Args[0])
	}
	return nil
}

func powOne(s *Simplifier, n *expr.Expr) *expr.Expr {
	x, y := n.Args[0], n.Args[1]
	switch {
	case y.IsNum(1):
		return x
	case y.IsNum(0.5):
		return s.new(expr.Sqrt, x)
	case x.IsNum(1):
		s.dropInside(y)
		return x
	}
	return nil
}

func minMaxSelf(s *Simplifier, n *expr.Expr) *expr.Expr {
	if n.Args[0] == n.Args[1] {
		return n.Args[0]
	}
	return nil
}

func lessSelf(s *Simplifier, n *expr.Expr) *expr.Expr {
	if n.Args[0] != n.Args[1] {
		return nil
	}
	s.dropInside(n)
	return s.num(0)
}

func signKnown(s *Simplifier, n *expr.Expr) *expr.Expr {
	x := s.interval(n)
	if x.Lo != x.Hi {
		return nil
	}
	s.dropInside(n)
	return s.num(x.Lo)
}

// ifConstant replaces an if with a constant condition by the chosen branch.
func ifConstant(s *Simplifier, n *expr.Expr) *expr.Expr {
	switch c := n.Args[0]; {
	case c.Op != expr.Const:
		return nil
	case c.Value != 0:
		return n.Args[1]
	}
	return n.Args[2]
}
