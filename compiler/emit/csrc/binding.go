package csrc

import (
	"fmt"
	"slices"
	"strings"

	"likc/compiler/emit"
	"likc/compiler/emit/plan"
	"likc/compiler/expr"
	"likc/compiler/ir"
)

// bind plans the integral of a model with a binding function, which computes the parameters at which the density is evaluated. The
// integral is a sum over the points of a grid, which the program treats as trials.
func (u *unit) bind(b *emit.Binding) error {
	if u.Binding = plan.BindingOf(b); b == nil {
		return nil
	}
	pl, err := plan.New(b.Integral, style, plan.Options{GradientOnly: true})
	if err != nil {
		return err
	}
	pl.Collect("integral_sums", pl.Both.Kernels)
	u.integral = &unit{Plan: pl, pkg: "integral", gradLength: "BINDING_VALUES"}
	u.gradLength = "BINDING_VALUES"
	return nil
}

// affixes returns the prefix of the declaration and the ending of the name of a function that takes the values of the binding
// function as parameters. Both are "" for a model without a binding function.
func (u *unit) affixes() (static, ending string) {
	if u.Binding != nil {
		return "static ", "_at"
	}
	return "", ""
}

// length returns the name of the C constant that holds the length of a gradient.
func (u *unit) length() string {
	if u.gradLength != "" {
		return u.gradLength
	}
	return u.caps() + "_DIM"
}

// bindingTables prints the coefficients of the binding function as C arrays.
func (u *unit) bindingTables(t *text) {
	b := u.Binding
	t.line("/* The values of the binding function are %s, then log Z. */", strings.Join(b.Values, ", "))
	t.line("enum { BINDING_VALUES = %d, BINDING_INPUTS = %d, BINDING_POLYNOMIALS = %d, BINDING_POWERS = %d, BINDING_PRODUCTS = %d };\n",
		len(b.Values)+1, len(b.Inputs), len(b.Places), b.Degree+1, len(b.Products))
	t.line("/* By polynomial: the value to which it is added. */")
	t.line("static const unsigned char binding_places[BINDING_POLYNOMIALS] = {%s};\n", plan.Listed(b.Places))
	var degrees, coefficients []string
	for _, p := range b.Products {
		degrees = append(degrees, "{"+plan.Listed(p.Degrees)+"}")
		coefficients = append(coefficients, "\t{"+strings.Join(numbers(p.Coefficients), ", ")+"}")
	}
	t.line("/* By product: the degree in each input, and the coefficient in each polynomial. */")
	t.line("static const unsigned char binding_degrees[BINDING_PRODUCTS][BINDING_INPUTS] = {\n\t%s\n};\n", lineUp(degrees))
	t.line("static const double binding_coefficients[BINDING_PRODUCTS][BINDING_POLYNOMIALS] = {\n%s\n};\n", strings.Join(coefficients, ",\n"))
}

// numbers returns numbers as C literals.
func numbers(xs []float64) (list []string) {
	for _, x := range xs {
		list = append(list, literal(x))
	}
	return list
}

// lineUp joins values with commas, ten to a line.
func lineUp(list []string) string {
	var lines []string
	for some := range slices.Chunk(list, 10) {
		lines = append(lines, strings.Join(some, ", "))
	}
	return strings.Join(lines, ",\n\t")
}

// bindingCode prints the integral, the binding function, and the functions of the interface, which evaluate the log density at its values.
func (u *unit) bindingCode(t *text) {
	z, typical := u.integral, ""
	for _, l := range z.Loops {
		z.function(t, l)
	}
	z.points(t, u.Binding)
	if u.Binding.Typical != 0 {
		typical = " + " + number(u.Binding.Typical)
	}
	t.line("/* integral returns a sum over the grid's points, which is Z / exp(shift%s), and sets grad to its gradient. */", typical)
	t.line("static double integral(const double *theta, double *grad)")
	list := &lines{depth: 1}
	list.add("const struct integral_points *const d = &integral_points;")
	z.print(list, z.Evaluate(z.Both))
	t.body(list.list)
	columns, choice := u.ColumnNames(u.Top.Inner())
	t.line("%s\n", u.template("binding.c", "INPUT_CODE", u.inputCode(), " + TYPICAL", typical,
		"DENSITY_PARAMS", strings.Join(prefixed("double ", columns, choice), ", "), "DENSITY_ARGS", strings.Join(prefixed("", columns, choice), ", ")))
}

