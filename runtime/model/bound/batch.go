package bound

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"

	"likc/compiler"
	"likc/compiler/build"
	"likc/compiler/emit"
	"likc/compiler/emit/gosrc"
	"likc/compiler/ir"
	"likc/runtime/model/catalog"
	"likc/runtime/model/load"
	"likc/runtime/sys/store"
	"likc/runtime/sys/workers"
)

// Built is the result of preparing one model of a batch.
type Built struct {
	Prepared *Prepared      // the model, ready for binding; nil if there is an error
	Unit     *compiler.Unit // the compiled expression; nil for a model that has none, and for a normalised one, which has two programs
	Tier     ir.Tier        // the kind of work that the program does for each trial; "" if there is no Unit
	Err      error          // why the model could not be prepared
}

// PrepareAll prepares many models at once, for evaluations inside the parameters' ranges. Models whose packages are not linked in
// are built together, on several threads. An error of one model is in its own Err. slow is the reason why models are interpreted;
// nil if they are not. Plugins stay loaded for the life of the program.
func PrepareAll(ctx context.Context, models []*catalog.Model, e Engine, threads int) (all []*Built, slow, err error) {
	all = make([]*Built, len(models))
	workers.Do(ctx, len(models), threads, func(_, i int) { all[i] = prepare(models[i], e) })
	if ctx.Err() != nil {
		return nil, nil, ctx.Err()
	}
	if e != Auto && e != Go {
		return all, nil, nil
	}
	slow, err = link(ctx, models, all, threads)
	return all, slow, err
}

// prepare compiles a model. It also opens the model if no package has to be built for it.
func prepare(m *catalog.Model, e Engine) (p *Built) {
	p = &Built{}
	defer func() {
		if panicked := recover(); panicked != nil {
			p.Err = fmt.Errorf("the compiler panics: %v %s", panicked, firstFrame(debug.Stack()))
		}
	}()
	if model, ok := m.Expression(); ok && !m.Normalise {
		if p.Unit, p.Err = compiler.Compile(model, compiler.Options{Ranged: true}); p.Err != nil {
			return p
		}
		p.Tier = ir.Describe(p.Unit.Program).Tier
		if (e == Auto || e == Go) && !isLinked(m) {
			return p
		}
	}
	p.Prepared, p.Err = Open(m, e)
	return p
}

// firstFrame returns the function and line at which a panic happened.
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

// waits reports whether a package has to be built for the model.
func (p *Built) waits() bool { return p.Err == nil && p.Prepared == nil }

// link builds the models that need a package into one plugin. A model that does not build gets its error. If plugins do not work at
// all, models are interpreted, and slow says why.
//
// Models whose likelihood needs only sums that are computed once (sufficient statistics) have short code and go into one package.
// Each of the others has a package of its own, with assembly. Such a package takes three times as long to build. It saves four
// fifths of the time of a gradient that visits every trial.
func link(ctx context.Context, models []*catalog.Model, all []*Built, threads int) (slow, err error) {
	batch := emitAll(ctx, all, threads)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if len(batch.Candidates) == 0 {
		return nil, nil
	}
	set, dropped, err := openPlugin(ctx, batch)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if errors.Is(err, store.ErrUntrusted) {
		return nil, err
	}
	var broken *build.BatchError
	switch {
	case errors.As(err, &broken) && len(broken.Candidates) > 0:
		dropped = broken.Candidates
	case err != nil:
		for i, p := range all {
			p.interpret(models[i])
		}
		return err, nil
	}
	why := map[string]error{}
	for _, d := range dropped {
		why[d.Name] = fmt.Errorf("the emitted code does not compile: %w", d)
	}
	for i, p := range all {
		if name := packageName(i); p.waits() {
			if p.Err = why[name]; p.Err == nil {
				p.fromBatch(models[i], set, name)
			}
		}
	}
	return nil, nil
}

// errNoPlugins is the error of a program that can open no plugins.
var errNoPlugins error = &build.PlatformError{Why: "this program was built without cgo or without package runtime/model/plugins"}

// openPlugin builds a batch as a plugin and opens it. It also returns the candidates that do not compile.
func openPlugin(ctx context.Context, batch build.Batch) (load.Set, []build.CandidateError, error) {
	if load.OpenPlugin == nil {
		return nil, nil, errNoPlugins
	}
	a, err := build.Plugin(ctx, batch)
	if err != nil {
		return nil, nil, err
	}
	set, err := load.OpenPlugin(a.Path)
	return set, a.Dropped, err
}

// packageName returns the name of the package of model i.
func packageName(i int) string { return fmt.Sprintf("c%d", i) }

// fromBatch sets the prepared model, whose package is in a set that stays loaded.
func (p *Built) fromBatch(m *catalog.Model, set load.Set, name string) {
	x := with(m.Model, nil)
	x.from(set, name)
	x.tables = fromFew
	p.Prepared = ofExpression(m, x)
}

// emitAll prints the packages of the models that need one.
func emitAll(ctx context.Context, all []*Built, threads int) build.Batch {
	own := make([]*build.Candidate, len(all))
	workers.Do(ctx, len(all), threads, func(_, i int) {
		if p := all[i]; p.waits() && p.Tier != ir.Constant {
			own[i], p.Err = candidate(p.Unit, packageName(i), source(packageName(i), p.Unit.Model, p.Unit.Expression()))
		}
	})
	var short []gosrc.Named
	var batch build.Batch
	index := map[string]int{}
	for i, p := range all {
		switch {
		case own[i] != nil:
			batch.Candidates = append(batch.Candidates, *own[i])
		case p.waits():
			short, index[packageName(i)] = append(short, gosrc.Named{Name: packageName(i), Program: p.Unit.Program}), i
		}
	}
	shared, printed, failed := gosrc.Batch(short, "batch")
	for _, f := range failed {
		all[index[f.Name]].Err = f.Err
	}
	for _, c := range printed {
		batch.Shared = []emit.File{shared}
		batch.Candidates = append(batch.Candidates, build.Candidate{Name: c.Name, New: c.New, Files: []emit.File{c.File}})
	}
	return batch
}

// interpret binds a model that needs a package to the interpreter instead, with tables.
func (p *Built) interpret(m *catalog.Model) {
	if !p.waits() {
		return
	}
	x := with(m.Model, interpret(p.Unit.Program, ir.WithTables(newTable)))
	p.Prepared = ofExpression(m, x)
}
