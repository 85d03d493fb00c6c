package compiler

import (
	"strings"
	"testing"

	"likc/compiler/syntax"
	"likc/testdata"
)

// TestSimplifiesOnce: Compile simplifies the whole model once (Unit.Simplified). It simplifies a group again only if the group's
// expressions differ from the model's, as those of a reflected group do, or under Options.Ranged.
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
