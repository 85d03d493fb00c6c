package simplify

import (
	"math"

	"likc/compiler/expr"
)

// root multiplies p by (e^c)^q, where c is not whole and q is.
func (p *product) root(e *expr.Expr, c, q float64, n need) {
	if c < 0 {
		n |= nonZero
	}
	sub := p.sub(e)
	defer sub.free()
	sub.pullRoot(p, c, q)
	if p.bad {
		return
	}
	switch all := sub.allNonNegative(); {
	case len(sub.factors) == 0:
		p.rootOfNumber(sub.coef, c, q, n)
	case all && sub.coef.n > 0:
		p.multiplyRoot(sub.coef, c*q)
		for _, f := range sub.factors {
			p.appendRoot(f, c*q, n)
		}
	case len(sub.factors) == 1 && sub.coef.isOne():
		f := sub.factors[0]
		p.notePowerOfPower(f)
		p.append(factor{base: f.base, exp: f.exp * c * q, need: f.need | n | nonNegative})
	default:
		p.rootOfRest(sub, c, q, n)
	}
}

// pullRoot moves the root of the absolute value of sub's coefficient to p, if that root is exact.
func (sub *product) pullRoot(p *product, c, q float64) {
	r, exact := sub.coef.abs().root(c)
	if sub.coef.abs().isOne() || !exact || len(sub.factors) == 0 {
		return
	}
	p.note(rootOfFactor)
	p.multiply(r.power(q))
	sub.coef = ratioOf(math.Copysign(1, sub.coef.n))
}

// rootOfNumber multiplies p by (k^c)^q. If that is undefined, it stays a factor.
func (p *product) rootOfNumber(k ratio, c, q float64, n need) {
	if k.n <= 0 {
		if k.n == 0 && c*q > 0 && n&nonZero == 0 {
			p.coef = ratioOf(0)
			return
		}
		p.append(factor{base: p.s.number(k), exp: c * q, need: n | nonNegative})
		return
	}
	p.note(foldProduct)
	p.multiplyRoot(k, c*q)
}

// multiplyRoot multiplies the coefficient by k^q, exactly if possible.
func (p *product) multiplyRoot(k ratio, q float64) {
	switch r, exact := k.root(q); {
	case k.isOne():
	case isWhole(q):
		p.multiply(k.power(q))
	case exact:
		p.multiply(r)
	default:
		p.multiply(ratioOf(math.Pow(k.value(), q)))
	}
}

// allNonNegative reports whether no factor can be negative.
func (sub *product) allNonNegative() bool {
	for _, f := range sub.factors {
		if !sub.s.factorNonNegative(f) {
			return false
		}
	}
	return true
}

// factorNonNegative reports whether a factor cannot be negative.
func (s *Simplifier) factorNonNegative(f factor) bool {
	return f.abs || isEven(f.exp) || !isWhole(f.exp) || s.is(f.base, expr.NonNegative)
}

// appendRoot multiplies p by f^q, where f is never negative, such as (x²)^½ = |x|.
func (p *product) appendRoot(f factor, q float64, n need) {
	p.notePowerOfPower(f)
	f.abs = f.abs || isEven(f.exp)
	f.exp *= q
	f.need |= n
	if f.base.Op == expr.Exp && (isWhole(f.exp) || !p.roots) {
		p.exps = append(p.exps, term{ratioOf(f.exp), f.base.Args[0]})
		return
	}
	p.factors = append(p.factors, f) // |x|^½ has no requirement on x
}

// notePowerOfPower records the rule that makes (b^f)^q one power.
func (p *product) notePowerOfPower(f factor) {
	if f.exp != 1 {
		p.note(powerOfPower)
	}
}

// rootOfRest moves even powers out of a root unless that could turn a zero into 0·√(-1), which is NaN. The other factors stay
// inside.
func (p *product) rootOfRest(sub *product, c, q float64, n need) {
	rest := p.s.newProduct(p.roots)
	defer rest.free()
	rest.coef = sub.coef
	for _, f := range sub.factors {
		even := f.base.Op != expr.Exp && (f.abs || isEven(f.exp))
		if even && (f.exp < 0 || p.s.is(f.base, expr.NonZero)) {
			p.appendRoot(f, c*q, n)
			continue
		}
		rest.factors = append(rest.factors, f)
	}
	if len(rest.factors) == 1 && rest.coef.isOne() {
		f := rest.factors[0]
		p.append(factor{base: f.base, exp: f.exp * c * q, need: f.need | n | nonNegative})
		return
	}
	p.append(factor{base: rest.render(true), exp: c * q, need: n | nonNegative})
}
