package csrc

import (
	"fmt"
	"strings"

	"likc/compiler/ir"
)

// constants prints the number, names and ranges of the parameters as C constants.
func (u *unit) constants(t *text) {
	var names, lower, upper []string
	for _, p := range u.Parameters() {
		names = append(names, quote(p.Name))
		lower = append(lower, literal(p.Lower))
		upper = append(upper, literal(p.Upper))
	}
	t.line("const char *const %s_params[] = %s;", u.pkg, braces(names, "0"))
	t.line("const double %s_lower[] = %s;", u.pkg, braces(lower, "0.0"))
	t.line("const double %s_upper[] = %s;\n", u.pkg, braces(upper, "0.0"))
}

// braces lists the values of an array, which C does not let be empty.
func braces(values []string, none string) string {
	if len(values) == 0 {
		values = []string{none}
	}
	return "{" + strings.Join(values, ", ") + "}"
}

// quote writes a C string.
func quote(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < ' ' || c > '~' || strings.IndexByte(`"\?`, c) >= 0 {
			fmt.Fprintf(&b, `\%03o`, c)
		} else {
			b.WriteByte(c)
		}
	}
	return `"` + b.String() + `"`
}

// dataTypes prints what a bound dataset holds:
//
//	struct group {
//		size_t n;
//		double *rt;
//		double sum_rt; /* sum of rt */
//	};
//
//	struct ddmlik_data {
//		size_t n;
//		struct group upper, lower;
//		double *cells;
//	};
func (u *unit) dataTypes(t *text) {
	t.line("/* A group of trials: the columns that the loops read, and statistics. */")
	t.line("struct group {")
	t.line("\tsize_t n;")
	for _, c := range u.Columns {
		note := ""
		if u.Values[c.ID].Kind != ir.Column {
			note = " /* " + u.formula(c.ID) + " */"
		}
		t.line("\tdouble *%s;%s", c.Name, note)
	}
	for _, s := range u.Stats {
		t.line("\tdouble %s; /* %s of %s */", s.Name, s.What(), u.formula(s.Arg))
	}
	t.line("};\n")
	t.line("struct %s_data {", u.pkg)
	t.line("\tsize_t n;")
	t.line("\tstruct group %s;", strings.Join(u.GroupNames, ", "))
	for _, s := range u.Scalars {
		t.line("\tdouble %s; /* %s */", s.Name, u.formula(s.ID))
	}
	if len(u.Columns) > 0 {
		t.line("\tvoid *cells; /* the memory of all columns */")
	}
	t.line("};\n")
}

// prefixed returns the names of the columns and of the choice, each after a prefix.
func prefixed(prefix string, columns []string, choice string) []string {
	var list []string
	for _, c := range columns {
		list = append(list, prefix+c)
	}
	if choice != "" {
		list = append(list, prefix+choice)
	}
	return list
}

// newGroup prints the function that copies the trials of a group, those with one choice, and computes their statistics: sums and minima
// that need no parameter.
func (u *unit) newGroup(t *text) {
	b := u.newBlock()
	columns, choice := u.ColumnNames(b.names)
	params := append([]string{"size_t n"}, prefixed("const double *", columns, choice)...)
	if choice != "" {
		params = append(params, "double side")
	}
	for i, v := range u.Values {
		if v.Kind == ir.Column {
			b.known[ir.ID(i)] = columns[v.Index] + "[i]"
		}
	}
	if len(u.Columns) > 0 {
		params = append(params, "double **space")
	}
	for _, i := range u.Unused(u.Derived()) {
		b.add("(void)%s;", columns[i])
	}
	b.startGroup(choice)
	if len(u.Columns)+len(u.Stats) > 0 {
		b.nest("for (size_t i = 0; i < n; i++)", func(*lines) { b.takeTrial(choice) })
	}
	for _, s := range u.Stats {
		if s.Kind == ir.Total {
			b.add("g.%s = sum_of(&total_%s);", s.Name, s.Name)
		}
	}
	b.add("return g;")
	t.line("/* take_group copies the trials of a group and sums up what needs no parameter. */")
	t.line("static struct group take_group(%s)", strings.Join(params, ", "))
	t.body(b.list)
}

