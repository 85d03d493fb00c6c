package simplify

import (
	"math"

	"likc/compiler/expr"
)

// factor is base^exp, or |base|^exp.
type factor struct {
	base *expr.Expr
	exp  float64
	abs  bool
	need need // requirements on base that the original product had
}

// product collects an expression of multiplications, divisions and powers as coef times factors. After finish, at most one
// factor is a power of an exponential.
type product struct {
	s       *Simplifier
	coef    ratio
	factors []factor
	exps    []term // the term c·u for each factor exp(u)^c
	roots   bool   // whether roots of exponentials stay roots, because √exp(x) is smaller than exp(x/2)
	journal
}

// isProduct reports whether the product collector applies to e.
func isProduct(e *expr.Expr) bool {
	switch e.Op {
	case expr.Mul, expr.Div, expr.Neg, expr.Inv, expr.Square, expr.Sqrt, expr.Exp, expr.Abs:
		return true
	case expr.Pow:
		return isExponent(e.Args[1])
	}
	return false
}

// maxExponent bounds the exponents that are collected.
const maxExponent = 1 << 20

// isExponent reports whether e is a constant that can be an exponent: sums and products of such constants stay exact enough.
func isExponent(e *expr.Expr) bool {
	return e.Op == expr.Const && math.Abs(e.Value) <= maxExponent
}

// collectProduct returns the canonical form of the product e, or nil if that would be larger than e.
func (s *Simplifier) collectProduct(e *expr.Expr) *expr.Expr {
	s.rewriteLarge(e)
	for _, roots := range [2]bool{false, true} {
		if out := s.tryProduct(e, roots); out != nil {
			return out
		}
	}
	return nil
}

// tryProduct does what collectProduct does. With roots, roots of products become products of roots.
func (s *Simplifier) tryProduct(e *expr.Expr, roots bool) *expr.Expr {
	p := s.product(e, roots)
	defer p.free()
	if p.bad {
		return nil
	}
	p.settle()
	if len(p.factors) == 1 && isLog(p.factors[0]) && !p.coef.isOne() {
		return s.accept(e, s.multipleOfLog(p.factors[0].base, p.coef), &p.journal, gatherLogs)
	}
	return s.accept(e, p.render(true), &p.journal, orderProduct)
}

func isLog(f factor) bool { return f.base.Op == expr.Log && f.exp == 1 && !f.abs }

// multipleOfLog returns c·log(x) in the form of a sum with one term.
func (s *Simplifier) multipleOfLog(log *expr.Expr, c ratio) *expr.Expr {
	l := s.newSum()
	defer l.free()
	k, t := s.split(log)
	l.merge(t, c.times(k))
	return l.render()
}

// product collects the expression e. With roots, roots of exponentials stay roots.
func (s *Simplifier) product(e *expr.Expr, roots bool) *product {
	p := s.newProduct(roots)
	p.add(e, 1, 0)
	if !p.bad {
		p.finish()
	}
	return p
}

// newProduct returns the product 1, in memory that [product.free] has released.
func (s *Simplifier) newProduct(roots bool) *product {
	n := len(s.lists)
	if n == 0 {
		return &product{s: s, coef: one, roots: roots}
	}
	p := s.lists[n-1]
	s.lists = s.lists[:n-1]
	*p = product{s: s, coef: one, roots: roots, factors: p.factors[:0], exps: p.exps[:0], journal: p.journal.emptied()}
	return p
}

// free releases the product's memory for the next product.
func (p *product) free() { p.s.lists = append(p.s.lists, p) }

