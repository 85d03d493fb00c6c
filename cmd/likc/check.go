package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"likc/compiler"
	"likc/compiler/emit/goasm"
	"likc/compiler/expr"
	"likc/compiler/ir"

	"github.com/spf13/cobra"
)

// report is what check prints, and its --json form.
type report struct {
	Model       string   `json:"model"`
	Params      []string `json:"params"`
	Trials      []string `json:"trials"`
	Choice      string   `json:"choice,omitempty"`
	Size        int      `json:"size"`
	Expression  string   `json:"expression"`
	Simplified  string   `json:"simplified"`
	Rules       []string `json:"rules"`
	Dropped     []string `json:"dropped"`
	Statistics  []string `json:"statistics"`
	Entangled   []string `json:"entangled"`
	Sums        int      `json:"accumulators"`
	PrologueOps int      `json:"prologue_ops"`
	BodyOps     int      `json:"body_ops"`
	EpilogueOps int      `json:"epilogue_ops"`
	Tier        ir.Tier  `json:"tier"`
	Separated   bool     `json:"separated"`
	Separation  string   `json:"separation"`
	Assembly    string   `json:"assembly"` // "yes", or why the loops stay in Go
}

func newCheck() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "check MODEL",
		Short: "Parse, simplify, differentiate and stage a model; say what was found",
		Args:  exactly("MODEL"),
		RunE: func(cmd *cobra.Command, args []string) error {
			src, err := readExpression(args[0])
			if err != nil {
				return err
			}
			u, err := compiler.Compile(src.Model, compiler.Options{Check: true})
			if err != nil {
				return err
			}
			r := newReport(u)
			if asJSON {
				return printJSON(cmd.OutOrStdout(), r)
			}
			r.print(cmd.OutOrStdout(), u.Model)
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func newReport(u *compiler.Unit) report {
	d := ir.Describe(u.Program)
	r := report{
		Model: u.Model.Name, Params: u.Model.ParamNames(), Trials: u.Model.Trials, Choice: u.Model.Choice,
		Size: u.Model.LogLik.Size(), Expression: u.Expression(), Simplified: u.SimplifiedText(),
		Rules: some(u.Fired), Dropped: some(u.Dropped),
		Statistics: some(d.Statistics), Entangled: some(d.Entangled), Sums: d.Sums,
		PrologueOps: d.PrologueOps, BodyOps: d.BodyOps, EpilogueOps: d.EpilogueOps, Tier: d.Tier,
		Separated: u.Separation.Accepted, Separation: u.Separation.Reason, Assembly: assembly(u.Program),
	}
	if r.Separated {
		r.Separation = fmt.Sprintf("agrees with the model as written to %.1e of Σ|terms|", u.Separation.Error)
	}
	return r
}

// assembly says whether the loops over trials have assembly, or why not.
func assembly(p *ir.Program) string {
	facts := ir.Analyse(p)
	loops := 0
	for _, k := range ir.Kernels(p, facts, p.Live(p.Roots())) {
		if len(k.Outs) == 0 {
			continue
		}
		loops++
		if err := goasm.Supports(p, k); err != nil {
			return "no: " + err.Error()
		}
	}
	if loops == 0 {
		return "not needed: nothing is left to loop over"
	}
	return "yes"
}

// some keeps an empty list from becoming null in JSON.
func some(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

func (r report) print(w io.Writer, m *expr.Model) {
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

func printJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
