package gosrc

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"likc/compiler/expr"
	"likc/compiler/ir"
)

// fourValues defines the body's values for four trials. A division by a value of the body becomes a multiplication by its
// inverse.
func (b *block) fourValues(k ir.Kernel) {
	inverse := map[ir.ID][]jen.Code{}
	for _, id := range k.Body {
		v := b.Values[id]
		divisor, ok := b.Divisor(id)
		if !ok {
			b.assign(id, lanes, func(lane int) jen.Code { return b.apply(v, lane) })
			continue
		}
		if inverse[divisor] == nil {
			name := b.Values[id].Name
			if v.Op != expr.Inv {
				name = ""
			}
			inverse[divisor] = identifiers(b.names.DeclareEach(name, lanes))
			b.invert(divisor, inverse[divisor])
		}
		if v.Op == expr.Inv {
			b.known[id] = inverse[divisor]
			continue
		}
		b.assign(id, lanes, func(lane int) jen.Code { return jen.Add(b.at(v.Args[0], lane)).Op("*").Add(inverse[divisor][lane]) })
	}
}

// invert prints four reciprocals that need only one division, because division is the slowest operation of a loop:
//
//	var t0A, t0B, t0C, t0D float64
//	if p, q := tauA*tauB, tauC*tauD; spread(p, q) {
//		r := 1 / (p * q)
//		p, q = q*r, p*r
//		t0A, t0B, t0C, t0D = tauB*p, tauA*p, tauD*q, tauC*q
//	} else {
//		t0A, t0B, t0C, t0D = 1/tauA, 1/tauB, 1/tauC, 1/tauD
//	}
func (b *block) invert(divisor ir.ID, names []jen.Code) {
	x := make([]jen.Code, len(lanes))
	plain := make([]jen.Code, len(lanes))
	for lane := range lanes {
		x[lane] = b.at(divisor, lane)
		plain[lane] = jen.Lit(1).Op("/").Add(x[lane])
	}
	times := func(x, y jen.Code) jen.Code { return jen.Add(x).Op("*").Add(y) }
	p, q, r := jen.Id("p"), jen.Id("q"), jen.Id("r")
	b.add(
		jen.Var().List(names...).Float64(),
		jen.If(
			jen.List(p, q).Op(":=").List(times(x[0], x[1]), times(x[2], x[3])),
			jen.Id("spread").Call(p, q),
		).Block(
			jen.Add(r).Op(":=").Lit(1).Op("/").Parens(times(p, q)),
			jen.List(p, q).Op("=").List(times(q, r), times(p, r)),
			jen.List(names...).Op("=").List(times(x[1], p), times(x[0], p), times(x[3], q), times(x[2], q)),
		).Else().Block(
			jen.List(names...).Op("=").List(plain...),
		),
	)
}

// dividesWide reports whether some loop of the unit shares one division among four trials.
func (u *unit) dividesWide() bool {
	for _, l := range u.Loops {
		divides := func(id ir.ID) bool { _, ok := u.Divisor(id); return ok }
		if u.wide(l.Kernel) && slices.ContainsFunc(l.Kernel.Body, divides) {
			return true
		}
	}
	return false
}
