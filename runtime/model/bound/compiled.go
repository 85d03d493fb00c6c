package bound

import (
	"context"
	"errors"
	"slices"
	"strings"

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

// part is a model with options for its compilation.
type part struct {
	*catalog.Model
	options compiler.Options
}

// buildSet compiles models to one plugin, or to another process if plugins do not work.
func buildSet(ctx context.Context, models ...part) (load.Set, error) {
	var batch build.Batch
	for i, m := range models {
		u, err := compiler.Compile(m.Model.Model, m.options)
		if err != nil {
			return nil, err
		}
		cfg := emit.Config{Source: m.Origin.File, Text: m.Origin.Text, ISA: emit.AutoISA}
		if len(models) > 1 {
			cfg.Package = packageName(i)
		}
		c, err := candidate(u, m.Name, cfg)
		if err != nil {
			return nil, err
		}
		batch.Candidates = append(batch.Candidates, *c)
	}
	set, _, err := openPlugin(ctx, batch)
	if err == nil || errors.Is(err, store.ErrUntrusted) {
		return set, err
	}
	a, err := build.Harness(ctx, batch)
	if err != nil {
		return nil, err
	}
	return load.StartHarness(a.Path)
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
