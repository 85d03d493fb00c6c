package csrc

import (
	"strconv"
	"strings"

	"likc/compiler/emit"
	"likc/compiler/expr"
	"likc/compiler/syntax"
)

// companions returns the files that come with the C sources: Makefile, README.md and the model.
func (u *unit) companions(cfg emit.Config) []emit.File {
	return []emit.File{
		{Name: "Makefile", Data: []byte(u.template("makefile") + "\n")},
		{Name: "README.md", Data: u.readme(cfg)},
		{Name: "model.lik", Data: modelText(cfg)},
	}
}

// modelText returns the model as the user wrote it, or as the compiler prints it.
func modelText(cfg emit.Config) []byte {
	if cfg.Text != "" {
		return []byte(cfg.Text)
	}
	return []byte(syntax.Format(cfg.Model))
}

// readme prints README.md. Its examples have trials and parameters at which the model has a finite value.
func (u *unit) readme(cfg emit.Config) []byte {
	c := u.example(cfg)
	columns, choice := u.ColumnNames(u.Top.Inner())
	var values, python, r []string
	for _, x := range c.Columns {
		values = append(values, list(x))
	}
	names := append([]string{}, columns...)
	if choice != "" {
		names, values = append(names, choice), append(values, list(c.Choice))
	}
	for i := range names {
		python = append(python, "array(["+values[i]+"])")
		r = append(r, names[i]+" = as.double(c("+values[i]+"))")
	}
	var declare []string
	for i, name := range names {
		declare = append(declare, "\tconst double "+name+"[] = {"+values[i]+"};")
	}
	return []byte(u.template("readme.md",
		"MODEL", u.Model, "SOURCE", cfg.Source, "COUNT", strconv.Itoa(len(c.Columns[0])), "LENGTH", strconv.Itoa(len(u.Parameters())),
		"DECLARE", strings.Join(declare, "\n"), "ARGS", strings.Join(names, ", "),
		"PYTHON", strings.Join(python, ", "), "POINTERS", "["+strings.TrimSuffix(strings.Repeat("doubles, ", len(names)), ", ")+"]",
		"RVALUES", strings.Join(r, ", "), "THETA", list(c.Theta), "PARAMS", strings.Join(cfg.Model.ParamNames(), ", ")) + "\n")
}

// example returns a case, which is trials with parameters and the expected result, of few trials for the README.
func (u *unit) example(cfg emit.Config) emit.Case {
	for _, c := range append(append([]emit.Case{}, cfg.Cases...), emit.MakeCases(cfg.Model, 1)...) {
		if n := len(c.Columns[0]); n > 1 && n < 10 {
			return c
		}
	}
	c := emit.Case{Columns: make([][]float64, len(u.Trials)), Choice: []float64{1, -1, 1}}
	for j := range c.Columns {
		c.Columns[j] = []float64{0.5, 0.7, 0.9}
	}
	for _, p := range cfg.Model.Params {
		c.Theta = append(c.Theta, (p.Lower+p.Upper)/2)
	}
	return c
}

// list returns numbers as a comma-separated list of C literals.
func list(x []float64) string {
	var texts []string
	for _, v := range x {
		texts = append(texts, expr.Literal(v))
	}
	return strings.Join(texts, ", ")
}
