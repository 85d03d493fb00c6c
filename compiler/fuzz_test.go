package compiler

import (
	"strings"
	"testing"

	"likc/compiler/emit/gosrc"
	"likc/compiler/expr"
	"likc/compiler/syntax"
	"likc/testdata"
)

// FuzzCompile: every model that parses compiles, every pass keeps the program's meaning, and the program can be printed as Go.
func FuzzCompile(f *testing.F) {
	for _, name := range testdata.ModelNames() {
		text, _ := testdata.Model(name)
		f.Add(text)
	}
	f.Add("model m { trial rt choice c param p in [0,1] support p < rt lower { p = 1-p } loglik = c*log(rt)^p/0 + min(rt, p)^-2 }")
	f.Fuzz(func(t *testing.T, text string) {
		models, err := syntax.Read("fuzz.lik", strings.NewReader(text))
		if err != nil || len(text) > 2000 {
			return
		}
		m := models[0]
		if m.LogLik.Size() > 200 && len(expr.Order(m.LogLik)) > 100 {
			return // longer models are slow and test nothing new
		}
		u, err := Compile(m, Options{Check: true})
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if _, _, failed := gosrc.Batch([]gosrc.Named{{Name: "m", Program: u.Program}}, "batch"); len(failed) > 0 {
			t.Fatalf("%v\n%s", failed[0].Err, text)
		}
	})
}
