package simplify

import (
	"math"
	"slices"

	"likc/compiler/expr"
)

// gatherExps turns exp(u)^a·exp(w)^b into one power exp(S)^g with S = (au + bw)/g. Terms c·log x of S become factors x^c.
func (p *product) gatherExps() {
	if len(p.exps) == 0 {
		return
	}
	p.factors = slices.DeleteFunc(p.factors, func(f factor) bool {
		if f.base.Op != expr.Exp || p.roots && !isWhole(f.exp) {
			return false
		}
		p.exps = append(p.exps, term{ratioOf(f.exp), f.base.Args[0]})
		return true
	})
	if len(p.exps) > 1 {
		p.note(mergeExps)
	}
	if u := p.exps[0]; len(p.exps) > 1 || !p.appendKnownExp(u) {
		p.sumExps()
	}
}

// appendKnownExp multiplies p by exp(±u) if the split of exp(u) is known from an earlier call.
func (p *product) appendKnownExp(u term) bool {
	known, ok := p.s.exps[u.t]
	if !ok || !u.c.abs().isOne() { // for other coefficients, exp(c·u) is split differently
		return false
	}
	p.exps = p.exps[:0]
	p.append(factor{base: known.t, exp: known.c.n * u.c.n})
	return true
}

// sumExps multiplies p by the exponential of the sum of all exponents.
func (p *product) sumExps() {
	l := p.s.newSum()
	defer l.free()
	for _, u := range p.exps {
		l.add(u.t, u.c)
	}
	l.finish()
	single := len(p.exps) == 1 && p.exps[0].c.isOne() && !l.bad
	u := p.exps[0].t
	p.exps = p.exps[:0]
	p.bad = p.bad || l.bad
	p.gone = append(p.gone, l.gone...)
	p.fired = append(p.fired, l.fired...)
	hadLogs := p.takeLogs(l)
	p.appendExp(l)
	if single && !hadLogs && len(l.terms) > 0 {
		f := p.factors[len(p.factors)-1]
		p.s.exps[u] = term{ratioOf(f.exp), f.base}
	}
}

// takeLogs turns exp(c·log x + …) into x^c·exp(…), which no longer needs x > 0; or x >= 0, if all terms of x are products with exponentials,
// which may vanish: both are then 0, or +Inf for c < 0, unless the rest overflows. It reports whether there was a logarithm.
func (p *product) takeLogs(l *sum) bool {
	kept := l.terms[:0]
	var logs []term
	for _, u := range l.terms {
		if u.t.Op == expr.Log {
			logs = append(logs, u)
		} else {
			kept = append(kept, u)
		}
	}
	l.terms = kept
	size := p.size
	for _, u := range logs {
		p.note(expLog)
		x, c := u.t.Args[0], u.c.value()
		needs := expr.Positive
		if expr.Vanishing(x) != nil {
			needs = expr.NonNegative
		}
		p.dropped = append(p.dropped, Condition{x, needs})
		if isWhole(c) {
			p.add(x, c, 0)
		} else {
			p.root(x, c, 1, 0)
		}
	}
	p.size = size
	return len(logs) > 0
}

// appendExp multiplies p by the exponential of the sum l.
func (p *product) appendExp(l *sum) {
	if len(l.terms) == 0 {
		if !l.constant.isZero() {
			p.note(foldProduct)
		}
		p.multiply(ratioOf(math.Exp(l.constant.value())))
		return
	}
	c := l.content()
	if c.d != 1 || !isWhole(c.n) || math.Abs(c.n) > maxExponent {
		c = one
		if l.terms[0].c.negative() {
			c = ratioOf(-1)
		}
	}
	l.scale(c.inverse())
	p.append(factor{base: p.s.new(expr.Exp, l.render()), exp: c.n})
}
