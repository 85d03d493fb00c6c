package compiler

import (
	"strings"
	"testing"

	"likc/compiler/emit"
	"likc/compiler/emit/csrc"
	"likc/compiler/emit/gosrc"
	"likc/compiler/syntax"
)

// TestPositiveColumns: emitted packages refuse values ≤ 0 of a positive column, whatever its name, and of no other.
func TestPositiveColumns(t *testing.T) {
	const text = "model m { trial latency positive trial x param p in [0.5, 2] loglik = -p*latency + 0.1*x*p }"
	models, err := syntax.Read("m.lik", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	u, err := Compile(models[0], Options{Check: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, target := range []struct {
		emit.Emitter
		check, other string
	}{
		{gosrc.Emitter{}, `checkPositive("latency", latency)`, `checkPositive("x"`},
		{csrc.Emitter{}, `check_columns(n, "pf"`, `check_columns(n, "pp"`},
	} {
		files, err := u.Files(target, emit.Config{Package: "m", Text: text, Source: "m.lik"})
		if err != nil {
			t.Fatal(err)
		}
		var source strings.Builder
		for _, f := range files {
			source.Write(f.Data)
		}
		if !strings.Contains(source.String(), target.check) || strings.Contains(source.String(), target.other) {
			t.Errorf("%T: the source should have %s and not %s", target.Emitter, target.check, target.other)
		}
	}
}
