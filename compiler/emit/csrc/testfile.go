package csrc

import (
	"fmt"
	"strings"

	"likc/compiler/emit"
)

// testFile prints NAME_test.c: the configuration's cases, which are trials with expected results, and a main function. That function
// checks the cases or, with --bench, times evaluations.
func (u *unit) testFile(cfg emit.Config) []byte {
	var t text
	t.line("/*\n%s */\n", u.about(cfg))
	for _, name := range []string{"math", "stddef", "stdint", "stdio", "stdlib", "string", "time"} {
		t.line("#include <%s.h>", name)
	}
	t.line("\n#include \"%s.h\"\n", u.pkg)
	t.line("enum { COLUMNS = %d };", len(u.Trials))
	t.line("static const size_t case_count = %d;\n", len(cfg.Cases))
	t.line("struct test_case {\n\tsize_t n;\n\tconst double *theta, *columns[COLUMNS], *choice;\n\tdouble loglik;\n\tconst double *grad;\n\tdouble scale;\n};\n")
	var rows []string
	for i, c := range cfg.Cases {
		rows = append(rows, u.testCase(&t, i, c))
	}
	if len(rows) == 0 {
		rows = []string{"{0, NULL, {NULL}, NULL, 0.0, NULL, 0.0}"}
	}
	t.line("static const struct test_case cases[] = {\n\t%s,\n};\n", strings.Join(rows, ",\n\t"))
	u.glue(&t)
	t.b.WriteString(strings.Replace(u.template("test.c"), "int main(", u.edges()+"int main(", 1))
	return t.bytes()
}

// testCase prints the arrays of a case and returns its row.
func (u *unit) testCase(t *text, i int, c emit.Case) string {
	array := func(stem string, x []float64) string {
		name := fmt.Sprintf("%s%d", stem, i)
		var list []string
		for _, v := range x {
			list = append(list, literal(v))
		}
		t.line("static const double %s[] = %s;", name, wrap(list))
		return name
	}
	theta, grad := array("theta", c.Theta), array("grad", c.Grad)
	var columns []string
	for j, x := range c.Columns {
		columns = append(columns, array(fmt.Sprintf("column%d_", j), x))
	}
	choice := "NULL"
	if c.Choice != nil {
		choice = array("choice", c.Choice)
	}
	t.line("")
	return fmt.Sprintf("{%d, %s, {%s}, %s, %s, %s, %s}",
		len(c.Columns[0]), theta, strings.Join(columns, ", "), choice, literal(c.LogLik), grad, literal(c.Scale))
}

// wrap joins the values of an array with commas, eight to a line.
func wrap(values []string) string {
	if len(values) <= 8 {
		return braces(values, "0.0")
	}
	var b strings.Builder
	b.WriteString("{")
	for i, v := range values {
		if i%8 == 0 {
			b.WriteString("\n\t")
		}
		b.WriteString(v + ",")
		if i%8 != 7 && i != len(values)-1 {
			b.WriteString(" ")
		}
	}
	b.WriteString("\n}")
	return b.String()
}

// glue prints the functions through which the test's fixed part calls the interface, whose arguments depend on the model.
func (u *unit) glue(t *text) {
	list := func(form string) string {
		var args []string
		for j := range u.Trials {
			args = append(args, fmt.Sprintf(form, j))
		}
		return strings.Join(args, ", ")
	}
	choice, choiceOfTrial, choices, unusedChoice := "", "", "", "(void)choice;\n\t"
	if u.Choice != "" {
		choice, choiceOfTrial, choices, unusedChoice = ", choice", ", c->choice[i]", ", c->choice", ""
	}
	t.line("static %s_data *bind(size_t n, const double *const *columns, const double *choice, const char **error)\n{", u.pkg)
	t.line("\t%sreturn %s_new(n, %s%s, error);\n}\n", unusedChoice, u.pkg, list("columns[%d]"), choice)
	t.line("static void bind_flat(%s_data **data, const int *n, const struct test_case *c, const char **error)\n{", u.pkg)
	t.line("\t%s_flat_new(data, n, %s%s, error);\n}\n", u.pkg, list("c->columns[%d]"), choices)
	t.line("static double density(const struct test_case *c, size_t i)\n{")
	t.line("\treturn %s_log_density(c->theta, %s%s);\n}\n", u.pkg, list("c->columns[%d][i]"), choiceOfTrial)
}

// edges prints the test at the edge of the support, where the model has a parameter that no trial may reach.
func (u *unit) edges() string {
	body := "\t/* no parameter is bounded by the trials */\n"
	if edge := u.Edge(); edge != nil {
		body = fmt.Sprintf(strings.TrimPrefix(`
	for (size_t k = 0; k < case_count; k++) {
		const double outside[] = {1e9, nan_from_bits()};
		for (size_t j = 0; j < sizeof outside / sizeof outside[0]; j++) {
			double theta[%[1]s_DIM], grad[%[1]s_DIM], sum = 0.0;
			%[3]s_data *d = must_bind(cases[k].n, cases[k].columns, cases[k].choice);
			memcpy(theta, cases[k].theta, sizeof theta);
			theta[%[2]d] = outside[j];
			check_that("-INFINITY outside the support", k, minus_infinity(%[3]s_loglik(d, theta)));
			check_that("-INFINITY with gradient outside the support", k, minus_infinity(%[3]s_loglik_grad(d, theta, grad)));
			for (size_t i = 0; i < %[1]s_DIM; i++)
				sum += fabs(grad[i]);
			check_that("zero gradient outside the support", k, sum == 0.0);
			%[3]s_free(d);
		}
	}
`, "\n"), u.caps(), edge.Param, u.pkg)
	}
	return "/* check_edges evaluates outside the support. */\nstatic void check_edges(void)\n{\n" + body + "}\n\n"
}
