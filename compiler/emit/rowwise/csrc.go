package rowwise

import (
	"fmt"
	"math"
	"regexp"
	"strings"

	"likc/compiler/emit"
	"likc/compiler/emit/csrc"
	"likc/compiler/emit/plan"
	"likc/compiler/expr"
	"likc/templates"
)

// C prints a C99 source file, its header and a test, as package csrc does for models that are expressions.
func C(m Source, cfg emit.Config, cases []Case) ([]emit.File, error) {
	s, cfg, err := begin(m, cfg, cases)
	if err != nil {
		return nil, err
	}
	if err := csrc.CheckPackage(cfg.Package); err != nil {
		return nil, err
	}
	d := cDialect()
	names := d.names(len(s.calls))
	columns, restarts := s.identifiers(names)
	pg := s.newPage(cfg, cases, columns, restarts)
	for i, line := range pg.Header { // no text of the model may end the comment
		pg.Header[i] = csrc.Plain(line)
	}
	if err := pg.program(s, d, columns, names); err != nil {
		return nil, err
	}
	pg.cWords(columns)
	pg.Parts = append(pg.cParts(), pg.Program.Locals...)
	if err := pg.cProcess(); err != nil {
		return nil, err
	}
	files, err := pg.cTeacher()
	if err != nil {
		return nil, err
	}
	for _, f := range []struct{ template, name string }{
		{"lik.c", cfg.Package + ".c"}, {"lik.h", cfg.Package + ".h"}, {"test.c", cfg.Package + "_test.c"}, {"Makefile", "Makefile"}, {"README.c.md", "README.md"},
	} {
		data, err := pg.fill(f.template)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.name, err)
		}
		files = append(files, emit.File{Name: f.name, Data: data})
	}
	return append(files, pg.source()...), nil
}

// cDialect returns the functions that write C.
func cDialect() dialect {
	return dialect{
		target: expr.C,
		names: func(calls int) *plan.Names {
			n := csrc.Names()
			n.Reserve(strings.Fields(`
				evaluate prepare arrange owned by_person person names columns before first from order fresh sum value each slope partials passage
				ddm ddm_sdv angle outside images few_waves small_time large_time pairs_near pairs_far pair_sum set_waves set_passage
				log_density_of_passage log_density_of_ddm log_density_of_ddm_sdv log_density_of_angle log_density_of_full_ddm full_ddm
				node rule gauss_3 gauss_4 gauss_5 gauss_6 gauss_8 gauss_12 gauss_16 legendre legendre_twice legendre_less panel lattice new_lattice lattice_place lattice_edge
				start_sums average set_lattice set_average window lowest window_of wide gaussian set_reach start_step add_start each_start
				finish_starts fill_panel window_mean rescale set_ends add_piece add_panel cover trial no_memory is_nan is_finite same below bits_of`)...)
			for i := range max(calls, 64) {
				n.Reserve(fmt.Sprint("kind", i), fmt.Sprint("slopes", i), fmt.Sprint("moved", i), fmt.Sprint("carried", i))
			}
			return n
		},
		define: func(name, value string) string { return "const double " + name + " = " + value + ";" },
		number: cNumber,
		field:  func(column string) string { return "d->" + column + "[i]" },
		param:  func(j int) string { return fmt.Sprintf("theta[%d]", j) },
		slope:  func(call, arg int) string { return fmt.Sprintf("slopes%d[%d]", call, arg) },
		invoke: func(call int, result string, d density, args []string) []string {
			return []string{
				fmt.Sprintf("double slopes%d[%d];", call, len(args)-2),
				fmt.Sprintf("const double %s = log_density_of_%s(&kind%d, %s, slopes%d);", result, d.Name, call, strings.Join(args, ", "), call),
			}
		},
	}
}

// cNumber returns a number as a C expression.
func cNumber(x float64) string {
	switch {
	case math.IsNaN(x):
		return "NAN"
	case math.IsInf(x, 1):
		return "INFINITY"
	case math.IsInf(x, -1):
		return "-INFINITY"
	}
	return floating(x)
}

// cWords sets the fields of the page that only the C templates use.
func (pg *page) cWords(columns map[string]string) {
	pg.Caps = strings.ToUpper(pg.Package)
	for _, name := range pg.Model.Trials {
		switch {
		case pg.Model.MayBeZero(name):
			pg.CheckKinds += "z"
		case pg.Model.IsPositive(name):
			pg.CheckKinds += "p"
		default:
			pg.CheckKinds += "f"
		}
	}
	if pg.Choice != "" {
		pg.CheckKinds += "c"
		var wrong []string
		for _, code := range pg.Model.Codes() {
			wrong = append(wrong, "!same("+columns[pg.Model.Choice]+", "+cNumber(code)+")")
		}
		pg.WrongChoice = strings.Join(wrong, " && ")
	}
	pg.CheckKinds += strings.Repeat("f", len(pg.Restarts))
}

// cParts returns the names of the fixed texts of the source file.
func (pg *page) cParts() []string {
	list := []string{csrc.Fixed("bits", pg.Package, pg.Model), csrc.Fixed("check", pg.Package, pg.Model)}
	seen := map[string]bool{}
	for _, k := range pg.Program.Kinds {
		for _, part := range k.parts {
			if !seen[part] {
				list = append(list, strings.TrimSpace(templates.Text("density/"+part+".c.txt")))
			}
			seen[part] = true
		}
	}
	return list
}

// cTeacher adds the code that evaluates a teacher, and returns the file with its weights; no file for other models.
func (pg *page) cTeacher() ([]emit.File, error) {
	if pg.Teacher == nil {
		return nil, nil
	}
	code, err := pg.fill("teacher.c")
	if err != nil {
		return nil, err
	}
	pg.Parts = append(pg.Parts, strings.TrimSpace(string(code)))
	return []emit.File{pg.Teacher.cWeights(pg.Config)}, nil
}

// cNumbers returns the elements of an array as text. In C an array must not be empty.
func cNumbers(xs []float64) string {
	if len(xs) == 0 {
		return "0.0"
	}
	return wrapped(xs, bare(cNumber))
}

func integers(xs []int) string { return wrapped(xs, func(x int) string { return fmt.Sprint(x) }) }

// allColumns returns the trial columns, the choices and the columns that restart states.
func allColumns(c Case) [][]float64 {
	all := append([][]float64{}, c.Columns...)
	if c.Choice != nil {
		all = append(all, c.Choice)
	}
	return append(all, c.Blocks...)
}

// isLiteral reports whether a printed value is a number rather than a name.
func isLiteral(value string) bool { return numeric.MatchString(value) }

var numeric = regexp.MustCompile(`^[(0-9]`)
