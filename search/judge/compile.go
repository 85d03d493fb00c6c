package judge

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"

	"likc/compiler"
	"likc/compiler/build"
	"likc/compiler/emit"
	"likc/compiler/emit/gosrc"
	"likc/compiler/expr"
	"likc/compiler/ir"
	"likc/runtime/likelihood"
	"likc/runtime/load"
	"likc/runtime/tabulate"
)

// Binding gives trials to a likelihood.
type Binding func(columns [][]float64, choice []float64) (likelihood.Likelihood, error)

// compiled is a model on its way to a likelihood.
type compiled struct {
	unit *compiler.Unit
	tier ir.Tier
	bind Binding
	err  error // why there is none
}

// compileModels runs the compiler on models, several at a time. A nil model stays empty.
func compileModels(ctx context.Context, models []*expr.Model, threads int) []compiled {
	all := make([]compiled, len(models))
	parallel(ctx, len(models), threads, func(i int) {
		if models[i] == nil {
			return
		}
		defer func() {
			if panicked := recover(); panicked != nil {
				all[i].err = fmt.Errorf("the compiler panics: %v %s", panicked, firstFrame(debug.Stack()))
			}
		}()
		if all[i].unit, all[i].err = compiler.Compile(models[i], compiler.Options{Ranged: true}); all[i].err == nil {
			all[i].tier = ir.Describe(all[i].unit.Program).Tier
		}
	})
	return all
}

// firstFrame is the place of a panic.
func firstFrame(stack []byte) string {
	lines := strings.Split(string(stack), "\n")
	for i, l := range lines {
		if strings.HasPrefix(l, "panic(") && i+3 < len(lines) {
			place, _, _ := strings.Cut(strings.TrimSpace(lines[i+3]), " ")
			return "at " + place[strings.LastIndex(place, "/")+1:]
		}
	}
	return ""
}

// parallel calls work for 0 to n-1 on several threads, until the context ends.
func parallel(ctx context.Context, n, threads int, work func(i int)) {
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(max(threads, 1), n) {
		workers.Go(func() {
			for i := int(next.Add(1)) - 1; i < n && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				work(i)
			}
		})
	}
	workers.Wait()
}

// link builds those of the models that have no binding yet into one plugin. A model that does not build gets its error;
// where plugins cannot work at all, models are interpreted, and slow says why.
//
// Models whose sums are all statistics are short and go into one package. The others are emitted with assembly, each a
// package of its own: that takes three times as long to build and saves four fifths of a streaming model's gradient.
func link(ctx context.Context, all []compiled, threads int) (slow error, err error) {
	batch := emitAll(ctx, all, threads)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if len(batch.Candidates) == 0 {
		return nil, nil
	}
	set, dropped, err := open(ctx, batch)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	var broken *build.BatchError
	switch {
	case errors.As(err, &broken) && len(broken.Candidates) > 0:
		dropped = broken.Candidates
	case err != nil:
		for i := range all {
			all[i].interpret()
		}
		return err, nil
	}
	why := map[string]error{}
	for _, d := range dropped {
		why[d.Name] = fmt.Errorf("the emitted code does not compile: %w", d)
	}
	for i := range all {
		if name := packageName(i); all[i].err == nil && all[i].unit != nil && all[i].bind == nil {
			if all[i].err = why[name]; all[i].err == nil {
				all[i].bind = func(columns [][]float64, choice []float64) (likelihood.Likelihood, error) {
					lik, err := set.Bind(name, columns, choice)
					if err == nil {
						tabulateAll(lik, choice)
					}
					return lik, err
				}
			}
		}
	}
	return nil, nil
}

// fewTrials is the number of trials of a group from which on a fit of thousands of gradients is faster with tables: those
// are worth it for less than where a likelihood may be evaluated once.
const fewTrials = 24

// tabulateAll has the group with fewer trials use tables too. By itself a likelihood leaves it out below 256 trials.
func tabulateAll(lik likelihood.Likelihood, choice []float64) {
	if t, ok := lik.(interface{ UseTables(on bool) }); ok && choice != nil && rarer(choice) >= fewTrials {
		t.UseTables(true)
	}
}

func open(ctx context.Context, batch build.Batch) (load.Set, []build.CandidateError, error) {
	a, err := build.Plugin(ctx, batch)
	if err != nil {
		return nil, nil, err
	}
	set, err := load.OpenPlugin(a.Path)
	return set, a.Dropped, err
}

func packageName(i int) string { return fmt.Sprintf("c%d", i) }

// emitAll prints the models without a binding.
func emitAll(ctx context.Context, all []compiled, threads int) build.Batch {
	own := make([]*build.Candidate, len(all))
	parallel(ctx, len(all), threads, func(i int) {
		if c := &all[i]; c.err == nil && c.unit != nil && c.bind == nil && c.tier != ir.Constant {
			own[i], c.err = c.emit(packageName(i))
		}
	})
	var short []gosrc.Named
	var batch build.Batch
	for i, c := range all {
		switch {
		case own[i] != nil:
			batch.Candidates = append(batch.Candidates, *own[i])
		case c.err == nil && c.unit != nil && c.bind == nil:
			short = append(short, gosrc.Named{Name: packageName(i), Program: c.unit.Program})
		}
	}
	shared, printed, failed := gosrc.Batch(short, "batch")
	for _, f := range failed {
		var i int
		fmt.Sscanf(f.Name, "c%d", &i)
		all[i].err = f.Err
	}
	for _, c := range printed {
		batch.Shared = []emit.File{shared}
		batch.Candidates = append(batch.Candidates, build.Candidate{Name: c.Name, New: c.New, Files: []emit.File{c.File}})
	}
	return batch
}

// emit prints a model as a package of its own.
func (c *compiled) emit(name string) (*build.Candidate, error) {
	m := c.unit.Model
	files, err := c.unit.Files(gosrc.Emitter{}, emit.Config{Package: name, Source: m.Name + ".lik", Text: c.unit.Expression(), ISA: emit.AutoISA})
	if err != nil {
		return nil, err
	}
	return &build.Candidate{Name: name, New: "NewData", Package: name, Trials: len(m.Trials), Choice: m.Choice != "", Files: files}, nil
}

// interpret binds a model to the interpreter, with tables.
func (c *compiled) interpret() {
	if c.err != nil || c.unit == nil || c.bind != nil {
		return
	}
	c.bind = func(columns [][]float64, choice []float64) (likelihood.Likelihood, error) {
		return ir.Bind(c.unit.Program, columns, choice, ir.WithTables(newTable))
	}
}

// newTable is a table for the interpreter, built where it is visited first, so that answers depend on theta alone.
func newTable(k int, lo, hi float64, edge ir.Edge, sum func(psi, value, abs []float64)) ir.Table {
	edges := [...]tabulate.Edge{ir.NoEdge: tabulate.NoEdge, ir.EdgeHi: tabulate.EdgeHi, ir.EdgeLo: tabulate.EdgeLo}
	return tabulate.NewTable(k, tabulate.Domain{Lo: lo, Hi: hi, Edge: edges[edge], Visits: 1}, sum)
}
