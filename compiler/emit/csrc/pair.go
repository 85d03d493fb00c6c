package csrc

import (
	"strings"

	"likc/compiler/emit/plan"
	"likc/compiler/expr"
	"likc/compiler/ir"
)

// inLanes prints the loop over whole blocks of trials, and the sums over its lanes. Lanes are sums side by side, which a C compiler
// computes together:
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
// If a shared division was out of range, the loop that follows goes over all trials again.
func (b *block) inLanes(l *plan.Loop, columns map[ir.ID]string, sums []string) {
	shared := b.shares(l.Kernel)
	var lane, start, good []string
	for i, sum := range sums {
		lane = append(lane, b.names.Number("lane"))
		start = append(start, lane[i]+"[lanes] = {0.0}")
		good = append(good, "is_finite("+sum+")")
	}
	b.add("double %s;", strings.Join(start, ", "))
	if shared {
		b.add("double guard[lanes] = {0.0};")
		good = append(good, "is_finite(total(guard))")
	}
	if shared && b.sumsLogs(l.Kernel) {
		b.add("uint64_t refused[lanes] = {0};")
		good = append(good, "shared(refused)")
	}
	b.add("size_t i = 0;")
	b.nest("for (; i + 2 * lanes <= n; i += 2 * lanes)", func(t *lines) {
		t.nest("for (size_t j = 0; j < lanes; j++)", func(*lines) { b.inner().pair(l, columns, lane) })
	})
	for i, sum := range sums {
		b.add("double %s = total(%s);", sum, lane[i])
	}
	if shared {
		b.add("if (!(%s)) {", strings.Join(good, " && "))
		b.add("\ti = 0;")
		b.add("\t%s = 0.0;", strings.Join(sums, " = "))
		b.add("}")
	}
}

// pair prints the body for two trials in each lane. The two share every division by a value of the body, because divisions cost
// most: 1/x = y·r and 1/y = x·r with r = 1/(x·y) [montgomery1987]. The guard becomes infinite where x·y overflows. Where x·y
// underflows, r overflows, and so does the sum. Logarithms that are only summed are shared too.
func (b *block) pair(l *plan.Loop, columns map[ir.ID]string, lane []string) {
	k, shared := l.Kernel, b.shares(l.Kernel)
	first, second := b.inner(), b.inner()
	second.names, second.suffix = first.names, "_b"
	for id, name := range columns {
		first.known[id] = name + "[i + j]"
		second.known[id] = name + "[i + lanes + j]"
	}
	inverse := map[ir.ID][2]string{}
	for _, id := range k.Body {
		if shared && b.summedLog(k, id) {
			continue
		}
		if divisor, ok := b.Divisor(id); ok && shared {
			if _, done := inverse[divisor]; !done {
				inverse[divisor] = b.invert(first, first.known[divisor], second.known[divisor])
			}
			first.divide(id, inverse[divisor][0])
			second.divide(id, inverse[divisor][1])
		} else {
			first.define(id)
			second.define(id)
		}
	}
	for i, out := range k.Outs {
		x := b.Values[out].Args[0]
		if shared && b.summedLog(k, x) {
			arg := b.Values[x].Args[0]
			b.log(lane[i], first.at(arg), second.at(arg), first.names.Declare(""))
			continue
		}
		b.add("%s[j] += %s + %s;", lane[i], first.at(x), second.at(x))
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

// invert prints the reciprocals of x and y:
//
//	const double t0 = x * y, t1 = 1.0 / t0;
//	const double t2 = y * t1, t3 = x * t1;
//	guard[j] += t0;
func (b *block) invert(named *block, x, y string) [2]string {
	var n [4]string
	for i := range n {
		n[i] = named.names.Declare("")
	}
	b.add("const double %s = %s * %s, %s = 1.0 / %s;", n[0], x, y, n[1], n[0])
	b.add("const double %s = %s * %s, %s = %s * %s;", n[2], y, n[1], n[3], x, n[1])
	b.add("guard[j] += %s;", n[0])
	return [2]string{n[2], n[3]}
}

// divide defines a quotient from the reciprocal of its divisor.
func (b *block) divide(id ir.ID, inverse string) {
	v := b.Values[id]
	if v.Op == expr.Inv {
		b.known[id] = inverse
		return
	}
	b.declare(id, b.at(v.Args[0])+" * "+inverse)
}
