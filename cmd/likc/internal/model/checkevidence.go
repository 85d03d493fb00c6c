package model

import (
	"fmt"
	"io"
	"strings"

	"likc/cmd/likc/internal/cli"
	"likc/compiler/expr"
	"likc/runtime/model/catalog"
	"likc/runtime/model/evidence"
)

// evidenceFacts are the findings of check on a model that declares a process of evidence.
type evidenceFacts struct {
	Model    string            `json:"model"`
	Params   []expr.Param      `json:"params"`
	Trials   []string          `json:"trials"`
	Choice   string            `json:"choice,omitempty"`
	Process  string            `json:"process"`
	Accuracy evidence.Accuracy `json:"accuracy"`
	Schemes  []string          `json:"schemes"` // schemes that simulate it; none where it depends on trial columns
}

// checkEvidence prints a description of a process that the model declares, and the accuracy of its density.
func checkEvidence(w io.Writer, m *catalog.Model, d *evidence.Density, asJSON bool) error {
	f := evidenceFacts{m.Name, m.Params, m.Trials, m.Choice, evidence.Words(m.Model), d.Check(), []string{}}
	if s, ok := m.Simulator(); ok {
		f.Schemes = s.Process.SchemeNames()
	}
	if asJSON {
		return cli.PrintJSON(w, f)
	}
	line := func(label, format string, args ...any) {
		fmt.Fprintf(w, "%-12s %s\n", label, fmt.Sprintf(format, args...))
	}
	line("model", "%s", f.Model)
	for _, p := range f.Params {
		line("  param", "%s in [%s, %s]", p.Name, expr.Literal(p.Lower), expr.Literal(p.Upper))
	}
	line("  trial", "%s", strings.Join(f.Trials, ", "))
	if m.Choice != "" {
		line("  choice", "%s", choiceText(m.Model))
	}
	line("process", "%s", f.Process)
	a := f.Accuracy
	if a.Points == 0 {
		line("density", "numerical; not checked: at %d random points of the ranges evidence starts outside the boundaries", a.Outside)
		return nil
	}
	line("density", "numerical; its log is right to %.1g of max(1, |log|), derivatives to %.1g of max(1, |derivative|)", roundUp(a.LogDensity), roundUp(a.Gradient))
	line("", "wherever it is above 1e-8 of its peak, at %d random points of the ranges", a.Points)
	if a.Outside > 0 {
		line("", "evidence starts outside the boundaries at %d more points: the density is 0 there", a.Outside)
	}
	if a.Mass >= 0 {
		line("mass", "1 ± %.1g over time and all choices", roundUp(a.Mass))
	}
	if len(f.Schemes) > 0 {
		line("simulator", "%s", strings.Join(f.Schemes, ", "))
	}
	return nil
}
