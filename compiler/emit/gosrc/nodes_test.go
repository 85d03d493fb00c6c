package gosrc_test

import (
	"path/filepath"
	"strings"
	"testing"

	"likc/compiler"
	"likc/compiler/emit"
	"likc/compiler/emit/gosrc"
	"likc/compiler/expr"
	"likc/compiler/syntax"
	"likc/testdata"
)

// TestLoopsOverNodes: packages whose integrals are loops, with assembly and without, pass their own tests, which compare with the model as
// written. In the model "integrals" one loop over many nodes computes nothing but a sum.
func TestLoopsOverNodes(t *testing.T) {
	folder := module(t)
	for _, m := range []*expr.Model{stopSignal(t), read(t, "integrals")} {
		u, err := compiler.Compile(m, compiler.Options{Loops: true, Check: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, isa := range []string{emit.AutoISA, emit.NoISA} {
			pkg := strings.ReplaceAll(m.Name, "_", "") + isa
			files, err := u.Files(gosrc.Emitter{}, emit.Config{Package: pkg, ISA: isa, Text: syntax.Format(m)})
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range files { // 10,247 lines of stop_signal with the sums written out
				if n := strings.Count(string(f.Data), "\n"); f.Name == "lik.go" && n > 1500 {
					t.Errorf("%s: lik.go has %d lines", m.Name, n)
				}
			}
			write(t, filepath.Join(folder, pkg), files...)
		}
	}
	goCommand(t, folder, "vet", "./...")
	goCommand(t, folder, "test", "-vet=off", "./...")
}

func stopSignal(t *testing.T) *expr.Model {
	t.Helper()
	text, ok := testdata.Model("stop_signal")
	if !ok {
		t.Fatal("no model stop_signal")
	}
	models, err := syntax.Read("stop_signal.lik", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return models[0]
}
