package goasm

import (
	"bytes"
	"fmt"
	"go/format"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/DataDog/datadog-agent/pkg/template/text" // whose templates call no methods, so that the linker leaves out methods
	"github.com/mmcloughlin/avo/gotypes"
	avo "github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/printer"

	"likc/compiler/emit"
	"likc/compiler/emit/goasm/lane"
)

// printFiles prints three files: the assembly, its declarations with the functions that choose an instruction set, and the
// functions for machines without assembly.
func printFiles(cfg emit.Config, loops []Loop, f *avo.File) ([]emit.File, error) {
	p := printer.Config{Name: "likc from " + cfg.Source + ";", Pkg: cfg.Package}
	assembly, err := printer.NewGoAsm(p).Print(f)
	if err != nil {
		return nil, fmt.Errorf("assembly: %w", err)
	}
	stubs, err := printer.NewStubs(p).Print(public(f))
	if err != nil {
		return nil, fmt.Errorf("assembly: %w", err)
	}
	warning, _, _ := strings.Cut(string(tidy(stubs)), "\n")
	with, err := page{warning, cfg.Package, string(declarations(stubs)), show(loops)}.fill(withAssembly)
	if err != nil {
		return nil, err
	}
	without, err := page{warning, cfg.Package, "", show(loops)}.fill(withoutAssembly)
	if err != nil {
		return nil, err
	}
	return []emit.File{
		{Name: "lik_amd64.go", Data: with},
		{Name: "lik_amd64.s", Data: append(tidy(assembly), detectAssembly...)},
		{Name: "lik_other.go", Data: without},
	}, nil
}

// public returns the file without its local functions.
func public(f *avo.File) *avo.File {
	rest := *f
	rest.Sections = slices.DeleteFunc(slices.Clone(f.Sections), func(s avo.Section) bool {
		fn, ok := s.(*avo.Function)
		return ok && strings.HasSuffix(fn.Name, "<>")
	})
	return &rest
}

// tidy removes a full stop from the first line of avo's output, so that the line is the same as in other generated files.
func tidy(text []byte) []byte {
	return bytes.Replace(text, []byte(";. DO NOT EDIT."), []byte("; DO NOT EDIT."), 1)
}

// declarations returns avo's function stubs without the lines before the first one.
func declarations(stubs []byte) []byte {
	_, after, _ := bytes.Cut(stubs, []byte("\npackage "))
	_, after, _ = bytes.Cut(after, []byte("\n"))
	return after
}

// page holds the values of the templates of the two Go files.
type page struct {
	Warning, Package, Stubs string
	Loops                   []shown
}

// shown holds the values of a loop in the templates: its name, the number of trials below which an assembled loop is not worth its call,
// the first column, and the declarations of parameters and results.
type shown struct {
	Name                                  string
	Few                                   int
	First, Parameters, Arguments, Results string
}

func show(loops []Loop) (all []shown) {
	for _, l := range loops {
		all = append(all, shown{l.Name, l.few(), l.column(0), l.Parameters(), l.arguments(), l.Results()})
	}
	return all
}

func (p page) fill(t *template.Template) ([]byte, error) {
	var b bytes.Buffer
	if err := t.Execute(&b, p); err != nil {
		return nil, fmt.Errorf("assembly: %w", err)
	}
	text, err := format.Source(b.Bytes())
	if err != nil {
		return nil, fmt.Errorf("assembly: %w", err)
	}
	return text, nil
}

var withAssembly = template.Must(template.New("").Parse(`{{.Warning}}

//go:build !purego

package {{.Package}}

// fastest is the best engine that the machine has.
var fastest = Engine(detect())
{{range .Loops}}
// {{.Name}} does what {{.Name}}Go does, by an engine.
func {{.Name}}(engine Engine, {{.Parameters}}) ({{.Results}}) {
	switch {
	case len({{.First}}) < {{.Few}}: // as fast without assembly
	case engine == AVX512:
		return {{.Name}}AVX512({{.Arguments}})
	case engine == AVX2:
		return {{.Name}}AVX2({{.Arguments}})
	}
	return {{.Name}}Go({{.Arguments}})
}
{{end}}{{.Stubs}}
// detect returns what the processor has and the operating system saves: 2 with AVX-512 F, DQ and VL, 1 with AVX2 and FMA.
func detect() int
`))

var withoutAssembly = template.Must(template.New("").Parse(`{{.Warning}}

//go:build !amd64 || purego

package {{.Package}}

const fastest = Portable
{{range .Loops}}
func {{.Name}}(_ Engine, {{.Parameters}}) ({{.Results}}) {
	return {{.Name}}Go({{.Arguments}})
}
{{end}}`))

// few returns the number of trials below which an assembled loop is not worth its call, which costs about 200 cycles.
func (l Loop) few() int {
	n, _ := l.balance(1, lane.AVX2)
	return min(max(4, 200/(n.arithmetic+n.divider)), 40)
}

// Parameters returns the declaration of the loop's parameters.
func (l Loop) Parameters() string {
	list := strings.Join(l.names(len(l.Kernel.Columns), l.column), ", ") + " []float64"
	if n := len(l.Kernel.Inputs); n > 0 {
		list += ", " + strings.Join(l.names(n, l.input), ", ") + " float64"
	}
	return list
}

// Results returns the declaration of the loop's results.
func (l Loop) Results() string {
	return strings.Join(l.names(len(l.Kernel.Outs), l.sum), ", ") + " float64"
}

// arguments returns the arguments with which a call passes on the loop's parameters.
func (l Loop) arguments() string {
	return strings.Join(append(l.names(len(l.Kernel.Columns), l.column), l.names(len(l.Kernel.Inputs), l.input)...), ", ")
}

// names returns name(0) to name(n-1).
func (l Loop) names(n int, name func(int) string) []string {
	var list []string
	for i := range n {
		list = append(list, name(i))
	}
	return list
}

// signature returns the type of the loop as a function, which go/types need not parse and check.
func (l Loop) signature() *gotypes.Signature {
	number := types.Typ[types.Float64]
	variables := func(names []string, t types.Type) (all []*types.Var) {
		for _, name := range names {
			all = append(all, types.NewVar(token.NoPos, nil, name, t))
		}
		return all
	}
	params := append(variables(l.names(len(l.Kernel.Columns), l.column), types.NewSlice(number)), variables(l.names(len(l.Kernel.Inputs), l.input), number)...)
	results := variables(l.names(len(l.Kernel.Outs), l.sum), number)
	return gotypes.NewSignature(nil, types.NewSignatureType(nil, nil, nil, types.NewTuple(params...), types.NewTuple(results...), false))
}
