package gosrc_test

import (
	"path/filepath"
	"strings"
	"testing"

	"likc/compiler"
	"likc/compiler/emit"
	"likc/compiler/emit/gosrc"
	"likc/compiler/syntax"
	"likc/testdata"
)

// TestLoopsOverNodes: packages whose integrals are loops, with assembly and without, pass their own tests, which compare with the model as
// written, and have a small part of the text.
func TestLoopsOverNodes(t *testing.T) {
	text, ok := testdata.Model("stop_signal")
	if !ok {
		t.Fatal("no model stop_signal")
	}
	models, err := syntax.Read("stop_signal.lik", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	u, err := compiler.Compile(models[0], compiler.Options{Loops: true, Check: true})
	if err != nil {
		t.Fatal(err)
	}
	folder := module(t)
	for _, isa := range []string{emit.AutoISA, emit.NoISA} {
		files, err := u.Files(gosrc.Emitter{}, emit.Config{Package: "p" + isa, ISA: isa, Text: text})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files { // 10,247 lines with the sums written out
			if n := strings.Count(string(f.Data), "\n"); f.Name == "lik.go" && n > 1500 {
				t.Errorf("lik.go has %d lines", n)
			}
		}
		write(t, filepath.Join(folder, "p"+isa), files...)
	}
	goCommand(t, folder, "vet", "./...")
	goCommand(t, folder, "test", "./...")
}
