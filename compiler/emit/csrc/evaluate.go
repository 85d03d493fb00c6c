package csrc

import (
	"math/bits"
	"strings"

	"likc/compiler/ir"
)

// evaluations prints the log-likelihood, and the same with its gradient.
func (u *unit) evaluations(t *text) {
	t.line("double %s_loglik(const %s_data *d, const double *theta)", u.pkg, u.pkg)
	t.line("{")
	t.lines(u.evaluate(u.value, false))
	t.line("}\n")
	t.line("double %s_loglik_grad(const %s_data *d, const double *theta, double *grad)", u.pkg, u.pkg)
	t.line("{")
	t.lines(u.evaluate(u.both, true))
	t.line("}\n")
}

// evaluate prints one evaluation of a bound dataset. With gradient:
//
//	const double v = theta[0], a = theta[1], z = theta[2], t = theta[3];
//	memset(grad, 0, 4 * sizeof *grad);
//	const double t0 = a * a;
//	…
//	if (d->upper.n > 0 && !(below(t, d->upper.min_rt)))
//		return from_bits(…);
//	…
//	double loglik = 0.0;
//	if (d->upper.n > 0) {
//		double s[2];
//		grad_sums(d->upper.n, d->upper.rt, t, s);
//		…
//		loglik += t12;
//		grad[0] += t13;
//	}
//	…
//	return loglik;
func (u *unit) evaluate(e evaluation, gradient bool) []string {
	b := u.newBlock()
	b.unpack(e.live)
	if gradient {
		b.add("memset(grad, 0, %s_DIM * sizeof *grad);", u.caps())
	}
	b.knowData()
	for i, v := range u.p.Values {
		if e.live[i] && v.Kind == ir.Apply && u.facts.Stage[i] == ir.Prologue {
			b.define(ir.ID(i))
		}
	}
	for i, g := range u.p.Groups {
		if early := u.conditions(g, true); len(early) > 0 {
			b.add("if (%s > 0 && %s)", b.size(i), b.violated(early))
			b.add("\treturn %s;", minusInfinity)
		}
	}
	b.epilogue(e, func(need uint) bool { return bits.OnesCount(need) > 1 })
	b.add("double loglik = 0.0;")
	for i := range u.p.Groups {
		b.share(e, i, gradient)
	}
	b.add("return loglik;")
	return b.list
}

// share prints what a group adds to the result, if it has trials.
func (b *block) share(e evaluation, group int, gradient bool) {
	w, g := b.inner(), b.u.p.Groups[group]
	w.epilogue(e, func(need uint) bool { return need == 1<<group })
	if late := b.u.conditions(g, false); len(late) > 0 {
		w.add("if (%s) {", w.violated(late))
		if gradient {
			w.add("\tmemset(grad, 0, %s_DIM * sizeof *grad);", b.u.caps())
		}
		w.add("\treturn %s;", minusInfinity)
		w.add("}")
	}
	w.add("loglik += %s;", w.ref(g.LogLik))
	for j, id := range g.Grad {
		if gradient && !(b.u.constant[id] && b.u.number[id] == 0) {
			w.add("grad[%d] += %s;", j, w.ref(id))
		}
	}
	b.nest("if ("+b.size(group)+" > 0)", w)
}

// unpack names the live parameters.
func (b *block) unpack(live []bool) {
	var list []string
	for index, p := range b.u.p.Params {
		name := ""
		for i, v := range b.u.p.Values {
			if v.Kind != ir.Param || v.Index != index || !live[i] {
				continue
			}
			if name == "" {
				name = b.names.name(p.Name)
				list = append(list, name+" = "+subscript("theta", index))
			}
			b.known[ir.ID(i)] = name
		}
	}
	if len(list) == 0 {
		b.add("(void)theta;")
		return
	}
	b.add("const double %s;", strings.Join(list, ", "))
}

// knowData refers to the numbers that the constructor computed, and to sums of what is the same for every trial.
func (b *block) knowData() {
	for _, s := range b.u.scalars {
		b.known[s.id] = "d->" + s.name
	}
	for i, v := range b.u.p.Values {
		switch id := ir.ID(i); {
		case v.Kind != ir.Total && v.Kind != ir.Least:
		case b.u.constant[v.Args[0]]:
			b.known[id] = b.repeated(v, number(b.u.number[v.Args[0]]))
		case b.u.facts.Stage[i] == ir.Data:
			b.known[id] = "d->" + b.u.groups[v.Group] + "." + b.u.statistic(v)
		}
	}
}

// repeated is the sum or minimum over a group's trials of a number x.
func (b *block) repeated(v ir.Value, x string) string {
	n := "(double)" + b.size(v.Group)
	switch {
	case v.Kind == ir.Least:
		return x
	case x == "1.0":
		return n
	}
	return "(" + n + " * " + x + ")"
}

// size is the number of trials of a group.
func (b *block) size(group int) string { return "d->" + b.u.groups[group] + ".n" }

// epilogue prints the loops and the values after them whose users are the groups that want picks.
func (b *block) epilogue(e evaluation, want func(need uint) bool) {
	called := map[int]bool{}
	for i, v := range b.u.p.Values {
		id := ir.ID(i)
		if _, known := b.known[id]; known || !e.live[id] || b.u.facts.Stage[id] != ir.Epilogue {
			continue
		}
		switch {
		case v.Kind == ir.Apply:
			if want(e.need[id]) {
				b.define(id)
			}
		case b.u.facts.Stage[v.Args[0]] == ir.Prologue:
			b.known[id] = b.repeated(v, b.ref(v.Args[0]))
		default:
			if k := e.kernels[v.Group]; want(kernelNeed(e, k)) && !called[v.Group] {
				called[v.Group] = true
				b.call(k)
			}
		}
	}
}

// kernelNeed is the set of groups that need a result of the kernel.
func kernelNeed(e evaluation, k ir.Kernel) uint {
	need := uint(0)
	for _, out := range k.Outs {
		need |= e.need[out]
	}
	return need
}

// call runs a loop:
//
//	double sum0[2];
//	grad_sums(d->upper.n, d->upper.rt, t, sum0);
func (b *block) call(k ir.Kernel) {
	args := []string{b.size(k.Group)}
	for _, id := range k.Columns {
		for _, c := range b.u.columns {
			if c.id == id {
				args = append(args, "d->"+b.u.groups[k.Group]+"."+c.name)
			}
		}
	}
	for _, id := range k.Inputs {
		args = append(args, b.ref(id))
	}
	sum := b.names.first(numbered("sum"))
	for i, out := range k.Outs {
		b.known[out] = subscript(sum, i)
	}
	b.add("double %s;", subscript(sum, len(k.Outs)))
	b.add("%s(%s);", b.u.loops[b.u.bySign[k.Signature(b.u.p)]].name, strings.Join(append(args, sum), ", "))
}

// conditions lists the support conditions of a group that can be tested before its loop, or the others.
func (u *unit) conditions(g ir.Group, early bool) []ir.Cond {
	var list []ir.Cond
	for _, c := range g.Support {
		if early == (u.facts.Stage[c.Left] != ir.Epilogue && u.facts.Stage[c.Right] != ir.Epilogue) {
			list = append(list, c)
		}
	}
	return list
}
