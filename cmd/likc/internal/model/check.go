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

	"github.com/spf13/cobra"
)

func NewCheck() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "check MODEL",
		Short: "Parse, simplify, differentiate and stage a model; say what was found",
		Args:  cli.Exactly("MODEL"),
		RunE: func(cmd *cobra.Command, args []string) error {
			src, err := cli.ReadExpression(args[0])
			if err != nil {
				return err
			}
			u, err := compiler.Compile(src.Model, compiler.Options{Check: true})
			if err != nil {
				return err
			}
			if asJSON {
				return cli.PrintJSON(cmd.OutOrStdout(), facts.Of(u))
			}
			printFacts(cmd.OutOrStdout(), facts.Of(u), u.Model)
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// printFacts prints what the compiler found in a model.
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
		line("  choice", "%s", r.Choice)
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

func orNone(list []string) string {
	if len(list) == 0 {
		return "none"
	}
	return strings.Join(list, ", ")
}

func tierText(t ir.Tier) string {
	switch t {
	case ir.Constant:
		return "constant: an evaluation costs the same for any number of trials"
	case ir.Tabulated:
		return "tabulated: every accumulator depends on one parameter"
	}
	return "streaming: an evaluation passes over the trials"
}
