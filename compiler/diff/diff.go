// Package diff differentiates expressions by reverse accumulation over their graph of shared nodes. Derivatives are expressions
// that share every node they can with the value. The derivative of a sum over trials is again a sum over trials; it costs
// nothing where the summand does not depend on the parameters.
//
// Reference: [griewank2008] A. Griewank, A. Walther, Evaluating Derivatives, 2nd ed., SIAM 2008, chapter 3.
package diff

import "likc/compiler/expr"

// Gradient returns the derivative of e with respect to each symbol. Symbols that e does not contain have derivative 0.
func Gradient(e *expr.Expr, symbols []string) []*expr.Expr {
	t := newTrace()
	t.sweep(e, expr.Num(1))
	grad := make([]*expr.Expr, len(symbols))
	for i, s := range symbols {
		grad[i] = t.bySymbol[s]
		if grad[i] == nil {
			grad[i] = expr.Num(0)
		}
	}
	return grad
}

// trace collects adjoints during one backward sweep.
type trace struct {
	adjoint  map[*expr.Expr]*expr.Expr            // for each node: the derivative with respect to it, so far
	bySymbol map[string]*expr.Expr                // the derivatives with respect to symbols
	inner    map[*expr.Expr]map[string]*expr.Expr // for each summand of a sum and branch of a choice, which are swept separately: its derivatives by symbol
}

func newTrace() *trace {
	return &trace{map[*expr.Expr]*expr.Expr{}, map[string]*expr.Expr{}, map[*expr.Expr]map[string]*expr.Expr{}}
}

// derivatives returns the derivatives of e by symbol. It sweeps e once, even if several nodes use it.
func (t *trace) derivatives(e *expr.Expr) map[string]*expr.Expr {
	if d, ok := t.inner[e]; ok {
		return d
	}
	inner := newTrace()
	inner.inner = t.inner
	inner.sweep(e, expr.Num(1))
	t.inner[e] = inner.bySymbol
	return inner.bySymbol
}

// sweep adds the derivatives of seed·e to bySymbol. It visits every node once, after all nodes that use it.
func (t *trace) sweep(e, seed *expr.Expr) {
	t.adjoint[e] = seed
	order := outerNodes(e)
	for i := len(order) - 1; i >= 0; i-- {
		n := order[i]
		bar := t.adjoint[n]
		switch {
		case bar == nil || bar.IsNum(0) || n.Op == expr.Const:
		case n.Op == expr.Sym:
			t.bySymbol[n.Name] = add(t.bySymbol[n.Name], bar)
		case n.Op == expr.Sum || n.Op == expr.NodeSum:
			t.sum(n, bar)
		case n.Op == expr.If:
			t.choice(n, bar)
		default:
			t.spread(n, bar)
		}
	}
}

// spread passes the adjoint of n on to its arguments: the chain rule, [griewank2008] eq. 3.4.
func (t *trace) spread(n, bar *expr.Expr) {
	if n.Op == expr.Exp {
		t.exponent(mul(bar, n), n.Args[0], false, map[*expr.Expr]bool{})
		return
	}
	partials := n.Op.Info().Partial(n.Args, n)
	for i, a := range n.Args {
		switch p := partials[i]; {
		case p == nil || a.Op == expr.Const:
		case divides(n, i) && grows(a):
			t.divide(n, bar, a)
		default:
			t.addAdjoint(a, mul(bar, p))
		}
	}
}

// addAdjoint adds bar to the adjoint of a node.
func (t *trace) addAdjoint(to, bar *expr.Expr) { t.adjoint[to] = add(t.adjoint[to], bar) }

// divide passes the adjoint of a quotient on to its divisor, which grows as exponentials do. Where exp(u) overflows, the quotient
// is 0, and so is its derivative in u, which is minus the quotient. Through the adjoint of exp(u) the derivative would be 0·Inf
// = NaN.
func (t *trace) divide(quotient, bar, divisor *expr.Expr) {
	switch {
	case divisor.Op == expr.Exp:
		t.addAdjoint(divisor.Args[0], mul(bar, neg(quotient)))
	case grows(divisor) && divisor.Op == expr.Mul:
		t.divide(quotient, bar, divisor.Args[0])
		t.divide(quotient, bar, divisor.Args[1])
	case grows(divisor):
		by, _ := expr.Power(divisor)
		t.divide(quotient, mul(bar, expr.Num(by)), divisor.Args[0])
	case divisor.Op != expr.Const:
		t.addAdjoint(divisor, mul(bar, neg(expr.Over(quotient, divisor))))
	}
}

