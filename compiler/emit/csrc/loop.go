package csrc

import (
	"strings"

	"likc/compiler/expr"
	"likc/compiler/ir"
)

// loop is one function over the trials of a group; groups whose kernels have the same signature share it.
type loop struct {
	name   string
	kernel ir.Kernel
	lanes  bool // trials go into lanes, two at a time
	shared bool // the two share divisions and logarithms
}

// collect names the distinct loops of an evaluation.
func (u *unit) collect(stem string, kernels []ir.Kernel) {
	for _, k := range kernels {
		sign := k.Signature(u.p)
		if _, ok := u.bySign[sign]; ok || len(k.Outs) == 0 {
			continue
		}
		u.bySign[sign] = len(u.loops)
		name := stem
		if u.top.taken["loop "+stem] {
			name = u.top.first(numbered(stem + "_"))
		}
		u.top.taken["loop "+stem] = true
		u.loops = append(u.loops, loop{name, k, !u.asWritten && u.onlySums(k), u.shares(k)})
	}
}

// maxSharedOps is how long a body may be for a division to matter.
const maxSharedOps = 48

// shares reports whether two trials should share the divisions and logarithms of a loop. Its body must be arithmetic
// else, for a call costs more than what is saved, and because of the guard: what is not finite must stay so up to the sums.
func (u *unit) shares(k ir.Kernel) bool {
	found := false
	for _, id := range k.Body {
		v := u.p.Values[id]
		_, divides := u.divisor(v)
		log := u.summedLog(k, id)
		found = found || divides || log
		if s := v.Op.In(expr.C); !log && (s.Kind == expr.Local || s.Kind == expr.Function && v.Op != expr.Sqrt && v.Op != expr.Abs && v.Op != expr.FMA) {
			return false
		}
	}
	return found && len(k.Body) <= maxSharedOps
}

// onlySums reports whether a loop takes no minimum. Sums in lanes are no reductions to the C compiler, which vectorises
// them under any flags; the minima of integers are such as it knows.
func (u *unit) onlySums(k ir.Kernel) bool {
	for _, out := range k.Outs {
		if u.p.Values[out].Kind != ir.Total {
			return false
		}
	}
	return true
}

// summedLog reports whether a value is a logarithm that a loop only sums: log x + log y is log(x·y).
func (u *unit) summedLog(k ir.Kernel, id ir.ID) bool {
	v := u.p.Values[id]
	if v.Kind != ir.Apply || v.Op != expr.Log || u.facts.Stage[v.Args[0]] != ir.Body {
		return false
	}
	for _, user := range k.Body {
		for _, a := range u.p.Values[user].Args {
			if a == id {
				return false
			}
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

// divisor returns what v divides by, if that is a value of the body.
func (u *unit) divisor(v ir.Value) (ir.ID, bool) {
	s := v.Op.In(expr.C)
	if s.Text != "/" || s.Kind != expr.Under && s.Kind != expr.Binary {
		return 0, false
	}
	by := v.Args[len(v.Args)-1]
	return by, u.facts.Stage[by] == ir.Body
}

// function prints a loop:
//
//	static void sums(size_t n, const double *restrict rt, double t, double *restrict out)
//	{
//		double s0 = 0.0;
//		for (size_t i = 0; i < n; i++) { … }
//		out[0] = s0;
//	}
func (u *unit) function(t *text, l loop) {
	b := u.newBlock()
	params := []string{"size_t n"}
	columns := map[ir.ID]string{}
	for _, id := range l.kernel.Columns {
		columns[id] = b.names.name(u.called(id))
		params = append(params, "const double *restrict "+columns[id])
	}
	for _, id := range l.kernel.Inputs {
		b.known[id] = b.names.name(u.called(id))
		params = append(params, "double "+b.known[id])
	}
	params = append(params, "double *restrict out")
	b.loops(l, columns)
	t.line("/* %s goes over trials and puts out", l.name)
	for i, out := range l.kernel.Outs {
		what := map[ir.Kind]string{ir.Total: "the sum", ir.Least: "the minimum"}[u.p.Values[out].Kind]
		t.line(" *   [%d] %s of %s", i, what, u.formula(u.p.Values[out].Args[0]))
	}
	t.line(" */")
	t.line("static void %s(%s)", l.name, strings.Join(params, ", "))
	t.line("{")
	t.lines(b.list)
	t.line("}\n")
}

// loops prints the body of a loop's function.
func (b *block) loops(l loop, columns map[ir.ID]string) {
	sums := make([]string, len(l.kernel.Outs))
	for i := range sums {
		sums[i] = b.names.first(numbered("s"))
	}
	if l.lanes {
		b.inLanes(l, columns, sums)
	} else {
		b.start(l.kernel, sums)
	}
	b.oneAtATime(l, columns, sums)
	for i, out := range l.kernel.Outs {
		if b.u.p.Values[out].Kind == ir.Least {
			sums[i] = "unordered(" + sums[i] + ")"
		}
		b.add("out[%d] = %s;", i, sums[i])
	}
}

// start declares the sums of a loop without lanes.
func (b *block) start(k ir.Kernel, sums []string) {
	for i, out := range k.Outs {
		if b.u.p.Values[out].Kind == ir.Least {
			b.add("int64_t %s = INT64_MAX;", sums[i])
		} else {
			b.add("double %s = 0.0;", sums[i])
		}
	}
}

// oneAtATime prints the loop over single trials.
func (b *block) oneAtATime(l loop, columns map[ir.ID]string, sums []string) {
	head := "for (size_t i = 0; i < n; i++)"
	if l.lanes {
		head = "for (; i < n; i++)"
	}
	k, w := l.kernel, b.inner()
	for id, name := range columns {
		w.known[id] = name + "[i]"
	}
	w.define(k.Body...)
	for i, out := range k.Outs {
		w.accumulate(out, sums[i])
	}
	b.nest(head, w)
}

// accumulate adds a value to a sum, or takes it into a minimum of ordered bit patterns.
func (b *block) accumulate(out ir.ID, sum string) {
	v := b.u.p.Values[out]
	if v.Kind == ir.Total {
		b.add("%s += %s;", sum, b.ref(v.Args[0]))
		return
	}
	key := b.names.first(numbered("k"))
	b.add("const int64_t %s = ordered(%s);", key, b.ref(v.Args[0]))
	b.add("%s = %s < %s ? %s : %s;", sum, key, sum, key, sum)
}
