package goasm

import (
	"bytes"
	"fmt"
	"go/format"
	"slices"
	"strings"
	"text/template"

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
	with, err := page{warning, cfg.Package, string(declarations(stubs)), loops}.fill(withAssembly)
	if err != nil {
		return nil, err
	}
	without, err := page{warning, cfg.Package, "", loops}.fill(withoutAssembly)
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
	Loops                   []Loop
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

// Few returns the number of trials below which an assembled loop is not worth its call, which costs about 200 cycles.
func (l Loop) Few() int {
	n, _ := l.balance(1, lane.AVX2)
	return min(max(4, 200/(n.arithmetic+n.divider)), 40)
}

// First returns the name of the first column.
func (l Loop) First() string { return l.column(0) }

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

// Arguments returns the arguments with which a call passes on the loop's parameters.
func (l Loop) Arguments() string {
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
