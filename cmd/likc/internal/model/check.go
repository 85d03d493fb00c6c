// Package model holds the commands on one model: check, eval, compile, generate and demo.
package model

import (
	"fmt"
	"io"
	"strings"

	"likc/cmd/likc/internal/cli"
	"likc/compiler"
	"likc/compiler/expr"
	"likc/compiler/facts"
	"likc/compiler/ir"
	"likc/compiler/normal"
	"likc/runtime/model/bound"
	"likc/runtime/model/catalog"
	"likc/runtime/num/finite"

	"github.com/spf13/cobra"
)

// checkFlags are the flags of the command check.
type checkFlags struct {
	JSON bool `flag:"json" help:"print JSON"`
}

// NewCheck returns the command check.
func NewCheck() *cobra.Command {
	return cli.Command(&checkFlags{}, &cobra.Command{
		Use:   "check MODEL",
		Short: "Parse, simplify, differentiate and stage a model; say what was found",
		Args:  cli.Exactly("MODEL"),
	})
}

// Run compiles the model and prints facts about it.
func (f *checkFlags) Run(cmd *cobra.Command, args []string) error {
	src, err := cli.ReadModel(args[0])
	if err != nil {
		return err
	}
	if d, ok := src.Evidence(); ok {
		return checkEvidence(cmd.OutOrStdout(), src, d, f.JSON)
	}
	if err := cli.CheckExpression(src); err != nil {
		return err
	}
	bare, grid, err := withoutNormalise(src.Model)
	if err != nil {
		return err
	}
	u, err := compiler.Compile(bare, compiler.Options{Check: true})
	if err != nil {
		return err
	}
	found, err := newFound(src, u.Simplified, facts.Of(u))
	if err != nil {
		return err
	}
	found.Normalised = grid
	if f.JSON {
		return cli.PrintJSON(cmd.OutOrStdout(), found)
	}
	printFacts(cmd.OutOrStdout(), found.Facts, u.Model)
	found.print(cmd.OutOrStdout())
	return nil
}

// found is the report of check on a model.
type found struct {
	facts.Facts
	Unused []string        `json:"unused"`         // parameters on which the log density does not depend
	Mass   []finite.Number `json:"mass,omitempty"` // over time and all choices, at a few points of the ranges; null where it is infinite or undefined
	masses bound.Masses

	Normalised *gridFacts `json:"normalised,omitempty"` // nil for a model that is not normalised; the other facts, except the mass, are about the expression before normalisation
}

// gridFacts describe the grid on which the integral of a normalised model is computed.
type gridFacts struct {
	Points  int     `json:"points"`     // number of times; the density is evaluated at each for every choice
	From    float64 `json:"from"`       // seconds since the onset
	To      float64 `json:"to"`         // the last time
	Error   float64 `json:"error"`      // the largest difference from adaptive quadrature that was found in the log of the integral
	Checked int     `json:"checked_at"` // number of points of the ranges at which the difference was computed
}

// withoutNormalise returns the expression of a model, and the grid of its integral if it is normalised.
func withoutNormalise(m *expr.Model) (*expr.Model, *gridFacts, error) {
	if !m.Normalise {
		return m, nil, nil
	}
	parts, err := normal.Of(m)
	if err != nil {
		return nil, nil, err
	}
	g := parts.Grid
	return parts.Bare, &gridFacts{len(g.U), g.U[0], g.U[len(g.U)-1], g.Error, g.Points}, nil
}

// newFound returns the report of check. It integrates the density if that is possible.
func newFound(m *catalog.Model, simplified *expr.Model, f facts.Facts) (*found, error) {
	out := &found{Facts: f, Unused: append([]string{}, bound.Unused(simplified)...)}
	b, err := bound.Open(m, bound.Ready)
	if err != nil {
		return nil, err
	}
	defer b.Close()
	out.masses, _ = b.Masses()
	for _, x := range out.masses {
		out.Mass = append(out.Mass, finite.Number(x))
	}
	return out, nil
}

// print prints the facts that do not come from the compiler.
func (f *found) print(w io.Writer) {
	if g := f.Normalised; g != nil {
		fmt.Fprintf(w, "%-12s by %d times from %.2g to %.2g s since the onset; its log is right to %.1g at %d points of the ranges\n", "integral",
			g.Points, g.From, g.To, roundUp(g.Error), g.Checked)
	}
	if len(f.masses) > 0 {
		fmt.Fprintf(w, "%-12s %s\n", "density", f.masses)
	}
	for _, name := range f.Unused {
		fmt.Fprintf(w, "%-12s the log density does not depend on %s: data say nothing of it\n", "unused", name)
	}
}

// choiceText returns the choice as the model declares it.
func choiceText(m *expr.Model) string {
	if m.Choices == 0 {
		return m.Choice
	}
	return fmt.Sprintf("%s, 0 to %d", m.Choice, m.Choices-1)
}

// printFacts prints the compiler's facts about a model.
func printFacts(w io.Writer, r facts.Facts, m *expr.Model) {
	line := func(label, format string, args ...any) {
		fmt.Fprintf(w, "%-12s %s\n", label, fmt.Sprintf(format, args...))
	}
	line("model", "%s", r.Model)
	for _, p := range m.Params {
		line("  param", "%s in [%s, %s]", p.Name, expr.Literal(p.Lower), expr.Literal(p.Upper))
	}
	line("  trial", "%s", strings.Join(r.Trials, ", "))
	if r.Choice != "" {
		line("  choice", "%s", choiceText(m))
	}
	line("expression", "%s", r.Expression)
	line("size", "%d nodes", r.Size)
	line("simplified", "%s", r.Simplified)
	if len(r.Rules) > 0 {
		line("rules", "%s", strings.Join(r.Rules, ", "))
	}
	for _, d := range r.Dropped {
		line("widened", "no longer demands %s", d)
	}
	line("statistics", "%s", orNone(r.Statistics))
	line("entangled", "%s", orNone(r.Entangled))
	line("separation", "%s", r.Separation)
	line("operations", "prologue %d, body %d a trial (%d accumulators), epilogue %d", r.PrologueOps, r.BodyOps, r.Sums, r.EpilogueOps)
	line("assembly", "%s", r.Assembly)
	line("tier", "%s", tierText(r.Tier))
}

// orNone joins a list with commas; an empty list is "none".
func orNone(list []string) string {
	if len(list) == 0 {
		return "none"
	}
	return strings.Join(list, ", ")
}

// tierText returns a text about how the cost of an evaluation grows with the number of trials.
func tierText(t ir.Tier) string {
	switch t {
	case ir.Constant:
		return "constant: an evaluation costs the same for any number of trials"
	case ir.Tabulated:
		return "tabulated: every accumulator depends on one parameter"
	}
	return "streaming: an evaluation passes over the trials"
}
