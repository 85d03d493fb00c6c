package gosrc

import (
	"bytes"
	"fmt"
	"go/format"
	"strings"

	"likc/compiler/emit"
	"likc/compiler/emit/plan"
	"likc/compiler/expr"
	"likc/compiler/ir"
	"likc/compiler/syntax"
	"likc/templates"

	"github.com/DataDog/datadog-agent/pkg/template/text" // as in goasm
)

// page holds the values that the templates of the fixed files use.
type page struct {
	emit.Config
	Model       string
	Counts      string
	Trials      []string
	Choice      string
	Choices     int       // number of choices, coded 0, 1, …; 0 for two boundaries
	Codes       []float64 // the codes of the choices
	Params      []expr.Param
	BindArgs    string // arguments of the constructor when columns are in a slice: columns[0], choice
	DensityArgs string // arguments of the density of trial i: columns[0][i], choice[i]
	NewDataArgs string // arguments of the constructor by name: rt, choice
	Several     bool   // whether there are several columns, whose lengths a caller may get wrong
	Positive    []int  // trial columns whose values must be positive, or at least 0
	AboveZero   []int  // the columns among Positive that must be above 0
	Edge        *plan.Edge
	Base        string // the shortest simulated response time
	BenchTheta  []float64
	Example     example
	Assembled   []testedLoop // the loops that have assembly
	Tables      []testedTable
	TableTrials int          // the smallest number of trials for which a group uses tables
	Binding     *bindingPage // the values for the binding function's template; nil for a model without one
}

// companions prints the other files of the package: tests, example, README.md, model.lik and go.mod.
func (u *unit) companions(cfg emit.Config) ([]emit.File, error) {
	if len(cfg.Cases) == 0 {
		return nil, fmt.Errorf("the log density was finite at none of the trials and parameters that were drawn to test it")
	}
	if cfg.Text == "" {
		cfg.Text = syntax.Format(cfg.Model)
	}
	p := u.page(cfg)
	var files []emit.File
	names := []string{"lik_test.go", "bench_test.go", "example_test.go", "README.md"}
	if len(p.Assembled) > 0 {
		names = append(names, "engines_test.go")
	}
	if len(p.Tables) > 0 {
		names = append(names, "tables_test.go")
	}
	for _, name := range names {
		data, err := p.fill(name)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		files = append(files, emit.File{Name: name, Data: data})
	}
	files = append(files, emit.File{Name: "model.lik", Data: []byte(strings.TrimRight(cfg.Text, "\n") + "\n")})
	if cfg.Module != "" {
		files = append(files, emit.File{Name: "go.mod", Data: []byte("module " + cfg.Module + "\n\ngo 1.24\n")})
	}
	return files, nil
}

// page returns the values that the templates use.
func (u *unit) page(cfg emit.Config) page {
	p := page{Config: cfg, Model: u.Model, Counts: u.counts(), Trials: u.Trials, Choice: u.Choice, Choices: u.Choices, Codes: u.Codes(), Params: u.Parameters(),
		Several: len(u.Trials) > 1 || u.Choice != "", Edge: u.Edge(), Base: "0.35", BenchTheta: cfg.Cases[0].Theta}
	p.Text = strings.TrimRight(cfg.Text, "\n")
	var bind, density, names []string
	for j, name := range u.Trials {
		bind = append(bind, fmt.Sprintf("columns[%d]", j))
		density = append(density, fmt.Sprintf("columns[%d][i]", j))
		names = append(names, name)
		if u.IsPositive(name) {
			p.Positive = append(p.Positive, j)
		}
		if u.IsPositive(name) && !u.MayBeZero(name) {
			p.AboveZero = append(p.AboveZero, j)
		}
	}
	if u.Choice != "" {
		bind, density, names = append(bind, "choice"), append(density, "choice[i]"), append(names, u.Choice)
	}
	p.BindArgs, p.DensityArgs, p.NewDataArgs = strings.Join(bind, ", "), strings.Join(density, ", "), strings.Join(names, ", ")
	u.edge(&p)
	if u.Binding != nil {
		p.Binding = u.bindingPage()
	}
	p.Assembled = testedLoops(u.allAssemblies())
	p.Tables, p.TableTrials = u.testedTables(), ir.TableTrials
	p.Example = u.example(cfg)
	return p
}

// fill executes one boilerplate file and formats it if it is Go.
func (p page) fill(name string) ([]byte, error) {
	t, err := template.New(name).Funcs(template.FuncMap{"float": goFloat, "floats": goFloats, "floatsPlain": joinFloats}).
		Parse(templates.Text("gopkg/" + name + ".txt"))
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := t.Execute(&b, p); err != nil {
		return nil, err
	}
	if !strings.HasSuffix(name, ".go") {
		return b.Bytes(), nil
	}
	return format.Source(b.Bytes())
}

// goFloat writes a number as a Go expression.
func goFloat(x float64) string { return fmt.Sprintf("%#v", literal(x)) }

// goFloats writes a slice as a Go expression, ten numbers a line.
func goFloats(xs []float64) string {
	if xs == nil {
		return "nil"
	}
	return "[]float64{" + joinFloats(xs) + "}"
}

// joinFloats writes numbers as Go expressions with commas, ten to a line.
func joinFloats(xs []float64) string {
	const perLine = 10
	var b strings.Builder
	for i, x := range xs {
		switch {
		case i > 0 && i%perLine == 0:
			b.WriteString(",\n")
		case i > 0:
			b.WriteString(", ")
		}
		b.WriteString(goFloat(x))
	}
	if len(xs) > perLine {
		b.WriteString(",\n")
	}
	return b.String()
}
