package compiler

import (
	"strings"
	"testing"

	"likc/compiler/syntax"
	"likc/testdata"
)

// TestSimplifiesOnce: the model as such is simplified for its readers, and each group once more only where it is another
// expression: the reflected one, or any with declared ranges.
func TestSimplifiesOnce(t *testing.T) {
	text, _ := testdata.Model("expr2")
	models, err := syntax.Read("expr2.lik", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	for options, want := range map[Options]int{{}: 2, {NoSeparate: true}: 2, {Ranged: true}: 3} {
		u, err := Compile(models[0], options)
		if err != nil {
			t.Fatal(err)
		}
		if u.rewrites != want {
			t.Errorf("%+v: simplified %d times, want %d", options, u.rewrites, want)
		}
	}
}
