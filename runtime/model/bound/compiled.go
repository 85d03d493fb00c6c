package bound

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"likc/compiler"
	"likc/compiler/build"
	"likc/compiler/emit"
	"likc/compiler/emit/gosrc"
	"likc/compiler/expr"
	"likc/runtime/model/catalog"
	"likc/runtime/model/load"
	"likc/runtime/sys/store"
)

// isLinked reports whether the model's package is part of this program.
func isLinked(m *catalog.Model) bool {
	return m.Origin.Builtin && slices.Contains(load.Registered().Names(), m.Name)
}

// part is a model that is compiled at the first call of unit.
type part struct {
	*catalog.Model
	unit func() (*compiler.Unit, error)
}

func newPart(m *catalog.Model, o compiler.Options) part {
	return part{m, sync.OnceValues(func() (*compiler.Unit, error) { return compiler.Compile(m.Model, o) })}
}

// buildSet compiles models to one plugin, or to another process if plugins do not work.
func buildSet(ctx context.Context, models ...part) (load.Set, error) {
	set, err := buildPlugin(ctx, models...)
	if err == nil || ctx.Err() != nil || errors.Is(err, store.ErrUntrusted) {
		return set, err
	}
	return buildHarness(ctx, models...)
}

// buildPlugin compiles models to one plugin.
func buildPlugin(ctx context.Context, models ...part) (load.Set, error) {
	if load.OpenPlugin == nil {
		return nil, errNoPlugins
	}
	batch, err := batchOf(models)
	if err != nil {
		return nil, err
	}
	set, _, err := openPlugin(ctx, batch)
	return set, err
}

// buildHarness compiles models to a program, which runs as another process.
func buildHarness(ctx context.Context, models ...part) (load.Set, error) {
	batch, err := batchOf(models)
	if err != nil {
		return nil, err
	}
	a, err := build.Harness(ctx, batch)
	if err != nil {
		return nil, err
	}
	return load.StartHarness(a.Path)
}

// batchOf prints models as packages.
func batchOf(models []part) (batch build.Batch, err error) {
	for i, m := range models {
		u, err := m.unit()
		if err != nil {
			return batch, err
		}
		cfg := emit.Config{Source: m.Origin.File, Text: m.Origin.Text, ISA: emit.AutoISA}
		if len(models) > 1 {
			cfg.Package = packageName(i)
		}
		c, err := candidate(u, m.Name, cfg)
		if err != nil {
			return batch, err
		}
		batch.Candidates = append(batch.Candidates, *c)
	}
	return batch, nil
}

// candidate prints a model as a package, without tests.
func candidate(u *compiler.Unit, name string, cfg emit.Config) (*build.Candidate, error) {
	files, err := u.Files(gosrc.Emitter{}, cfg)
	if err != nil {
		return nil, err
	}
	files = slices.DeleteFunc(files, func(f emit.File) bool {
		stem, isGo := strings.CutSuffix(f.Name, ".go")
		return strings.HasSuffix(stem, "_test") || !isGo && !strings.HasSuffix(f.Name, ".s")
	})
	c := &build.Candidate{Name: name, New: "NewData", Package: cfg.Package, Files: files, Columns: len(u.Model.Trials), Choice: u.Model.Choice != ""}
	if c.Package == "" {
		c.Package = emit.DefaultPackage
	}
	return c, nil
}

// source returns the configuration of a package that is built only for this run.
func source(name string, m *expr.Model, text string) emit.Config {
	return emit.Config{Package: name, Source: m.Name + ".lik", Text: text, ISA: emit.AutoISA}
}
