package gosrc

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"likc/compiler/emit"
	"likc/compiler/emit/goasm"
	"likc/compiler/emit/plan"
	"likc/compiler/ir"
)

// assemble finds the loops for which there is assembly. Such a loop has several implementations. The dataset's engine, the choice between
// assembly and Go, says which one runs:
//
//	func sums(engine Engine, rt []float64, t float64) (s0 float64) // in lik_amd64.go and lik_other.go
//	func sumsGo(rt []float64, t float64) (s0 float64)              // in lik.go
//	func sumsAVX512(rt []float64, t float64) (s0 float64)          // in lik_amd64.s
func (u *unit) assemble(isa string) {
	u.engines = isa == emit.AutoISA
	if !u.engines {
		return
	}
	for _, l := range u.Loops {
		if l.Kernel.HasNodes(u.Program) {
			u.refused[l] = &goasm.Unsupported{Why: "a trial takes a loop over nodes"}
			continue
		}
		if u.assembled[l], u.refused[l] = goasm.PlansOf(u.Program, l.Kernel); u.refused[l] == nil {
			u.Top.Reserve(l.Name+"Go", l.Name+"AVX2", l.Name+"AVX512")
		}
	}
}

// takesEngine reports whether the function of a loop has the dataset's engine as a parameter, for itself or for loops in it over
// the nodes of an integral.
func (u *unit) takesEngine(l *plan.Loop) bool {
	return u.assembled[l] != nil || slices.ContainsFunc(u.OfBody(l.Kernel), func(k ir.Kernel) bool { return u.assembled[u.LoopOf(k)] != nil })
}

// assemblies returns the loops that have assembly, with the Go names of their parameters.
func (u *unit) assemblies() []goasm.Loop {
	var list []goasm.Loop
	for _, l := range u.Loops {
		if plans := u.assembled[l]; plans != nil {
			b := u.newBlock()
			list = append(list, goasm.Loop{Name: l.Name, Program: u.Program, Kernel: l.Kernel,
				Columns: b.inputNames(l.Kernel.Columns), Inputs: b.inputNames(l.Kernel.Inputs), Sums: b.sumNames(l.Kernel), Plans: plans})
		}
	}
	return list
}

// allAssemblies returns the assemblies of all programs.
func (u *unit) allAssemblies() (list []goasm.Loop) {
	for _, p := range u.all() {
		list = append(list, p.assemblies()...)
	}
	return list
}

// assembly prints lik_amd64.s and the functions that choose between assembly and Go. It returns nothing if no loop has
// assembly.
func (u *unit) assembly(cfg emit.Config) ([]emit.File, error) {
	loops := u.allAssemblies()
	if len(loops) == 0 {
		return nil, nil
	}
	return goasm.Emit(cfg, loops)
}

// engine prints the type Engine and its functions, unless the configuration asks for a package without assembly.
func (u *unit) engine() []jen.Code {
	if !u.engines {
		return nil
	}
	code := []jen.Code{fixed("engine.go")}
	if len(u.allAssemblies()) == 0 {
		code = append(code, jen.Comment("fastest is the best engine: no loop has assembly.").Line().Const().Id("fastest").Op("=").Id("Portable"))
	}
	return code
}

// loopNotes returns a line for each loop: it says whether there is assembly, and if not, why.
func (u *unit) loopNotes() []string {
	var notes []string
	for _, p := range u.all() {
		for _, l := range p.Loops {
			var why *goasm.Unsupported
			switch {
			case p.assembled[l] != nil:
				notes = append(notes, l.Name+": AVX-512, AVX2, Go")
			case errors.As(p.refused[l], &why):
				notes = append(notes, l.Name+": Go; assembly: "+why.Error())
			}
		}
	}
	return notes
}

// testedLoop describes a loop for the tests of the emitted package, which call it with the columns and inputs in slices c and
// p.
type testedLoop struct {
	Name            string
	Columns, Inputs int
	Arguments, Sums string
}

func testedLoops(loops []goasm.Loop) []testedLoop {
	var list []testedLoop
	for _, l := range loops {
		arguments := append(indexed("c", len(l.Columns)), indexed("p", len(l.Inputs))...)
		list = append(list, testedLoop{l.Name, len(l.Columns), len(l.Inputs), strings.Join(arguments, ", "), strings.Join(l.Sums, ", ")})
	}
	return list
}

// indexed returns the n expressions slice[0], slice[1], and so on.
func indexed(slice string, n int) []string {
	var list []string
	for i := range n {
		list = append(list, fmt.Sprintf("%s[%d]", slice, i))
	}
	return list
}
