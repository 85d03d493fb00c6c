package main

import (
	"context"
	"slices"
	"strings"

	"likc/compiler"
	"likc/compiler/build"
	"likc/compiler/emit"
	"likc/compiler/emit/gosrc"
	"likc/compiler/ir"
	"likc/runtime/load"
	"likc/runtime/ssm"
	"likc/runtime/tabulate"
)

// bound is a likelihood of one set of trials. Err says whether evaluations failed; Close releases what it holds.
type bound interface {
	Dim() int
	LogLik(theta []float64) float64
	LogLikGrad(theta, grad []float64) float64
	Err() error
	Close() error
}

// inProcess is a likelihood that holds nothing and cannot fail.
type inProcess struct {
	likelihood
}

type likelihood interface {
	Dim() int
	LogLik(theta []float64) float64
	LogLikGrad(theta, grad []float64) float64
}

func (inProcess) Err() error   { return nil }
func (inProcess) Close() error { return nil }

// bind gives the likelihood of the trials by the engine of that name; "" is the fastest that is ready.
func bind(engine string, src source, columns [][]float64, choice []float64) (bound, error) {
	if src.Exact {
		if engine != "" {
			return nil, usagef("--engine %s: %s and has one engine; leave the flag out", engine, whatExact(src))
		}
		if src.Teacher != nil {
			return wrap(src.Teacher.Bind(columns[0], choice))
		}
		return wrap(ssm.DDM.Bind(columns[0], choice))
	}
	switch engine {
	case "tree":
		return wrap(compiler.BindTree(src.Model, columns, choice))
	case "ir", "bound":
		u, err := compiler.Compile(src.Model, compiler.Options{})
		if err != nil {
			return nil, err
		}
		if engine == "ir" {
			return wrap(ir.Bind(u.Program, columns, choice))
		}
		return wrap(ir.Bind(u.Program, columns, choice, ir.WithTables(newTable)))
	case "go":
		return bindGo(src, columns, choice)
	case "":
		if linked(src) != nil {
			return bindGo(src, columns, choice)
		}
		return bind("bound", src, columns, choice)
	}
	return nil, usagef("--engine %s: want tree, ir, bound or go", engine)
}

// whatExact says what a model without an expression is.
func whatExact(src source) string {
	if src.Teacher != nil {
		return src.Name + " is a teacher"
	}
	return src.Name + " is an exact density"
}

// newTable is a table for the interpreter. It is built where it is visited first, so that answers depend on theta alone.
func newTable(k int, lo, hi float64, edge ir.Edge, sum func(psi, value, abs []float64)) ir.Table {
	edges := [...]tabulate.Edge{ir.NoEdge: tabulate.NoEdge, ir.EdgeHi: tabulate.EdgeHi, ir.EdgeLo: tabulate.EdgeLo}
	return tabulate.NewTable(k, tabulate.Domain{Lo: lo, Hi: hi, Edge: edges[edge], Visits: 1}, sum)
}

func wrap[L likelihood](lik L, err error) (bound, error) {
	if err != nil {
		return nil, err
	}
	return inProcess{lik}, nil
}

// linked returns the packages that are built in, if the model is one of them.
func linked(src source) load.Set {
	set := load.Registered()
	if src.Builtin && slices.Contains(set.Names(), src.Name) {
		return set
	}
	return nil
}

// fromSet is a likelihood of a set that was opened for it alone.
type fromSet struct {
	likelihood
	load.Set
}

// bindGo gives the compiled likelihood: linked in, or built now.
func bindGo(src source, columns [][]float64, choice []float64) (bound, error) {
	set := linked(src)
	if set == nil {
		var err error
		if set, err = buildSet(src); err != nil {
			return nil, err
		}
	}
	lik, err := set.Bind(src.Name, columns, choice)
	if err != nil {
		set.Close()
		return nil, err
	}
	return fromSet{lik, set}, nil
}

// buildSet compiles one model to a plugin, or to a process where plugins cannot work.
func buildSet(src source) (load.Set, error) {
	u, err := compiler.Compile(src.Model, compiler.Options{})
	if err != nil {
		return nil, err
	}
	files, err := u.Files(gosrc.Emitter{}, emit.Config{Source: src.File, Text: src.Text, ISA: emit.AutoISA})
	if err != nil {
		return nil, err
	}
	c := build.Candidate{Name: src.Name, New: "NewData", Package: emit.DefaultPackage, Trials: len(src.Trials), Choice: src.Choice != ""}
	for _, f := range files {
		if name, isGo := strings.CutSuffix(f.Name, ".go"); isGo && !strings.HasSuffix(name, "_test") || strings.HasSuffix(f.Name, ".s") {
			c.Files = append(c.Files, f)
		}
	}
	ctx := context.Background()
	batch := build.Batch{Candidates: []build.Candidate{c}}
	if a, err := build.Plugin(ctx, batch); err == nil {
		if set, err := load.OpenPlugin(a.Path); err == nil {
			return set, nil
		}
	}
	a, err := build.Harness(ctx, batch)
	if err != nil {
		return nil, err
	}
	return load.StartHarness(a.Path)
}
