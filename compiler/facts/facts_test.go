package facts

import (
	"strings"
	"testing"

	"likc/compiler"
	"likc/compiler/syntax"
)

// TestAssembly: the facts say whether a model's loops have assembly and, if not, why. The reason does not repeat the word assembly.
func TestAssembly(t *testing.T) {
	for text, want := range map[string]string{
		"exp(v*rt)":       "yes",
		"log(cosh(v*rt))": "no: sinh: no lane sequence", // in its derivative
		"v*rt":            "not needed: nothing is left to loop over",
	} {
		models, err := syntax.Read("test.lik", strings.NewReader("model test {\n trial rt\n param v in [0, 1]\n loglik = "+text+"\n}\n"))
		if err != nil {
			t.Fatal(err)
		}
		u, err := compiler.Compile(models[0], compiler.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := Of(u).Assembly; got != want {
			t.Errorf("%s: assembly %q, want %q", text, got, want)
		}
	}
}
