package csrc

import (
	"slices"
	"strings"

	"likc/compiler/emit/plan"
	"likc/compiler/expr"
	"likc/compiler/ir"
)

// maxSharedOps is the largest number of values in a loop body for which sharing divisions saves time; in longer bodies a
// division hardly counts.
const maxSharedOps = 48

// shares reports whether two trials should share the divisions and logarithms of a loop. Apart from these its body must be
// arithmetic. A call would cost more than sharing saves. It could also turn an infinite value into a finite one. The guard, a printed
// check that shared divisions did not overflow, would not notice.
func (u *unit) shares(k ir.Kernel) bool {
	found := false
	for _, id := range k.Body {
		_, divides := u.Divisor(id)
		log := u.summedLog(k, id)
		found = found || divides || log
		if !log && u.Calls(id) {
			return false
		}
	}
	return found && len(k.Body) <= maxSharedOps
}

// addsInLanes reports whether a loop adds up in lanes, several sums side by side: it takes no minimum and has no inner loop over
// the nodes of an integral. A C compiler vectorises sums in lanes under any flags, and minima of integers without lanes.
func (u *unit) addsInLanes(k ir.Kernel) bool {
	for _, out := range k.Outs {
		if u.Values[out].Kind == ir.Least {
			return false
		}
	}
	return !u.asWritten && !k.HasNodes(u.Program)
}

// summedLog reports whether a value is a logarithm that a loop only sums. Two trials can share it, because log x + log y =
// log(x·y).
func (u *unit) summedLog(k ir.Kernel, id ir.ID) bool {
	v := u.Values[id]
	if v.Kind != ir.Apply || v.Op != expr.Log || u.Facts.Stage[v.Args[0]] != ir.Body {
		return false
	}
	for _, user := range k.Body {
		if slices.Contains(u.Values[user].Args, id) {
			return false
		}
	}
	return true
}

// sumsLogs reports whether a loop sums logarithms.
func (u *unit) sumsLogs(k ir.Kernel) bool {
	for _, id := range k.Body {
		if u.summedLog(k, id) {
			return true
		}
	}
	return false
}

// function prints a loop:
//
//	static void sums(size_t n, const double *restrict rt, double t, double *restrict out)
//	{
//		double s0 = 0.0;
//		for (size_t i = 0; i < n; i++) { … }
//		out[0] = s0;
//	}
func (u *unit) function(t *text, l *plan.Loop) {
	b := u.newBlock()
	params := []string{"size_t n"}
	columns := map[ir.ID]string{}
	for _, id := range l.Kernel.Columns {
		columns[id] = b.names.Declare(u.Called(id))
		params = append(params, "const double *restrict "+columns[id])
	}
	for _, id := range l.Kernel.Inputs {
		b.known[id] = b.names.Declare(u.Called(id))
		params = append(params, "double "+b.known[id])
	}
	for _, id := range l.Kernel.Nodes {
		b.known[id] = b.names.Number("at")
		params = append(params, "const double *restrict "+b.known[id])
	}
	params = append(params, "double *restrict out")
	b.loops(l, columns)
	t.line("/* %s goes over %s and puts out", l.Name, l.Over())
	for i, out := range u.Outs(l.Kernel) {
		t.line(" *   [%d] %s", i, plain.Replace(out))
	}
	t.line(" */")
	t.line("static void %s(%s)", l.Name, strings.Join(params, ", "))
	t.body(b.list)
}

// loops prints the body of a loop's function.
func (b *block) loops(l *plan.Loop, columns map[ir.ID]string) {
	sums := make([]string, len(l.Kernel.Outs))
	for i := range sums {
		sums[i] = b.names.Number("s")
	}
	if b.addsInLanes(l.Kernel) {
		b.inLanes(l, columns, sums)
	} else {
		b.start(l.Kernel, sums)
	}
	b.oneAtATime(l, columns, sums)
	for i, out := range l.Kernel.Outs {
		if b.Values[out].Kind == ir.Least {
			sums[i] = "unordered(" + sums[i] + ")"
		}
		b.add("out[%d] = %s;", i, sums[i])
	}
}

// start declares the sums of a loop without lanes.
func (b *block) start(k ir.Kernel, sums []string) {
	for i, out := range k.Outs {
		if b.Values[out].Kind == ir.Least {
			b.add("int64_t %s = INT64_MAX;", sums[i])
		} else {
			b.add("double %s = 0.0;", sums[i])
		}
	}
}

// oneAtATime prints the loop over single trials.
func (b *block) oneAtATime(l *plan.Loop, columns map[ir.ID]string, sums []string) {
	k, w, head := l.Kernel, b.inner(), "for (size_t i = 0; i < n; i++)"
	if b.addsInLanes(k) {
		head = b.afterBlocks(k)
	}
	for id, name := range columns {
		w.known[id] = name + "[i]"
	}
	b.nest(head, func(*lines) {
		w.define(k.Body...)
		for i, out := range k.Outs {
			w.accumulate(out, sums[i])
		}
	})
}

// afterBlocks returns the head of the loop over the trials after the last whole block, or over all if a shared division was out of
// range. A block is as many trials as are computed side by side. In a loop without shared divisions, i is computed from n again:
// gcc otherwise warns of a loop that might not end.
func (b *block) afterBlocks(k ir.Kernel) string {
	if b.shares(k) {
		return "for (; i < n; i++)"
	}
	return "for (i = n - n % (2 * lanes); i < n; i++)"
}

// accumulate prints the statement that adds a value to a sum, or updates a minimum, which is kept as an ordered bit pattern.
func (b *block) accumulate(out ir.ID, sum string) {
	v := b.Values[out]
	if v.Kind != ir.Least {
		b.add("%s += %s;", sum, b.at(v.Args[0]))
		return
	}
	key := b.names.Number("k")
	b.add("const int64_t %s = ordered(%s);", key, b.at(v.Args[0]))
	b.add("%s = %s < %s ? %s : %s;", sum, key, sum, key, sum)
}
