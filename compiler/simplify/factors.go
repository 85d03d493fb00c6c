package simplify

import (
	"slices"

	"likc/compiler/expr"
)

// finish collects like factors until no base is itself a product to a whole power.
func (p *product) finish() {
	for {
		p.gatherExps()
		p.mergeFactors()
		if p.bad || !p.reopen() && len(p.exps) == 0 {
			break
		}
	}
	slices.SortFunc(p.factors, func(x, y factor) int {
		if c := compare(x.base, y.base); c != 0 || x.abs == y.abs {
			return c
		} else if x.abs {
			return 1
		}
		return -1
	})
}

// mergeFactors adds the exponents of factors with equal bases until none merge. For x·x·|x| this takes two turns.
func (p *product) mergeFactors() {
	p.turnToRoots()
	for n := -1; n != len(p.factors); {
		n = len(p.factors)
		p.mergeOnce()
	}
	p.dropCancelled()
	p.shiftPowers()
}

// mergeOnce adds the exponents of factors with equal bases, in one pass over the factors.
func (p *product) mergeOnce() {
	merged := p.factors[:0]
	for _, f := range p.factors {
		f = p.unbar(p.s.plain(f))
		i := slices.IndexFunc(merged, func(g factor) bool { return mergeable(f, g) })
		if i < 0 {
			merged = append(merged, f)
			continue
		}
		p.note(mergeFactors)
		g := &merged[i]
		// x^2·|x| is |x|^3, but √x·|x| is x^(3/2)
		g.abs = g.abs && f.need&nonNegative == 0 || f.abs && g.need&nonNegative == 0
		g.exp, g.need = g.exp+f.exp, g.need|f.need
		*g = p.s.plain(*g)
	}
	p.factors = merged
}

// plain returns |x|^q as x^q if the two are equal.
func (s *Simplifier) plain(f factor) factor {
	if f.abs && (isEven(f.exp) || f.need&nonNegative != 0 || s.is(f.base, expr.NonNegative)) {
		f.abs = false
	}
	return f
}

// unbar writes |x|^q as (-x)^q if x is never positive.
func (p *product) unbar(f factor) factor {
	if !f.abs || !isWhole(f.exp) || p.s.interval(f.base).Hi > 0 {
		return f
	}
	p.note(absProduct)
	p.coef = p.coef.neg()
	f.abs = false
	return f
}

// turnToRoots writes (a - b)^n as ±(b - a)^n if a root of b - a is a factor too, so that the two can merge.
func (p *product) turnToRoots() {
	for _, g := range p.factors {
		if isWhole(g.exp) || g.base.Op != expr.Sub {
			continue
		}
		c, base := p.s.primitive(g.base)
		if c != ratioOf(-1) {
			continue
		}
		for i, f := range p.factors {
			if f.base == base && isWhole(f.exp) && !f.abs {
				p.factors[i].base = g.base
				p.coef = p.coef.times(ratioOf(-1).power(f.exp))
			}
		}
	}
}

// mergeable reports whether f·g is a single power of their base. For example, x^3·|x| is not.
func mergeable(f, g factor) bool {
	if f.base != g.base {
		return false
	}
	if f.abs {
		f, g = g, f
	}
	return f.abs == g.abs || f.need&nonNegative != 0 || isEven(f.exp)
}

// dropCancelled removes the factors whose exponent became 0.
func (p *product) dropCancelled() {
	p.factors = slices.DeleteFunc(p.factors, func(f factor) bool {
		if f.exp == 0 {
			p.note(cancelFactors)
			p.cancel(f)
		}
		return f.exp == 0
	})
}

// cancel records that a factor is no longer part of the product, and neither are its requirements.
func (p *product) cancel(f factor) {
	p.gone = append(p.gone, f.base)
	p.drop(f.base, f.need)
}

// drop records requirements on base that the collected product no longer has.
func (p *product) drop(base *expr.Expr, n need) {
	if n == 0 {
		return
	}
	must := expr.NonZero
	switch n {
	case nonNegative:
		must = expr.NonNegative
	case nonNegative | nonZero:
		must = expr.Positive
	}
	p.dropped = append(p.dropped, Condition{base, must})
}

// shiftPowers writes x^3·|x|^q as x·|x|^(q+2), which has the same sign.
func (p *product) shiftPowers() {
	for i, f := range p.factors {
		if f.abs || f.exp == 1 || isEven(f.exp) || !isWhole(f.exp) {
			continue
		}
		for j, g := range p.factors {
			if g.base == f.base && g.abs {
				p.factors[j].exp += f.exp - 1
				p.factors[i].exp = 1
			}
		}
	}
}

// reopen splits whole powers of products into powers of their factors, and reports whether there were any.
func (p *product) reopen() bool {
	if !slices.ContainsFunc(p.factors, p.s.opens) {
		return false
	}
	size, open := p.size, p.factors
	p.factors = nil
	for _, f := range open {
		switch base := f.base; {
		case !p.s.opens(f):
			p.factors = append(p.factors, f)
		case base.Op == expr.Cbrt:
			p.note(cbrtCube)
			p.add(base.Args[0], f.exp/3, f.need)
		default:
			p.note(powerOfPower)
			p.drop(base, f.need&nonNegative)
			p.add(base, f.exp, f.need&nonZero)
		}
	}
	p.size = size
	return true
}

// opens reports whether the factor is a product to a whole power, or the cube of a cube root.
func (s *Simplifier) opens(f factor) bool {
	if f.abs || !isWhole(f.exp) || f.base.Op == expr.Exp {
		return false
	}
	if f.base.Op == expr.Sub || f.base.Op == expr.Add {
		c, _ := s.primitive(f.base)
		return !c.isOne()
	}
	return isProduct(f.base) || isFactor(f.base) || f.base.Op == expr.Cbrt && isWhole(f.exp/3)
}

// settle records the requirements that the collected product no longer has. If the coefficient is zero, it removes all factors.
func (p *product) settle() {
	if p.coef.isZero() {
		if len(p.factors) > 0 {
			p.note(zeroProduct)
		}
		for _, f := range p.factors {
			p.cancel(f)
		}
		p.factors = nil
	}
	for _, f := range p.factors {
		p.drop(f.base, f.need&^f.enforced())
	}
}