// add multiplies p by e^q for a whole q. n holds further requirements on e: 1/(1/x) has exponent 1 but needs x != 0.
func (p *product) add(e *expr.Expr, q float64, n need) {
	p.visit()
	if p.bad {
		return
	}
	switch e = p.s.inner(e); e.Op {
	case expr.Mul:
		p.add(e.Args[0], q, n)
		p.add(e.Args[1], q, n)
	case expr.Div:
		p.add(e.Args[0], q, n)
		p.add(e.Args[1], -q, n|nonZero)
	case expr.Inv:
		p.size++ // inv(x) may become 1/x, which has one node more
		p.add(e.Args[0], -q, n|nonZero)
	case expr.Neg:
		p.flip(q)
		p.add(e.Args[0], q, n)
	case expr.Square:
		p.add(e.Args[0], 2*q, n)
	case expr.Sqrt:
		p.root(e.Args[0], 0.5, q, n)
	case expr.Abs:
		p.absolute(e.Args[0], q, n)
	case expr.Exp:
		p.size--
		u := p.s.rewrite(e.Args[0])
		p.size += u.Size() + 1
		p.exps = append(p.exps, term{ratioOf(q), u})
	case expr.Const:
		p.number(e.Value, q, n)
	case expr.Pow:
		p.addPower(e, q, n)
	default:
		p.addFactor(e, q, n)
	}
}

// addPower multiplies p by e^q, where e is a power. n are the requirements on the base.
func (p *product) addPower(e *expr.Expr, q float64, n need) {
	if !isExponent(e.Args[1]) {
		p.addFactor(e, q, n)
		return
	}
	p.size++
	c := e.Args[1].Value
	if c < 0 {
		p.size++ // x^-2 may become 1/x^2, which has one node more
	}
	switch {
	case c == 0:
		p.note(powZero)
		p.gone = append(p.gone, e.Args[0])
	case isWhole(c):
		p.add(e.Args[0], c*q, n|needOf(c))
	default:
		p.root(e.Args[0], c, q, n)
	}
}

// flip multiplies p by (-1)^q.
func (p *product) flip(q float64) {
	if isEven(q) {
		p.note(evenPowerSign)
		return
	}
	p.note(pullSign)
	p.coef = p.coef.neg()
}

// number multiplies p by v^q. If that is undefined, it stays a factor.
func (p *product) number(v, q float64, n need) {
	switch {
	case v == 0 && q > 0:
		p.coef = ratioOf(0)
		if n&nonZero != 0 {
			p.append(factor{base: p.s.num(v), exp: -1, need: n})
		}
	case !isFactor(p.s.num(v)) || math.Abs(q) > 1024:
		p.append(factor{base: p.s.num(v), exp: q, need: n})
	default:
		if v == 1 {
			p.note(mulOne)
		} else if !p.coef.isOne() {
			p.note(foldProduct)
		}
		p.multiply(ratioOf(v).power(q))
	}
}

func (p *product) multiply(c ratio) {
	p.coef = p.coef.times(c)
	p.bad = p.bad || !c.usable() || !p.coef.usable()
}

// addFactor multiplies p by e^q. e is no product, but may become one when it is simplified.
func (p *product) addFactor(e *expr.Expr, q float64, n need) {
	p.size--
	a := p.s.rewrite(e)
	switch {
	case a != e && (isProduct(a) || a.Op == expr.Const):
		p.add(a, q, n)
		return
	case a.Op == expr.Add || a.Op == expr.Sub:
		p.size += a.Size()
		c, base := p.s.primitive(a)
		if !c.isOne() {
			p.note(pullFactor)
			p.multiply(c.power(q))
		}
		p.append(factor{base: base, exp: q, need: n})
	default:
		p.size += a.Size()
		p.append(factor{base: a, exp: q, need: n})
	}
}

func (p *product) append(f factor) {
	f.need |= f.enforced()
	p.factors = append(p.factors, f)
}

// absolute multiplies p by |e|^q.
func (p *product) absolute(e *expr.Expr, q float64, n need) {
	sub := p.sub(e)
	defer sub.free()
	if len(sub.factors) > 1 || !sub.coef.isOne() {
		p.note(absProduct)
	}
	p.multiply(sub.coef.abs().power(q))
	for _, f := range sub.factors {
		f.abs, f.exp, f.need = true, f.exp*q, f.need|n
		p.append(f)
	}
}

// sub returns the product inside a root or absolute value, collected separately.
func (p *product) sub(e *expr.Expr) *product {
	sub := p.s.product(e, p.roots)
	p.size += sub.size
	p.visits += sub.visits
	p.bad = p.bad || sub.bad || p.visits > maxChain
	p.fired = append(p.fired, sub.fired...)
	p.dropped = append(p.dropped, sub.dropped...)
	p.gone = append(p.gone, sub.gone...)
	return sub
}
