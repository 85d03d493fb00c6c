package csrc

import (
	"fmt"
	"slices"
	"strings"

	"likc/compiler/diff"
	"likc/compiler/emit"
	"likc/compiler/emit/plan"
	"likc/compiler/expr"
	"likc/compiler/ir"
)

// bind plans the integral of a model with a binding function, whose trials are the points of a grid.
func (u *unit) bind(b *emit.Binding) error {
	if u.binding = b; b == nil {
		return nil
	}
	pl, err := plan.New(b.Integral, style, plan.Options{GradientOnly: true})
	if err != nil {
		return err
	}
	pl.Collect("integral_sums", pl.Both.Kernels)
	u.integral = &unit{Plan: pl, pkg: "integral", bars: "BINDING_VALUES"}
	u.bars = "BINDING_VALUES"
	return nil
}

// parameters are those of the interface.
func (u *unit) parameters() []expr.Param {
	if u.binding != nil {
		return u.binding.Model.Params
	}
	return u.Params
}

// at is what a function of the interface is called that takes the values of the binding function, and how it is declared.
func (u *unit) at() (static, ending string) {
	if u.binding != nil {
		return "static ", "_at"
	}
	return "", ""
}

// length is how many derivatives a gradient has, as a constant.
func (u *unit) length() string {
	if u.bars != "" {
		return u.bars
	}
	return u.caps() + "_DIM"
}

// bindingTables prints the binding function's tables.
func (u *unit) bindingTables(t *text, b *plan.Binding) {
	t.line("/* The values of the binding function are %s, then log Z. */", strings.Join(b.Values, ", "))
	t.line("enum { BINDING_VALUES = %d, BINDING_INPUTS = %d, BINDING_POLYNOMIALS = %d, BINDING_POWERS = %d, BINDING_PRODUCTS = %d };\n",
		len(b.Values)+1, len(b.Inputs), len(b.Places), b.Degree+1, len(b.Products))
	t.line("/* The values to which the polynomials are added. */")
	t.line("static const unsigned char binding_places[BINDING_POLYNOMIALS] = {%s};\n", integers(b.Places))
	var degrees, coefficients []string
	for _, p := range b.Products {
		degrees = append(degrees, "{"+integers(p.Degrees)+"}")
		coefficients = append(coefficients, "\t{"+numbers(p.Coefficients)+"}")
	}
	t.line("/* By product: the degree in each input, and the coefficient in each polynomial. */")
	t.line("static const unsigned char binding_degrees[BINDING_PRODUCTS][BINDING_INPUTS] = {\n\t%s\n};\n", lineUp(degrees))
	t.line("static const double binding_coefficients[BINDING_PRODUCTS][BINDING_POLYNOMIALS] = {\n%s\n};\n", strings.Join(coefficients, ",\n"))
}

func integers(list []int) string {
	return strings.Trim(strings.Join(strings.Fields(fmt.Sprint(list)), ", "), "[]")
}

func numbers(xs []float64) string {
	var list []string
	for _, x := range xs {
		list = append(list, literal(x))
	}
	return strings.Join(list, ", ")
}

// lineUp lists values, ten a line.
func lineUp(list []string) string {
	var lines []string
	for some := range slices.Chunk(list, 10) {
		lines = append(lines, strings.Join(some, ", "))
	}
	return strings.Join(lines, ",\n\t")
}

// bindingCode prints the integral, the binding function, and the interface at it.
func (u *unit) bindingCode(t *text) {
	b := plan.BindingOf(u.binding)
	z := u.integral
	for _, l := range z.Loops {
		z.function(t, l)
	}
	z.points(t, b)
	t.line("/* integral is the sum over the grid's points that is the integral over exp(%s + shift), and sets grad to its gradient. */", number(u.binding.Typical))
	t.line("static double integral(const double *theta, double *grad)")
	list := &lines{depth: 1}
	list.add("const struct integral_data *const d = &integral_points;")
	z.print(list, z.Evaluate(z.Both))
	t.body(list.list)
	columns, choice := u.ColumnNames(u.Top.Inner())
	t.line("%s\n", u.template("binding.c", "INPUT_CODE", u.inputCode(b.Inputs), "TYPICAL", number(u.binding.Typical),
		"DENSITY_PARAMS", strings.Join(all("double ", columns, choice), ", "), "DENSITY_ARGS", strings.Join(all("", columns, choice), ", ")))
}