// startGroup prints the code that counts the group's trials and sets the pointers to its columns.
func (b *block) startGroup(choice string) {
	b.add("struct group g = {0};")
	if choice == "" {
		b.add("g.n = n;")
	} else {
		b.add("for (size_t i = 0; i < n; i++)")
		b.add("\tg.n += %s[i] == side;", choice)
	}
	for _, c := range b.Columns {
		b.add("g.%s = *space;", c.Name)
		b.add("*space += upto_lane(g.n);")
	}
	for _, s := range b.Stats {
		if s.Kind == ir.Least {
			b.add("g.%s = from_bits(UINT64_C(0x7ff0000000000000));", s.Name)
		} else {
			b.add("struct compensated total_%s = {0.0, 0.0};", s.Name)
		}
	}
	if len(b.Columns) > 0 {
		b.add("size_t k = 0;")
	}
}

// takeTrial prints the code of take_group for one trial.
func (b *block) takeTrial(choice string) {
	if choice != "" {
		b.add("if (%s[i] != side)", choice)
		b.add("\tcontinue;")
	}
	b.define(b.Derived()...)
	for _, c := range b.Columns {
		b.add("g.%s[k] = %s;", c.Name, b.at(c.ID))
	}
	if len(b.Columns) > 0 {
		b.add("k++;")
	}
	for _, s := range b.Stats {
		if s.Kind == ir.Least {
			b.add("g.%s = least(g.%s, %s);", s.Name, s.Name, b.at(s.Arg))
		} else {
			b.add("add(&total_%s, %s);", s.Name, b.at(s.Arg))
		}
	}
}

// newData prints the constructor of a dataset, and the checks that it makes.
func (u *unit) newData(t *text) {
	b := u.newBlock()
	columns, choice := u.ColumnNames(b.names)
	t.line("%s_data *%s_new(size_t n, %s, const char **error)", u.pkg, u.pkg, strings.Join(prefixed("const double *", columns, choice), ", "))
	var names []string
	kinds := ""
	for _, name := range u.Trials {
		names = append(names, quote(name))
		switch {
		case u.MayBeZero(name):
			kinds += "z"
		case u.IsPositive(name):
			kinds += "p"
		default:
			kinds += "f"
		}
	}
	if choice != "" {
		names = append(names, quote(u.Choice))
		kinds += "c"
	}
	b.add("static const char *const names[] = {%s};", strings.Join(names, ", "))
	b.add("const double *const columns[] = {%s};", strings.Join(prefixed("", columns, choice), ", "))
	b.add("if (!check_columns(n, %s, names, columns, error))", quote(kinds))
	b.add("\treturn NULL;")
	b.allocate()
	for i, g := range u.Groups {
		args := append([]string{"n"}, prefixed("", columns, choice)...)
		if choice != "" {
			args = append(args, number(g.Choice))
		}
		if len(u.Columns) > 0 {
			args = append(args, "&space")
		}
		b.add("d->%s = take_group(%s);", u.GroupNames[i], strings.Join(args, ", "))
	}
	for _, s := range u.Finish() {
		b.add("d->%s = %s;", s.Name, spell(s.Op, u.refs(s.Args)))
	}
	b.add("return d;")
	t.body(b.list)
	u.freeData(t)
}

// allocate prints the allocation of the dataset and its cells.
func (b *block) allocate() {
	name := b.pkg + "_data"
	b.add("%s *d = malloc(sizeof *d);", name)
	b.add("if (d == NULL)")
	b.add("\treturn no_memory(error);")
	b.add("d->n = n;")
	if len(b.Columns) > 0 {
		b.add("double *space = NULL;")
		b.add("d->cells = new_cells(n, %d, %d, &space);", len(b.Columns), len(b.GroupNames))
		b.add("if (d->cells == NULL) {")
		b.add("\tfree(d);")
		b.add("\treturn no_memory(error);")
		b.add("}")
	}
}

// freeData prints the function that frees a dataset.
func (u *unit) freeData(t *text) {
	t.line("void %s_free(%s_data *d)", u.pkg, u.pkg)
	t.line("{")
	if len(u.Columns) > 0 {
		t.line("\tif (d != NULL)")
		t.line("\t\tfree(d->cells);")
	}
	t.line("\tfree(d);")
	t.line("}\n")
	t.line("size_t %s_n(const %s_data *d)", u.pkg, u.pkg)
	t.line("{")
	t.line("\treturn d->n;")
	t.line("}\n")
}
