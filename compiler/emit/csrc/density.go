package csrc

import (
	"fmt"
	"math"
	"math/bits"
	"strings"

	"likc/compiler/ir"
)

// subscript is an element of an array.
func subscript(name string, i int) string { return fmt.Sprintf("%s[%d]", name, i) }

// density prints the log density of one trial: the program with the trial's own value for every sum over trials.
//
//	double ddmlik_log_density(const double *theta, double rt, double choice)
//	{
//		const double v = theta[0], …;
//		if (same(choice, 1.0)) {
//			if (!(below(t, rt)))
//				return from_bits(…);
//			…
//			return t12;
//		}
//		…
//		return from_bits(…);
//	}
func (u *unit) density(t *text) {
	b := u.newBlock()
	columns, choice := b.columnParams()
	t.line("double %s_log_density(const double *theta, %s)", u.pkg, strings.Join(all("double ", columns, choice), ", "))
	t.line("{")
	used := map[int]bool{}
	for i, v := range u.p.Values {
		if v.Kind == ir.Column {
			b.known[ir.ID(i)] = columns[v.Index]
			used[v.Index] = used[v.Index] || u.value.live[i]
		}
	}
	for i, name := range columns {
		if !used[i] {
			t.line("\t(void)%s;", name)
		}
	}
	b.unpack(u.value.live)
	b.oneTrial(noGroup, func(id ir.ID) bool { return bits.OnesCount(u.value.need[id]) > 1 && !u.afterSum(id) })
	for i, g := range u.p.Groups {
		w := b.inner()
		if choice == "" {
			w = b
		}
		w.oneTrial(i, func(id ir.ID) bool { return u.value.need[id]&(1<<i) != 0 })
		if len(g.Support) > 0 {
			w.add("if (%s)", w.violated(g.Support))
			w.add("\treturn %s;", minusInfinity)
		}
		w.add("return %s;", w.ref(g.LogLik))
		if choice != "" {
			b.nest("if (same("+choice+", "+number(g.Choice)+"))", w)
		}
	}
	if choice != "" {
		b.add("return %s;", number(math.NaN()))
	}
	t.lines(b.list)
	t.line("}\n")
}

// noGroup stands for what the groups share.
const noGroup = -1

// oneTrial prints the values that want picks, as they are for a dataset of one trial of the group.
func (b *block) oneTrial(group int, want func(ir.ID) bool) {
	for i, v := range b.u.p.Values {
		id := ir.ID(i)
		if _, known := b.known[id]; known || !b.u.value.live[id] || b.u.constant[id] || !want(id) {
			continue
		}
		switch {
		case v.Kind == ir.Apply:
			b.define(id)
		case v.Kind != ir.Total && v.Kind != ir.Least:
		case v.Group == group:
			b.known[id] = b.ref(v.Args[0])
		default: // of a group without trials
			b.known[id] = number(map[ir.Kind]float64{ir.Least: math.Inf(1)}[v.Kind])
		}
	}
}

// afterSum reports whether a value comes after a sum over trials.
func (u *unit) afterSum(id ir.ID) bool {
	return u.facts.Stage[id] == ir.Epilogue || u.facts.Stage[id] == ir.Data && !u.facts.PerTrial[id]
}
