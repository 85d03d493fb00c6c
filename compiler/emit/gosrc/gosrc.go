// Package gosrc prints a program as the source of a Go package. The package imports only the standard library and builds with
// Go 1.24.
package gosrc

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"sort"
	"strings"

	"github.com/dave/jennifer/jen"

	"likc/compiler/emit"
	"likc/compiler/expr"
	"likc/compiler/ir"
	"likc/templates"
)

// Emitter prints Go packages.
type Emitter struct{}

var _ emit.Emitter = Emitter{}

// Emit prints the package of one model: lik.go, its tests, benchmarks and example, README.md and model.lik, and go.mod if
// the configuration names a module. The files are formatted and the same for the same input.
func (Emitter) Emit(p *ir.Program, cfg emit.Config) ([]emit.File, error) {
	cfg, err := cfg.Complete()
	if err != nil {
		return nil, err
	}
	u, err := newUnit(p, "")
	if err != nil {
		return nil, err
	}
	u.assemble(cfg.ISA)
	if err := u.bind(cfg); err != nil {
		return nil, err
	}
	lik, err := u.likelihood(cfg)
	if err != nil {
		return nil, err
	}
	rest, err := u.companions(cfg)
	if err != nil {
		return nil, err
	}
	assembly, err := u.assembly(cfg)
	if err != nil {
		return nil, err
	}
	tables, err := u.tabulateFile(cfg)
	if err != nil {
		return nil, err
	}
	bound, err := u.bindingFiles(cfg)
	if err != nil {
		return nil, err
	}
	return slices.Concat([]emit.File{{Name: "lik.go", Data: lik}}, assembly, tables, bound, rest), nil
}

// likelihood prints lik.go: first the API, last the loops.
func (u *unit) likelihood(cfg emit.Config) ([]byte, error) {
	f := jen.NewFile(cfg.Package)
	for _, line := range u.header(cfg) {
		f.HeaderComment("//" + line)
	}
	f.PackageComment(fmt.Sprintf("Package %s is the likelihood of the model %s.", cfg.Package, u.Model))
	var code []jen.Code
	code = append(code, u.constants()...)
	code = append(code, u.dataTypes()...)
	code = append(code, u.newData())
	code = append(code, u.methods()...)
	code = append(code, u.tableMethods()...)
	code = append(code, u.engine()...)
	code = append(code, u.density()...)
	code = append(code, u.nodeTables()...)
	for _, l := range u.Loops {
		code = append(code, u.function(l))
	}
	code = append(code, u.newTrials())
	code = append(code, u.support()...)
	return render(f, code)
}

// support returns the fixed source that other code of the file calls: operators that package math does not have, compensated
// sums, and checks.
func (u *unit) support() []jen.Code {
	code := locals(u.all()...)
	if u.any(func(u *unit) bool { return u.HasStatistic(ir.Total) }) {
		code = append(code, fixed("compensated.go"))
	}
	if u.any((*unit).dividesWide) {
		code = append(code, fixed("spread.go"))
	}
	code = append(code, fixed("length.go"), fixed("columns.go"))
	if len(u.Positive) > len(u.Zero) {
		code = append(code, fixed("positive.go"))
	}
	if len(u.Zero) > 0 {
		code = append(code, fixed("nonnegative.go"))
	}
	switch {
	case u.numbered():
		code = append(code, fixed("numbered.go"))
	case u.Choice != "":
		code = append(code, fixed("choice.go"))
	}
	return code
}

// all returns the programs of the package: the likelihood's and, if there is one, the integral's.
func (u *unit) all() []*unit {
	if u.integral != nil {
		return []*unit{u, u.integral}
	}
	return []*unit{u}
}

// any reports whether something holds of one of the programs.
func (u *unit) any(holds func(u *unit) bool) bool { return slices.ContainsFunc(u.all(), holds) }

// locals returns the sources of operators that package math does not have, sorted by name. The file defines them as functions.
func locals(units ...*unit) []jen.Code {
	bodies := map[string]string{}
	for _, u := range units {
		for _, v := range u.Values {
			if s := v.Op.In(expr.Go); v.Kind == ir.Apply && s.Kind == expr.Local {
				bodies[s.Text] = s.Body
			}
		}
		for _, n := range u.inputParts() {
			if s := n.Op.In(expr.Go); s.Kind == expr.Local {
				bodies[s.Text] = s.Body
			}
		}
	}
	var names []string
	for name := range bodies {
		names = append(names, name)
	}
	sort.Strings(names)
	var code []jen.Code
	for _, name := range names {
		code = append(code, source(bodies[name]))
	}
	return code
}

// fixed returns source text that is the same for every model.
func fixed(name string) jen.Code {
	return source(strings.TrimSpace(templates.Text("fixed/" + name + ".txt")))
}

// qualified matches names from other packages in a source text.
var qualified = regexp.MustCompile(`\b(fmt|math|sync|atomic)\.([A-Z]\w*)`)

// source returns Go text as code for jen, which then imports the packages that the text uses.
func source(text string) jen.Code {
	s, from := &jen.Statement{}, 0
	for _, m := range qualified.FindAllStringSubmatchIndex(text, -1) {
		path := text[m[2]:m[3]]
		if path == "atomic" {
			path = "sync/atomic"
		}
		s.Id(text[from:m[0]]).Qual(path, text[m[4]:m[5]])
		from = m[1]
	}
	return s.Id(text[from:])
}

// render prints declarations with an empty line between them.
func render(f *jen.File, code []jen.Code) ([]byte, error) {
	for _, c := range code {
		f.Add(c)
		f.Line()
	}
	var b bytes.Buffer
	if err := f.Render(&b); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