// points prints the grid as a dataset, in which every group has all the grid's points:
//
//	struct integral_group {
//		size_t n;
//		const double *u;
//		double sum; /* sum of w */
//	};
//
//	static const double integral_u[] = {…};
//
//	static const struct integral_points {
//		size_t n;
//		struct integral_group upper, lower;
//	} integral_points = {94, {47, integral_u, …}, {47, integral_u, …}};
func (u *unit) points(t *text, b *plan.Binding) {
	n := len(b.U)
	group, known := u.pointGroup(t, b)
	groups := slices.Repeat([]string{group}, len(u.GroupNames))
	values := append([]string{fmt.Sprint(n * len(groups))}, groups...)
	t.line("static const struct integral_points {\n\tsize_t n;\n\tstruct integral_group %s;", strings.Join(u.GroupNames, ", "))
	for _, s := range u.Finish() {
		known[s.Name] = u.scalar(s, known, n)
		t.line("\tdouble %s;", s.Name)
		values = append(values, literal(known[s.Name]))
	}
	t.line("} integral_points = {%s};\n", strings.Join(values, ", "))
}

// pointGroup prints the type and the columns of a group of points. It returns the group's initialiser, and its statistics by name.
func (u *unit) pointGroup(t *text, b *plan.Binding) (group string, known map[string]float64) {
	values, known := []string{fmt.Sprint(len(b.U))}, map[string]float64{}
	t.line("/* The points of the grid: what the loops read, and sums. */")
	t.line("struct integral_group {\n\tsize_t n;")
	for _, c := range u.Columns {
		t.line("\tconst double *%s;", c.Name)
		values = append(values, "integral_"+c.Name)
	}
	for _, s := range u.Stats {
		t.line("\tdouble %s; /* %s of %s */", s.Name, s.What(), u.formula(s.Arg))
		known[s.Name] = statistic(s.Kind, u.atPoints(b, s.Arg))
		values = append(values, literal(known[s.Name]))
	}
	t.line("};\n")
	for _, c := range u.Columns {
		t.line("static const double integral_%s[] = %s;\n", c.Name, wrap(numbers(u.atPoints(b, c.ID))))
	}
	return "{" + strings.Join(values, ", ") + "}", known
}

// atPoints returns a value of the program at each point of the grid. The value must be of the Data stage, which needs no parameters.
func (u *unit) atPoints(b *plan.Binding, id ir.ID) (values []float64) {
	tape := expr.NewTape(u.Trials, u.Expr(id))
	for i := range b.U {
		values, _ = tape.Eval(values, []float64{b.U[i], b.LogWeight[i]})
	}
	return values
}

// statistic returns the sum or the minimum of values.
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

// scalar computes a number of a dataset from statistics and numbers that are known already.
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

// inputCode prints statements that set the inputs of the binding function and their derivatives, except derivatives that are
// always 0:
//
//	const double v = theta[0];
//	…
//	p->x[0] = t2;
func (u *unit) inputCode() string {
	names, code := u.Top.Inner(), &lines{depth: 1}
	define := func(name, value string) string {
		code.add("const double %s = %s;", name, value)
		return name
	}
	known := plan.SpellInputs(u.Binding, plan.Speller[string]{
		Number: number,
		Param:  func(name string, j int) string { return define(names.Declare(name), subscript("theta", j)) },
		Apply:  func(op expr.Op, args []string) string { return define(names.Declare(""), spell(op, args)) },
	})
	if len(code.list) == 0 {
		code.add("(void)theta;")
	}
	for i, x := range u.Binding.Inputs {
		code.add("p->x[%d] = %s;", i, known[x])
	}
	for _, s := range u.Binding.Slopes {
		code.add("p->by_x[%d][%d] = %s;", s.Input, s.Param, known[s.Value])
	}
	return strings.Join(code.list, "\n")
}
