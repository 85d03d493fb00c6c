package csrc

import (
	"strings"

	"likc/compiler/expr"
	"likc/compiler/ir"
)

// inLanes prints the loop over whole blocks of trials, and the sums over its lanes:
//
//	double lane0[lanes] = {0.0};
//	double guard[lanes] = {0.0};
//	size_t i = 0;
//	for (; i + 2 * lanes <= n; i += 2 * lanes) {
//		for (size_t j = 0; j < lanes; j++) { … }
//	}
//	double s0 = total(lane0);
//	if (!(is_finite(s0) && is_finite(total(guard)))) {
//		i = 0;
//		s0 = 0.0;
//	}
//
// Where a shared division was out of range, all trials are left to the loop that follows.
func (b *block) inLanes(l loop, columns map[ir.ID]string, sums []string) {
	var lane, start, good []string
	for i, sum := range sums {
		lane = append(lane, b.names.first(numbered("lane")))
		start = append(start, lane[i]+"[lanes] = {0.0}")
		good = append(good, "is_finite("+sum+")")
	}
	b.add("double %s;", strings.Join(start, ", "))
	if l.shared {
		b.add("double guard[lanes] = {0.0};")
		good = append(good, "is_finite(total(guard))")
	}
	if l.shared && b.u.sumsLogs(l.kernel) {
		b.add("uint64_t refused[lanes] = {0};")
		good = append(good, "shared(refused)")
	}
	b.add("size_t i = 0;")
	over := b.inner()
	w := over.inner()
	w.pair(l, columns, lane)
	over.nest("for (size_t j = 0; j < lanes; j++)", w)
	b.nest("for (; i + 2 * lanes <= n; i += 2 * lanes)", over)
	for i, sum := range sums {
		b.add("double %s = total(%s);", sum, lane[i])
	}
	if l.shared {
		b.add("if (!(%s)) {", strings.Join(good, " && "))
		b.add("\ti = 0;")
		b.add("\t%s = 0.0;", strings.Join(sums, " = "))
		b.add("}")
	}
}

// pair prints the body for two trials in each lane. Both share every division by a value of the body, the costliest
// operation of a loop: 1/x = y·r and 1/y = x·r with r = 1/(x·y) [montgomery1987]. The guard tells where x·y overflows;
// where it underflows, r overflows, and so does the sum. Logarithms that are only summed are shared likewise.
func (b *block) pair(l loop, columns map[ir.ID]string, lane []string) {
	k := l.kernel
	first, second := b.inner(), b.inner()
	second.names, second.suffix = first.names, "_b"
	for id, name := range columns {
		first.known[id] = name + "[i + j]"
		second.known[id] = name + "[i + lanes + j]"
	}
	inverse := map[ir.ID][2]string{}
	for _, id := range k.Body {
		if l.shared && b.u.summedLog(k, id) {
			continue
		}
		if by, ok := b.u.divisor(b.u.p.Values[id]); ok && l.shared {
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
		x := b.u.p.Values[out].Args[0]
		if l.shared && b.u.summedLog(k, x) {
			arg := b.u.p.Values[x].Args[0]
			b.log(lane[i], first.ref(arg), second.ref(arg), first.names.name(""))
			continue
		}
		b.add("%s[j] += %s + %s;", lane[i], first.ref(x), second.ref(x))
	}
}

// log prints a logarithm for two trials:
//
//	const double t4 = tau * tau_b;
//	refused[j] |= sharing(tau, tau_b, t4);
//	lane1[j] += log(t4);
func (b *block) log(lane, x, y, product string) {
	b.add("const double %s = %s * %s;", product, x, y)
	b.add("refused[j] |= sharing(%s, %s, %s);", x, y, product)
	b.add("%s[j] += log(%s);", lane, product)
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
//	guard[j] += t0;
func (b *block) invert(named *block, x, y string) [2]string {
	var n [4]string
	for i := range n {
		n[i] = named.names.name("")
	}
	b.add("const double %s = %s * %s, %s = 1.0 / %s;", n[0], x, y, n[1], n[0])
	b.add("const double %s = %s * %s, %s = %s * %s;", n[2], y, n[1], n[3], x, n[1])
	b.add("guard[j] += %s;", n[0])
	return [2]string{n[2], n[3]}
}

// divide defines a quotient from the reciprocal of its divisor.
func (b *block) divide(id ir.ID, inverse string) {
	v := b.u.p.Values[id]
	if v.Op.In(expr.C).Kind == expr.Under {
		b.known[id] = inverse
		return
	}
	b.declare(id, b.ref(v.Args[0])+" * "+inverse)
}