// exponent handles exp(u + v): it passes the adjoint to u and v directly. If u is a positive multiple of the log of terms whose exponentials have all
// vanished, exp(u + v) is 0, and so is its derivative. Through the adjoint of the log it would be 0/0 = NaN. seen holds the sums that were
// passed, and subtracted says whether the summand counts negatively.
func (t *trace) exponent(bar, summand *expr.Expr, subtracted bool, seen map[*expr.Expr]bool) {
	switch {
	case (summand.Op == expr.Add || summand.Op == expr.Sub) && !seen[summand]:
		seen[summand] = true
		t.exponent(bar, summand.Args[0], subtracted, seen)
		if summand.Op == expr.Sub {
			bar, subtracted = neg(bar), !subtracted
		}
		t.exponent(bar, summand.Args[1], subtracted, seen)
	case summand.Op != expr.Const:
		scale, log := 1.0, summand
		switch {
		case summand.Op == expr.Neg:
			scale, log = -1, summand.Args[0]
		case summand.Op == expr.Mul && summand.Args[0].Op == expr.Const:
			scale, log = summand.Args[0].Value, summand.Args[1]
		}
		if log.Op == expr.Log && (scale > 0) != subtracted {
			if v := expr.Vanishing(log.Args[0]); v != nil {
				t.addAdjoint(log.Args[0], unlessVanished(v, log.Args[0], expr.Over(mul(expr.Num(scale), bar), log.Args[0])))
				return
			}
		}
		t.addAdjoint(summand, bar)
	}
}

// tiny is small enough: where a product with an exponential above it is 0, another factor is 0, or below 1e-74.
const tiny = 1e-250

// unlessVanished returns an adjoint of e, or 0 where e is 0 because the exponentials v have vanished.
func unlessVanished(v, e, adjoint *expr.Expr) *expr.Expr {
	return expr.New(expr.If, e, adjoint, expr.New(expr.If, expr.New(expr.Less, expr.Num(tiny), v), adjoint, expr.Num(0)))
}

// divides reports whether n is divided by its argument i.
func divides(n *expr.Expr, i int) bool { return n.Op == expr.Inv || n.Op == expr.Div && i == 1 }

// grows reports whether e is an exponential, a product with one, or a power of these.
func grows(e *expr.Expr) bool {
	if _, ok := expr.Power(e); ok {
		return grows(e.Args[0])
	}
	return e.Op == expr.Exp || e.Op == expr.Mul && (grows(e.Args[0]) || grows(e.Args[1]))
}

// sum differentiates a sum over trials or nodes: it differentiates the summand separately, and sums the results.
func (t *trace) sum(n, bar *expr.Expr) {
	inner := t.derivatives(n.Args[0])
	for _, s := range expr.Symbols(n.Args[0]) {
		if d := inner[s]; d != nil && !d.IsNum(0) {
			t.bySymbol[s] = add(t.bySymbol[s], mul(bar, sumLike(n, d)))
		}
	}
}

// choice differentiates if(c, x, y) as if(c, x', y'). If it passed the adjoint if(c, bar, 0) on to x, an undefined derivative
// of a branch that is not taken would give 0·NaN.
func (t *trace) choice(n, bar *expr.Expr) {
	yes, no := t.derivatives(n.Args[1]), t.derivatives(n.Args[2])
	for _, s := range expr.Symbols(n.Args[1:]...) {
		x, y := orZero(yes[s]), orZero(no[s])
		if !x.IsNum(0) || !y.IsNum(0) {
			t.bySymbol[s] = add(t.bySymbol[s], mul(bar, expr.New(expr.If, n.Args[0], x, y)))
		}
	}
}

// orZero returns e, or 0 for nil.
func orZero(e *expr.Expr) *expr.Expr {
	if e == nil {
		return expr.Num(0)
	}
	return e
}

// sumLike returns a sum over the same trials or nodes as n, with the summand x. It moves the sign and a constant factor in front of the
// sum, so that sums that differ only in these share a node.
func sumLike(n, x *expr.Expr) *expr.Expr {
	switch {
	case x.Op == expr.Neg:
		return neg(sumLike(n, x.Args[0]))
	case x.Op == expr.Mul && x.Args[0].Op == expr.Const:
		return mul(x.Args[0], sumLike(n, x.Args[1]))
	}
	return n.With([]*expr.Expr{x})
}

// outerNodes returns the nodes of an expression in the order of expr.Order, without the nodes inside sums and choices.
func outerNodes(root *expr.Expr) []*expr.Expr {
	var list []*expr.Expr
	seen := map[*expr.Expr]bool{}
	var walk func(*expr.Expr)
	walk = func(e *expr.Expr) {
		if seen[e] {
			return
		}
		seen[e] = true
		if e.Op != expr.Sum && e.Op != expr.NodeSum && e.Op != expr.If {
			for _, a := range e.Args {
				walk(a)
			}
		}
		list = append(list, e)
	}
	walk(root)
	return list
}
