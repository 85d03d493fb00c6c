package csrc

import "strings"

// flatPrototypes prints the declarations of the flat interface, which has no structs, for callers in other languages.
func (u *unit) flatPrototypes(t *text) {
	t.line("/*\n * The same with pointers alone, as foreign function interfaces like it. data points to room for one pointer, error to\n" +
		" * a string that is set where the trials are refused, and *data to NULL; value and grad are results.\n */")
	for _, f := range u.flatHeads() {
		t.line("%s;", f)
	}
	t.line("")
}

// flatHeads lists the functions of the flat interface.
func (u *unit) flatHeads() []string {
	columns, choice := u.ColumnNames(u.Top.Inner())
	data := u.pkg + "_data **data"
	return []string{
		"void " + u.pkg + "_flat_new(" + data + ", const int *n, " + strings.Join(prefixed("const double *", columns, choice), ", ") + ", const char **error)",
		"void " + u.pkg + "_flat_free(" + data + ")",
		"void " + u.pkg + "_flat_loglik(" + data + ", const double *theta, double *value)",
		"void " + u.pkg + "_flat_loglik_grad(" + data + ", const double *theta, double *value, double *grad)",
		"void " + u.pkg + "_flat_log_density(const double *theta, " + strings.Join(prefixed("const double *", columns, choice), ", ") + ", double *value)",
	}
}

// flat prints the functions of the flat interface; see flatPrototypes.
func (u *unit) flat(t *text) {
	columns, choice := u.ColumnNames(u.Top.Inner())
	bodies := []string{
		"*data = " + u.pkg + "_new(*n > 0 ? (size_t)*n : 0, " + strings.Join(prefixed("", columns, choice), ", ") + ", error);",
		u.pkg + "_free(*data);\n\t*data = NULL;",
		"*value = " + u.pkg + "_loglik(*data, theta);",
		"*value = " + u.pkg + "_loglik_grad(*data, theta, grad);",
		"*value = " + u.pkg + "_log_density(theta, " + strings.Join(prefixed("*", columns, choice), ", ") + ");",
	}
	for i, head := range u.flatHeads() {
		t.line("%s\n{\n\t%s\n}\n", head, bodies[i])
	}
}
