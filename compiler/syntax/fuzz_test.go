package syntax

import (
	"strings"
	"testing"

	"likc/compiler/expr/exprtest"
)

// FuzzParse: no text makes the reader panic or gives an error without a position. A model that is read prints as a text that reads as the
// same model.
func FuzzParse(f *testing.F) {
	f.Add(expr2)
	f.Add(expr2 + strings.Replace(expr2, "expr2", "other", 1))
	for _, c := range badFiles {
		f.Add(c.text)
	}
	for _, c := range badBodies {
		f.Add(inModel(c.text))
	}
	for _, c := range badCalls {
		f.Add(above + inModel(c.text))
	}
	f.Add(above + "model m { use above } model n { trial x choice d param b in [0, 1] loglik = x + (above(p = b*x, q = b, s = b^2)) }")
	f.Add(integrals)
	f.Add(urgency + raceOf3)
	for _, c := range badEvidence {
		f.Add(inEvidence(c.text))
	}
	for _, c := range badRaces {
		f.Add(inRace(c.text))
	}
	for text := range badIntegrals {
		f.Add(inModel(text))
	}
	gen := exprtest.Model(exprtest.Writable(), 20)
	for seed := range 20 {
		f.Add(Format(gen.Example(seed)))
	}
	f.Add(inModel("let t0 = x" + strings.Repeat("*(x-1", 990) + strings.Repeat(")", 990) + " loglik = t0^t0"))
	f.Fuzz(func(t *testing.T, text string) {
		models, err := Read("fuzz.lik", strings.NewReader(text))
		if err != nil {
			e, ok := err.(*Error)
			if !ok || e.Pos.Line < 1 || e.Pos.Column < 1 || e.Pos.Offset > len(text) || strings.Contains(e.Msg, "\n") {
				t.Fatalf("error %q at %+v", err, e.Pos)
			}
			return
		}
		for _, m := range models {
			if m.Called != nil { // such a model cannot be printed
				continue
			}
			printed := Format(m)
			again, err := Read("printed.lik", strings.NewReader(printed))
			if err != nil {
				t.Fatalf("%v\n%s", err, printed)
			}
			if len(again[0].Lets) > len(m.Lets) { // the printer added some
				again[0].Lets = m.Lets
			}
			if !again[0].Equal(m) {
				t.Fatalf("the text reads as another model:\n%s", printed)
			}
		}
	})
}

// FuzzParseExpr does what FuzzParse does, for bare expressions.
func FuzzParseExpr(f *testing.F) {
	models, err := Read("expr2.lik", strings.NewReader(expr2))
	if err != nil {
		f.Fatal(err)
	}
	gen := exprtest.Expr(exprtest.Writable(), 20)
	for seed := range 20 {
		f.Add(gen.Example(seed).String())
	}
	f.Fuzz(func(t *testing.T, text string) {
		m, err := ParseExpr(text, models[0])
		if err != nil || m.LogLik.Size() > 10_000 {
			return
		}
		printed := m.LogLik.String()
		again, err := ParseExpr(printed, models[0])
		if err != nil || !again.LogLik.Equal(m.LogLik) {
			t.Fatalf("%q prints as %q, which reads with %v", text, printed, err)
		}
	})
}
