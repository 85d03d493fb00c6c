// Package facts summarises what the compiler found out about a model, such as its sufficient statistics and the cost of an
// evaluation. The command likc check prints the summary, and reports read it.
package facts

import (
	"fmt"

	"likc/compiler"
	"likc/compiler/emit/goasm"
	"likc/compiler/ir"
)

// Facts are what the compiler found out about a model. The JSON of likc check has these fields.
type Facts struct {
	Model       string   `json:"model"`
	Params      []string `json:"params"`
	Trials      []string `json:"trials"`
	Choice      string   `json:"choice,omitempty"`
	Size        int      `json:"size"` // nodes of the expression as written
	Expression  string   `json:"expression"`
	Simplified  string   `json:"simplified"`
	Rules       []string `json:"rules"`        // names of the simplifier's rules that fired
	Dropped     []string `json:"dropped"`      // conditions on the parameters that the model needs as written, but not when simplified
	Statistics  []string `json:"statistics"`   // sums over trials that are computed once for a dataset
	Entangled   []string `json:"entangled"`    // parameters that a sum over trials still depends on
	Sums        int      `json:"accumulators"` // the number of sums that the loops over trials add up
	PrologueOps int      `json:"prologue_ops"` // operations of an evaluation before the loops over trials
	BodyOps     int      `json:"body_ops"`     // operations for each trial
	EpilogueOps int      `json:"epilogue_ops"` // operations of an evaluation after the loops
	Tier        ir.Tier  `json:"tier"`         // tier, which says what an evaluation costs
	Separated   bool     `json:"separated"`    // whether the sum over trials was multiplied out
	Separation  string   `json:"separation"`   // how well the result agrees with the model as written, or why the sum was not multiplied out
	Assembly    string   `json:"assembly"`     // "yes", or why the loops stay in Go
}

// Of returns the facts about the unit's model.
func Of(u *compiler.Unit) Facts {
	d := ir.Describe(u.Program)
	f := Facts{
		Model: u.Model.Name, Params: u.Model.ParamNames(), Trials: u.Model.Trials, Choice: u.Model.Choice,
		Size: u.Model.LogLik.Size(), Expression: u.Expression(), Simplified: u.SimplifiedText(),
		Rules: nonNil(u.Fired), Dropped: nonNil(u.Dropped),
		Statistics: nonNil(d.Statistics), Entangled: nonNil(d.Entangled), Sums: d.Sums,
		PrologueOps: d.PrologueOps, BodyOps: d.BodyOps, EpilogueOps: d.EpilogueOps, Tier: d.Tier,
		Separated: u.Separation.Accepted, Separation: u.Separation.Reason, Assembly: assembly(u.Program),
	}
	if f.Separated {
		f.Separation = fmt.Sprintf("agrees with the model as written to %.1e of Σ|terms|", u.Separation.Error)
	}
	return f
}

// assembly returns "yes" if the loops over trials can be printed as assembly, and else the reason why not.
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

// nonNil returns the list, or an empty list for nil, which JSON would write as null.
func nonNil(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}
