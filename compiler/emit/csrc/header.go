package csrc

import (
	"fmt"
	"strings"

	"likc/compiler/emit"
	"likc/compiler/ir"
)

// about returns the comment lines at the top of the files, each after a star.
func (u *unit) about(cfg emit.Config) string {
	note := u.counts()
	if u.asWritten {
		note = "as written: one loop a group, nothing simplified or computed ahead"
	}
	var b strings.Builder
	for _, line := range strings.Split(strings.Join(u.Header(cfg, note), "\n"), "\n") {
		b.WriteString(strings.TrimRight(" * "+plain.Replace(line), " ") + "\n")
	}
	return b.String()
}

// counts returns a line with the numbers of operations for each stage, such as before, in and after the loops. The line is printed
// into the file, so that the effect of a change to the optimiser is seen in the diff.
func (u *unit) counts() string {
	r := ir.Describe(u.Program)
	return fmt.Sprintf("prologue %d ops, body %d ops, epilogue %d ops; accumulators: %d, statistics: %d",
		r.PrologueOps, r.BodyOps, r.EpilogueOps, r.Sums, len(r.Statistics))
}

// headerFile prints NAME.h, for C and C++.
func (u *unit) headerFile(cfg emit.Config) []byte {
	var t text
	t.line("/*\n%s *\n * %s\n */\n", u.about(cfg), strings.TrimLeft(u.template("guarantee.h"), " *"))
	guard := u.caps() + "_H"
	t.line("#ifndef %s\n#define %s\n", guard, guard)
	t.line("#include <stddef.h>\n")
	t.line("#ifdef __cplusplus\nextern \"C\" {\n#endif\n")
	t.line("/* The number of parameters, their names in the order of theta, and the ranges for which the model was made. */")
	t.line("enum { %s_DIM = %d };", u.caps(), len(u.Parameters()))
	t.line("extern const char *const %s_params[];", u.pkg)
	t.line("extern const double %s_lower[], %s_upper[];\n", u.pkg, u.pkg)
	t.line("/* A set of trials, prepared for many evaluations. */")
	t.line("typedef struct %s_data %s_data;\n", u.pkg, u.pkg)
	u.prototypes(&t)
	u.flatPrototypes(&t)
	t.line("#ifdef __cplusplus\n}\n#endif\n")
	t.line("#endif")
	return t.bytes()
}

// prototypes prints the interface for C.
func (u *unit) prototypes(t *text) {
	columns, choice := u.ColumnNames(u.Top.Inner())
	what := "one array of n numbers a trial column"
	if choice != "" {
		if what += ", then the choices, +1 or -1"; u.Choices > 0 {
			what = strings.TrimSuffix(what, "+1 or -1") + fmt.Sprintf("0 to %d", u.Choices-1)
		}
	}
	t.line("/*\n * %s_new copies trials: %s. Where it refuses them it\n"+
		" * returns NULL and sets *error, unless error is NULL, to a text that is good until the thread's next refusal.\n */", u.pkg, what)
	t.line("%s_data *%s_new(size_t n, %s, const char **error);", u.pkg, u.pkg, strings.Join(prefixed("const double *", columns, choice), ", "))
	t.line("void %s_free(%s_data *d);\n", u.pkg, u.pkg)
	t.line("/* The number of trials. */")
	t.line("size_t %s_n(const %s_data *d);\n", u.pkg, u.pkg)
	t.line("/*\n * The sum of the log densities of the trials at theta[%[1]s_DIM]; -INFINITY outside the support. Arrays of other\n"+
		" * lengths than %[1]s_DIM are an error that C cannot see.\n */", u.caps())
	t.line("double %s_loglik(const %s_data *d, const double *theta);\n", u.pkg, u.pkg)
	t.line("/* The same, and overwrites grad[%s_DIM] with its gradient, zero where the sum is -INFINITY. grad must not be theta. */", u.caps())
	t.line("double %s_loglik_grad(const %s_data *d, const double *theta, double *grad);\n", u.pkg, u.pkg)
	nan := ""
	if choice != "" {
		nan = ", NaN for a\n * choice that is " + wrongChoice(u.Choices)
	}
	t.line("/*\n * The log density of one trial; -INFINITY outside the support%s.\n */", nan)
	t.line("double %s_log_density(const double *theta, %s);\n", u.pkg, strings.Join(prefixed("double ", columns, choice), ", "))
}
