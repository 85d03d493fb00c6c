package csrc

import (
	"likc/compiler/expr"
	"likc/compiler/ir"
)

// pair prints the body for two trials in each lane. Both share every division by a value of the body, the costliest
// operation of a loop: 1/x = y·r and 1/y = x·r with r = 1/(x·y), which is good for 1e-154 < |x·y| < 1e154 [montgomery1987].
func (b *block) pair(k ir.Kernel, columns map[ir.ID]string, sums []string) {
	first, second := b.inner(), b.inner()
	second.names, second.suffix = first.names, "_b"
	for id, name := range columns {
		first.known[id] = name + "[i + j]"
		second.known[id] = name + "[i + lanes + j]"
	}
	inverse := map[ir.ID][2]string{}
	for _, id := range k.Body {
		if by, ok := b.u.divisor(b.u.p.Values[id]); ok {
			if _, done := inverse[by]; !done {
				inverse[by] = b.invert(first, first.known[by], second.known[by])
			}
			first.divide(id, inverse[by][0])
			second.divide(id, inverse[by][1])
		} else {
			first.define(id)
			second.define(id)
		}
		b.take(first, second)
	}
	for i, out := range k.Outs {
		if b.u.p.Values[out].Kind == ir.Total {
			b.add("%s[j] += %s + %s;", sums[i], first.ref(b.u.p.Values[out].Args[0]), second.ref(b.u.p.Values[out].Args[0]))
			continue
		}
		first.accumulate(out, sums[i]+"[j]")
		second.accumulate(out, sums[i]+"[j]")
		b.take(first, second)
	}
}

// take moves the statements of the two trials behind those of b.
func (b *block) take(both ...*block) {
	for _, w := range both {
		for _, statement := range w.list {
			b.list = append(b.list, statement[1:]) // w is printed in b's place
		}
		w.list = nil
	}
}

// invert prints the reciprocals of x and y:
//
//	const double t0 = x * y, t1 = 1.0 / t0;
//	const double t2 = y * t1, t3 = x * t1;
//	guard[j] += t0 * t0 + t1 * t1;
func (b *block) invert(named *block, x, y string) [2]string {
	var n [4]string
	for i := range n {
		n[i] = named.names.name("")
	}
	b.add("const double %s = %s * %s, %s = 1.0 / %s;", n[0], x, y, n[1], n[0])
	b.add("const double %s = %s * %s, %s = %s * %s;", n[2], y, n[1], n[3], x, n[1])
	b.add("guard[j] += %s * %s + %s * %s;", n[0], n[0], n[1], n[1])
	return [2]string{n[2], n[3]}
}

// divide defines a quotient from the reciprocal of its divisor.
func (b *block) divide(id ir.ID, inverse string) {
	v := b.u.p.Values[id]
	if v.Op.Info().C.Kind == expr.Under {
		b.known[id] = inverse
		return
	}
	b.declare(id, b.ref(v.Args[0])+" * "+inverse)
}
