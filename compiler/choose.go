package compiler

import (
	"fmt"
	"math"

	"likc/compiler/ir"
)

const (
	// separationTolerance bounds the change of a result by multiplying out, relative to Σ|terms|, the sum of the terms' absolute
	// values.
	separationTolerance = 1e-12
	separationSamples   = 40 // the number of generated datasets on which the two forms are compared
	// maxSeparated is the highest number of values in a separated program. A longer program takes longer to print than the
	// separated sums save.
	maxSeparated = 1 << 12
)

// choose sets the unit's program: the separated form if it costs less per evaluation and agrees with the model as written
// on generated data, else the whole form.
func (u *Unit) choose(whole, separated form) {
	switch {
	case separated.program == nil:
		u.Separation.Reason = "too many terms to multiply out"
		return
	case len(separated.program.Values) > maxSeparated:
		u.Separation.Reason = fmt.Sprintf("multiplying out would take %d operations, more than %d", len(separated.program.Values), maxSeparated)
		return
	case !cheaper(separated.program, whole.program):
		u.Separation.Reason = "it would not save work"
		return
	}
	u.Separation.Error = disagreement(NewTreeBinder(u.Model), separated.program)
	if !(u.Separation.Error <= separationTolerance) {
		u.Separation.Reason = fmt.Sprintf("multiplying out would lose digits: error %.1e of Σ|terms|", u.Separation.Error)
		return
	}
	u.Separation.Accepted = true
	u.Groups, u.Program = separated.groups, separated.program
}

// cheaper reports whether a costs less per evaluation than b: first by tier, then by the cost of the loops over trials.
func cheaper(a, b *ir.Program) bool {
	rank := map[ir.Tier]int{ir.Constant: 0, ir.Tabulated: 1, ir.Streaming: 2}
	ta, tb := rank[ir.Describe(a).Tier], rank[ir.Describe(b).Tier]
	if ta != tb {
		return ta < tb
	}
	return bodyCost(a) < bodyCost(b)
}

// bodyCost returns the cost per trial of the loops of all groups, in units of the operator table. Sums over tables of nodes do
// not count.
func bodyCost(p *ir.Program) int {
	f := ir.Analyse(p)
	tables := ir.Tabulations(p, f)
	cost := 0
	for g, k := range ir.Kernels(p, f, p.Live(p.Roots())) {
		rest := k.Only(p, f, k.Untabulated(tables[g]))
		for _, id := range rest.Body {
			cost += p.Values[id].Op.Info().Cost
		}
		cost += len(rest.Outs)
	}
	return cost
}

// disagreement returns the largest difference between the program and the model as written, in value and gradient, relative to
// Σ|terms|.
func disagreement(trees *TreeBinder, p *ir.Program) float64 {
	worst := 0.0
	for _, s := range samples(trees, separationSamples) {
		tree, err := trees.Bind(s.columns, s.choice)
		if err != nil {
			return math.Inf(1)
		}
		bound, err := ir.Bind(p, s.columns, s.choice)
		if err != nil {
			return math.Inf(1)
		}
		sums, terms := tree.sums(s.theta)
		got := make([]float64, len(sums))
		got[0] = bound.LogLikGrad(s.theta, got[1:])
		for j, want := range sums {
			if math.IsNaN(want) || math.IsInf(want, 0) || terms[j] == 0 {
				continue
			}
			if e := math.Abs(got[j]-want) / terms[j]; !(e <= worst) {
				worst = e
			}
		}
	}
	return worst
}
