// Package goasm prints the loops of a program as Go assembly, for AVX-512 and for AVX2 with FMA. A loop goes over its trials
// once and computes all its sums. The library avo writes the assembly text. Package lane writes the instructions of exp, log
// and similar functions, which are inlined, or called if a loop has many of them.
package goasm

import (
	"errors"
	"fmt"

	"likc/compiler/emit"
	"likc/compiler/emit/goasm/lane"
	"likc/compiler/ir"
)

// Loop is a loop over trials with its names in Go. Another package prints the portable NameGo(columns…, inputs…) (sums…). This
// package prints NameAVX512 and NameAVX2, of the same type, and Name, which has an Engine as first parameter and calls one of
// the three. Columns after the first must not be shorter than the first.
type Loop struct {
	Name    string
	Program *ir.Program
	Kernel  ir.Kernel
	Columns []string // parameter names, in the kernel's order; nil: c0, c1, …
	Inputs  []string // nil: p0, p1, …
	Sums    []string // result names; nil: s0, s1, …
	Plans   *Plans   // the kernel's plans; nil: Emit finds them
}

// Plans say, for each instruction set, how a kernel becomes assembly. Finding them takes as long as printing the assembly.
type Plans struct{ each []plan }

// Unsupported says why a loop has no assembly.
type Unsupported struct {
	Op  string // the operator that has no assembly; "" if the reason concerns the loop as a whole
	Why string
}

// Error returns the reason in one line.
func (u *Unsupported) Error() string {
	if u.Op == "" {
		return u.Why
	}
	return u.Op + ": " + u.Why
}

// isas are the instruction sets for which a loop is printed, the faster one first.
var isas = []lane.ISA{lane.AVX512, lane.AVX2}

// PlansOf returns the plans of a kernel, or an *Unsupported if it has no assembly.
func PlansOf(p *ir.Program, k ir.Kernel) (*Plans, error) {
	each, err := Loop{Name: "sums", Program: p, Kernel: k}.plans()
	if err != nil {
		return nil, err
	}
	return &Plans{each}, nil
}

// Supports returns an *Unsupported if the kernel has no assembly.
func Supports(p *ir.Program, k ir.Kernel) error {
	_, err := PlansOf(p, k)
	return err
}

// Emit prints loops as three files. lik_amd64.s has the assembly, and lik_amd64.go its declarations and the functions that
// choose among instruction sets. lik_other.go is for other machines and for the build tag purego. The configuration gives the
// names of the package and of the model's file. Besides the portable loops, the package must declare an integer type Engine
// with the constants Portable = 0, AVX2 = 1 and AVX512 = 2. [Supports] must accept every loop.
func Emit(cfg emit.Config, loops []Loop) ([]emit.File, error) {
	var plans [][]plan
	for _, l := range loops {
		p, err := l.plans()
		if err != nil {
			return nil, fmt.Errorf("%s: assembly: %w", l.Name, err)
		}
		plans = append(plans, p)
	}
	return emitPlans(cfg, loops, plans)
}

// emitPlans prints each loop according to its plans, of which there is one for each instruction set.
func emitPlans(cfg emit.Config, loops []Loop, plans [][]plan) ([]emit.File, error) {
	f, err := assemble(isas, func(w *writer, isa int) {
		for i, l := range loops {
			w.loop(l, plans[i][isa])
		}
	})
	if err != nil {
		return nil, fmt.Errorf("assembly: %w", err)
	}
	return printFiles(cfg, loops, f)
}

// plans finds, for each instruction set, the fastest plan with which the loop's values fit the registers.
func (l Loop) plans() ([]plan, error) {
	if l.Plans != nil {
		return l.Plans.each, nil
	}
	if err := l.check(); err != nil {
		return nil, err
	}
	var found []plan
	for i, isa := range isas {
		p, err := l.fit(isas[i:i+1], candidates(l, isa))
		if err != nil {
			return nil, err
		}
		found = append(found, p)
	}
	return found, nil
}

// fit returns the first plan for which the loop's values fit into the registers.
func (l Loop) fit(isa []lane.ISA, plans []plan) (plan, error) {
	for _, p := range plans {
		_, err := assemble(isa, func(w *writer, _ int) { w.loop(l, p) })
		if err == nil {
			return p, nil
		}
		if !errors.Is(err, errRegisters) {
			return plan{}, &Unsupported{Why: err.Error()}
		}
	}
	return plan{}, &Unsupported{Why: fmt.Sprintf("its %d columns, %d inputs and %d values do not fit the registers",
		len(l.Kernel.Columns), len(l.Kernel.Inputs), len(l.Kernel.Body))}
}

// maxBody is the largest number of values that a loop may compute for each trial.
const maxBody = 5000

// check returns an *Unsupported if no plan can make assembly of the loop.
func (l Loop) check() error {
	switch k := l.Kernel; {
	case len(k.Outs) == 0:
		return &Unsupported{Why: "there is no loop over trials"}
	case len(k.Columns) == 0:
		return &Unsupported{Why: "the loop reads no column"}
	case len(k.Body) > maxBody:
		return &Unsupported{Why: fmt.Sprintf("%d values for each trial, more than %d", len(k.Body), maxBody)}
	}
	for _, id := range l.Kernel.Body {
		op := l.Program.Values[id].Op
		if operations[op.Info().Lane.Name] == nil {
			return &Unsupported{Op: op.String(), Why: "no lane sequence"}
		}
	}
	return nil
}

func (l Loop) column(i int) string { return nameOr(l.Columns, i, "c") }
func (l Loop) input(i int) string  { return nameOr(l.Inputs, i, "p") }
func (l Loop) sum(i int) string    { return nameOr(l.Sums, i, "s") }

// nameOr returns names[i], or the stem followed by i if there are no names.
func nameOr(names []string, i int, stem string) string {
	if names != nil {
		return names[i]
	}
	return fmt.Sprint(stem, i)
}
