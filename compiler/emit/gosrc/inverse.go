package gosrc

import (
	"github.com/dave/jennifer/jen"

	"likc/compiler/expr"
	"likc/compiler/ir"
)

// fourValues defines the body's values for four trials. Divisions by a value of the body multiply by its inverse.
func (b *block) fourValues(k ir.Kernel) {
	inverse := map[ir.ID][]jen.Code{}
	for _, id := range k.Body {
		v := b.u.p.Values[id]
		by, ok := b.divisor(v)
		if !ok {
			b.assign(id, lanes, func(lane int) jen.Code { return b.apply(v, lane) })
			continue
		}
		if inverse[by] == nil {
			name := b.u.p.Values[id].Name
			if v.Op.In(expr.Go).Kind != expr.Under {
				name = ""
			}
			inverse[by] = identifiers(b.names.named(name, lanes))
			b.invert(by, inverse[by])
		}
		if v.Op.In(expr.Go).Kind == expr.Under {
			b.known[id] = inverse[by]
			continue
		}
		b.assign(id, lanes, func(lane int) jen.Code { return jen.Add(b.ref(v.Args[0], lane)).Op("*").Add(inverse[by][lane]) })
	}
}

// divisor returns what v divides by, if that is a value of the body.
func (b *block) divisor(v ir.Value) (ir.ID, bool) {
	s := v.Op.In(expr.Go)
	if s.Text != "/" || s.Kind != expr.Under && s.Kind != expr.Binary {
		return 0, false
	}
	by := v.Args[len(v.Args)-1]
	return by, b.u.facts.Stage[by] == ir.Body
}

// invert prints four reciprocals for one division, the costliest operation of a loop:
//
//	var t0A, t0B, t0C, t0D float64
//	if p, q := tauA*tauB, tauC*tauD; spread(p, q) {
//		r := 1 / (p * q)
//		p, q = q*r, p*r
//		t0A, t0B, t0C, t0D = tauB*p, tauA*p, tauD*q, tauC*q
//	} else {
//		t0A, t0B, t0C, t0D = 1/tauA, 1/tauB, 1/tauC, 1/tauD
//	}
func (b *block) invert(by ir.ID, names []jen.Code) {
	x := make([]jen.Code, len(lanes))
	plain := make([]jen.Code, len(lanes))
	for lane := range lanes {
		x[lane] = b.ref(by, lane)
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

// dividesWide reports whether a loop of the unit shares divisions.
func (u *unit) dividesWide() bool {
	b := u.newBlock()
	for _, l := range u.loops {
		for _, id := range l.kernel.Body {
			if _, ok := b.divisor(u.p.Values[id]); ok && l.wide {
				return true
			}
		}
	}
	return false
}
