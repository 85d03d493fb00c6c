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
	pairs  bool // two trials share each division
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
		u.loops = append(u.loops, loop{name, k, !u.asWritten && u.divides(k)})
	}
}

// maxPairOps is how long a body may be for two trials to fit into the registers.
const maxPairOps = 48

// divides reports whether a loop divides by values of its body, and does little else: a call costs more than a division.
func (u *unit) divides(k ir.Kernel) bool {
	found := false
	for _, id := range k.Body {
		v := u.p.Values[id]
		s := v.Op.Info().C
		if s.Kind == expr.Local || s.Kind == expr.Function && v.Op.Info().Cost > 6 {
			return false
		}
		_, divides := u.divisor(v)
		found = found || divides
	}
	return found && len(k.Body) <= maxPairOps
}

// divisor returns what v divides by, if that is a value of the body.
func (u *unit) divisor(v ir.Value) (ir.ID, bool) {
	s := v.Op.Info().C
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
//		double s0[lanes] = {0.0};
//		size_t i = 0;
//		for (; i + lanes <= n; i += lanes) { … }
//		double r0 = total(s0);
//		for (; i < n; i++) { … }
//		out[0] = r0;
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
	rest := make([]string, len(l.kernel.Outs))
	for i := range sums {
		sums[i] = b.names.first(numbered("s"))
		rest[i] = b.names.first(numbered("r"))
	}
	if b.u.asWritten {
		b.start(l.kernel, rest)
		b.oneAtATime("for (size_t i = 0; i < n; i++)", l.kernel, columns, rest)
	} else {
		b.inLanes(l, columns, sums, rest)
		b.oneAtATime("for (; i < n; i++)", l.kernel, columns, rest)
	}
	for i, out := range l.kernel.Outs {
		if b.u.p.Values[out].Kind == ir.Least {
			rest[i] = "unordered(" + rest[i] + ")"
		}
		b.add("out[%d] = %s;", i, rest[i])
	}
}

// start declares the sums of a loop that has no lanes.
func (b *block) start(k ir.Kernel, sums []string) {
	for i, out := range k.Outs {
		if b.u.p.Values[out].Kind == ir.Least {
			b.add("int64_t %s = INT64_MAX;", sums[i])
		} else {
			b.add("double %s = 0.0;", sums[i])
		}
	}
}

// inLanes prints the loop over whole blocks of trials, each lane with sums of its own, and then the sums over the lanes.
func (b *block) inLanes(l loop, columns map[ir.ID]string, sums, rest []string) {
	for i, out := range l.kernel.Outs {
		if b.u.p.Values[out].Kind == ir.Least {
			b.add("int64_t %s[lanes] = {%s};", sums[i], strings.TrimSuffix(strings.Repeat("INT64_MAX, ", laneCount), ", "))
		} else {
			b.add("double %s[lanes] = {0.0};", sums[i])
		}
	}
	width := "lanes"
	if l.pairs {
		width = "2 * lanes"
		b.add("double guard[lanes] = {0.0}; /* is finite where the shared divisions were in range */")
	}
	b.add("size_t i = 0;")
	over := b.inner()
	lane := over.inner()
	if l.pairs {
		lane.pair(l.kernel, columns, sums)
	} else {
		lane.single(l.kernel, columns, sums)
	}
	over.nest("for (size_t j = 0; j < lanes; j++)", lane)
	b.nest("for (; i + "+width+" <= n; i += "+width+")", over)
	b.addLanes(l, sums, rest)
}

// addLanes adds the lanes up; where a shared division was out of range, the rest of the function begins again.
func (b *block) addLanes(l loop, sums, rest []string) {
	if l.pairs {
		b.add("const int in_range = is_finite(total(guard));")
		b.add("if (!in_range)")
		b.add("\ti = 0;")
	}
	for i, out := range l.kernel.Outs {
		kind, sum, none := "double", "total("+sums[i]+")", "0.0"
		if b.u.p.Values[out].Kind == ir.Least {
			kind, sum, none = "int64_t", "least_of("+sums[i]+")", "INT64_MAX"
		}
		if l.pairs {
			sum = "in_range ? " + sum + " : " + none
		}
		b.add("%s %s = %s;", kind, rest[i], sum)
	}
}

// laneCount is the number of lanes: of doubles that the widest vectors hold. The fixed text says the same.
const laneCount = 8

// single prints the body for one trial in each lane.
func (b *block) single(k ir.Kernel, columns map[ir.ID]string, sums []string) {
	for id, name := range columns {
		b.known[id] = name + "[i + j]"
	}
	b.define(k.Body...)
	for i, out := range k.Outs {
		b.accumulate(out, sums[i]+"[j]")
	}
}

// oneAtATime prints the loop over single trials.
func (b *block) oneAtATime(head string, k ir.Kernel, columns map[ir.ID]string, sums []string) {
	w := b.inner()
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
