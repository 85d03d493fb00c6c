package problem

import (
	"encoding/json"

	"likc/compiler"
	"likc/compiler/ir"
	"likc/runtime/model/front"
	"likc/runtime/num/finite"
	"likc/search/find/evolve"
	"likc/search/find/tree"
)

// Line returns the line of a front for an expression, without the tier. settings is the [Identity.Hash] of the problem.
func (p *Problem) Line(e evolve.Entry, settings string) front.Line {
	terms := map[string]finite.Number{}
	for k, name := range p.Loss.Terms() {
		terms[name] = finite.Number(e.Terms[k])
	}
	return front.Line{Expr: p.Text(e.Tree), Size: e.Size(), Loss: finite.Number(e.Loss), Terms: terms,
		Lambda: finite.Number(p.Settings.Lambda), Seed: p.Settings.Seed, Model: p.Header.Name, Text: p.process.Text, Settings: settings,
		Evaluations: e.Evaluations, Niche: e.Niche, Normalise: p.Settings.Objective == KL, Rest: p.Remarks()}
}

// Text returns an expression in the language that likc parses.
func (p *Problem) Text(t tree.Tree) string { return t.Expr(p.Loss.Symbols()).String() }

// Remarks returns fields for each line of a front, which warn of a teacher that has not passed its gate and of expressions that were
// given to the search.
func (p *Problem) Remarks() map[string]json.RawMessage {
	rest := map[string]json.RawMessage{}
	if g := p.Identity.Gate; g != "passed" {
		rest["gate"], _ = json.Marshal(g)
	}
	if guesses := p.Identity.Guesses; len(guesses) > 0 {
		rest["guesses"], _ = json.Marshal(guesses)
	}
	if from := p.Identity.From; from != nil {
		rest["from"], _ = json.Marshal(from)
	}
	return rest
}

// Tier returns the tier that likc check reports for an expression; "" if the compiler refuses the expression.
func (p *Problem) Tier(t tree.Tree) string {
	m := *p.Header
	m.LogLik = t.Expr(p.Loss.Symbols())
	u, err := compiler.Compile(&m, compiler.Options{Check: true})
	if err != nil {
		return ""
	}
	return string(ir.Describe(u.Program).Tier)
}