// points prints the grid as a dataset: every group has all its points.
func (u *unit) points(t *text, b *plan.Binding) {
	at := func(id ir.ID) (values []float64) {
		tape := expr.NewTape(u.Trials, u.Expr(id))
		for i := range b.U {
			values, _ = tape.Eval(values, []float64{b.U[i], b.LogWeight[i]})
		}
		return values
	}
	group := []string{fmt.Sprint(len(b.U))}
	t.line("/* The points of the grid: what the loops read, and sums. */")
	t.line("struct integral_group {\n\tsize_t n;")
	for _, c := range u.Columns {
		t.line("\tconst double *%s;", c.Name)
		group = append(group, "integral_"+c.Name)
	}
	known := map[string]float64{}
	for _, s := range u.Stats {
		t.line("\tdouble %s; /* %s of %s */", s.Name, s.What(), u.formula(s.Arg))
		known[s.Name] = statistic(s.Kind, at(s.Arg))
		group = append(group, literal(known[s.Name]))
	}
	t.line("};\n")
	for _, c := range u.Columns {
		var list []string
		for _, x := range at(c.ID) {
			list = append(list, literal(x))
		}
		t.line("static const double integral_%s[] = %s;\n", c.Name, wrap(list))
	}
	row := "{" + strings.Join(group, ", ") + "}"
	values := []string{fmt.Sprint(len(b.U) * len(u.GroupNames)), strings.Join(slices.Repeat([]string{row}, len(u.GroupNames)), ", ")}
	t.line("static const struct integral_data {\n\tsize_t n;\n\tstruct integral_group %s;", strings.Join(u.GroupNames, ", "))
	for _, s := range u.Finish() {
		known[s.Name] = u.scalar(s, known, len(b.U))
		t.line("\tdouble %s;", s.Name)
		values = append(values, literal(known[s.Name]))
	}
	t.line("} integral_points = {%s};\n", strings.Join(values, ", "))
}

// statistic is the sum or the minimum of values.
func statistic(kind ir.Kind, values []float64) float64 {
	if kind == ir.Least {
		return slices.Min(values)
	}
	sum := 0.0
	for _, x := range values {
		sum += x
	}
	return sum
}

// scalar evaluates a number of a dataset that is made of known ones.
func (u *unit) scalar(s plan.Let, known map[string]float64, n int) float64 {
	var value func(r plan.Ref) float64
	value = func(r plan.Ref) float64 {
		switch r.Kind {
		case plan.Literal:
			return r.Num
		case plan.Repeated:
			return float64(n) * value(*r.Of)
		}
		return known[r.Name]
	}
	var x [3]float64
	for i, a := range s.Args {
		x[i] = value(a)
	}
	return s.Op.Info().Eval(x)
}

// inputCode prints statements that set the inputs and those of their derivatives that are not 0 everywhere:
//
//	const double v = theta[0];
//	…
//	p->x[0] = t2;
func (u *unit) inputCode(inputs []*expr.Expr) string {
	names, params := u.Top.Inner(), u.binding.Model.ParamNames()
	roots, gradients := slices.Clone(inputs), make([][]*expr.Expr, len(inputs))
	for i, x := range inputs {
		gradients[i] = diff.Gradient(x, params)
		roots = append(roots, gradients[i]...)
	}
	code, known := &lines{depth: 1}, map[*expr.Expr]string{}
	for _, n := range expr.Order(roots...) {
		var args []string
		for _, a := range n.Args {
			args = append(args, known[a])
		}
		switch n.Op {
		case expr.Const:
			known[n] = number(n.Value)
		case expr.Sym:
			known[n] = names.Take(n.Name)
			code.add("const double %s = theta[%d];", known[n], slices.Index(params, n.Name))
		default:
			known[n] = names.Take("")
			code.add("const double %s = %s;", known[n], spell(n.Op, args))
		}
	}
	if len(code.list) == 0 {
		code.add("(void)theta;")
	}
	for i, x := range inputs {
		code.add("p->x[%d] = %s;", i, known[x])
		for j, d := range gradients[i] {
			if d.Op != expr.Const || d.Value != 0 {
				code.add("p->by_x[%d][%d] = %s;", i, j, known[d])
			}
		}
	}
	return strings.Join(code.list, "\n")
}
