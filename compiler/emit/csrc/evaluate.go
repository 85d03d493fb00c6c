package csrc

import (
	"fmt"
	"math"
	"strings"

	"likc/compiler/emit/plan"
	"likc/compiler/ir"
)

// evaluations prints two functions, the log-likelihood and the log-likelihood with its gradient. The second one begins:
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
//		double sum0[2];
//		grad_sums(d->upper.n, d->upper.rt, t, sum0);
//		…
//		loglik += t12;
//		grad[0] += t13;
//	}
//	…
//	if (same(loglik, from_bits(…)))
//		memset(grad, 0, 4 * sizeof *grad);
//	return loglik;
func (u *unit) evaluations(t *text) {
	static, ending := u.affixes()
	t.line("%sdouble %s_loglik%s(const %s_data *d, const double *theta)", static, u.pkg, ending, u.pkg)
	u.body(t, u.Evaluate(u.Value))
	t.line("%sdouble %s_loglik_grad%s(const %s_data *d, const double *theta, double *grad)", static, u.pkg, ending, u.pkg)
	u.body(t, u.Evaluate(u.Both))
}

// density prints the log density of one trial:
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
	b := u.NewBlock()
	columns, choice := u.ColumnNames(b.Names)
	static, ending := u.affixes()
	t.line("%sdouble %s_log_density%s(const double *theta, %s)", static, u.pkg, ending, strings.Join(prefixed("double ", columns, choice), ", "))
	list := &lines{depth: 1}
	for _, i := range u.Unused(u.Value.IDs()) {
		list.add("(void)%s;", columns[i])
	}
	for _, s := range b.Density(columns) {
		c, ok := s.(plan.Choose)
		switch {
		case !ok:
			u.step(list, s)
		case choice == "":
			u.print(list, c.Steps)
		default:
			list.nest("if (same("+choice+", "+number(c.Choice)+"))", func(t *lines) { u.print(t, c.Steps) })
		}
	}
	if choice != "" {
		list.add("return %s;", number(math.NaN()))
	}
	t.body(list.list)
}

// body prints a function's body.
func (u *unit) body(t *text, steps []plan.Step) {
	list := &lines{depth: 1}
	u.print(list, steps)
	t.body(list.list)
}

// print prints statements.
func (u *unit) print(t *lines, steps []plan.Step) {
	for _, s := range steps {
		u.step(t, s)
	}
}

// step prints the statements of one step of the plan, which lists the statements of a function without regard to the language.
func (u *unit) step(t *lines, s plan.Step) {
	switch s := s.(type) {
	case plan.Unpack:
		u.unpack(t, s)
	case plan.Clear:
		t.add("memset(grad, 0, %s * sizeof *grad);", u.length())
	case plan.Let:
		t.add("const double %s = %s;", s.Name, spell(s.Op, u.refs(s.Args)))
	case plan.Call:
		args := []string{u.size(s.Kernel.Group)}
		for _, id := range s.Kernel.Columns {
			args = append(args, "d->"+u.GroupNames[s.Kernel.Group]+"."+u.Column(id))
		}
		for _, id := range s.Kernel.Inputs {
			args = append(args, u.ref(s.In.Ref(id)))
		}
		for _, id := range s.Kernel.Nodes {
			args = append(args, u.ref(s.In.Ref(id)))
		}
		sum := s.Results[0].Name
		t.add("double %s;", subscript(sum, len(s.Results)))
		t.add("%s(%s);", u.LoopOf(s.Kernel).Name, strings.Join(append(args, sum), ", "))
	case plan.Fill:
		u.fill(t, s)
	case plan.OverNodes:
		u.callOverNodes(t, s.Kernel, s.Results[0].Name, func(id ir.ID) string { return u.ref(s.In.Ref(id)) })
	case plan.Refuse:
		u.refuse(t, s)
	case plan.Start:
		t.add("double loglik = 0.0;")
	case plan.Share:
		t.nest("if ("+u.size(s.Group)+" > 0)", func(t *lines) { u.print(t, s.Steps) })
	case plan.AddValue:
		t.add("loglik += %s;", u.ref(s.X))
	case plan.AddGrad:
		t.add("grad[%d] += %s;", s.Index, u.ref(s.X))
	case plan.Settle: // clears the gradient where the value is -Inf; bits are compared, because -ffast-math may drop other comparisons
		t.add("if (same(loglik, %s))", minusInfinity)
		t.add("\tmemset(grad, 0, %s * sizeof *grad);", u.length())
	case plan.Return:
		if s.X == nil {
			t.add("return loglik;")
		} else {
			t.add("return %s;", u.ref(*s.X))
		}
	case plan.Comment: // comments of the plan are not printed in C
	default:
		panic(fmt.Sprintf("no C for step %T", s))
	}
}

// unpack prints the definitions that give the elements of theta the names of parameters.
func (u *unit) unpack(t *lines, s plan.Unpack) {
	var list []string
	for i, name := range s.Names {
		list = append(list, name+" = "+subscript("theta", s.Index[i]))
	}
	if len(list) == 0 {
		t.add("(void)theta;")
		return
	}
	t.add("const double %s;", strings.Join(list, ", "))
}

// refuse prints the checks of the support, the times and parameters at which the density is above 0. They compare bit patterns, so
// that a NaN violates a condition under any compiler flags:
//
//	if (d->upper.n > 0 && !(below(t, d->upper.min_rt)))
//		return from_bits(…);
func (u *unit) refuse(t *lines, s plan.Refuse) {
	var conds []string
	for _, c := range s.Conds {
		conds = append(conds, "below("+u.ref(c[0])+", "+u.ref(c[1])+")")
	}
	failed := "!(" + strings.Join(conds, " && ") + ")"
	if s.Group >= 0 {
		failed = u.size(s.Group) + " > 0 && " + failed
	}
	if !s.Late {
		t.add("if (%s)", failed)
		t.add("\treturn %s;", minusInfinity)
		return
	}
	t.nest("if ("+failed+")", func(t *lines) {
		if s.Clear {
			t.add("memset(grad, 0, %s * sizeof *grad);", u.length())
		}
		t.add("return %s;", minusInfinity)
	})
}

// minusInfinity is the C expression of -Inf.
const minusInfinity = "from_bits(UINT64_C(0xfff0000000000000))"
