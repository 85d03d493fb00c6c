package csrc

import (
	"likc/compiler/emit/plan"
	"likc/compiler/ir"
)

// unit is one program that is being printed as C.
type unit struct {
	*plan.Plan
	pkg       string // the prefix of all names of the interface
	asWritten bool   // whether nothing is computed ahead of the evaluation, and loops are plain C that the C compiler may vectorise

	integral   *unit  // the program of the integral that normalises a calibrated model (see bind); nil for other models
	gradLength string // the C constant that holds the length of a gradient; "" for the constant PKG_DIM, the number of the model's parameters
}

// newUnit plans a program and names its loops: those of the value alone, and those of the value with its gradient (Both).
func newUnit(p *ir.Program, pkg string, asWritten bool) (*unit, error) {
	var o plan.Options
	if asWritten && ir.Verify(p) == nil {
		o.Facts = inLoop(p, ir.Analyse(p))
	}
	pl, err := plan.New(p, style, o)
	if err != nil {
		return nil, err
	}
	pl.CollectNodes("node_sums")
	pl.Collect("sums", pl.Value.Kernels)
	pl.Collect("grad_sums", pl.Both.Kernels)
	return &unit{Plan: pl, pkg: pkg, asWritten: asWritten}, nil
}

// inLoop returns the facts about a program with other stages. A stage says when a value is computed. Values that are computed from columns
// when data are bound are computed in the loop instead. Values that depend on sums of these are computed after the loop.
func inLoop(p *ir.Program, f ir.Facts) *ir.Facts {
	stage := append([]ir.Stage{}, f.Stage...)
	for i, v := range p.Values {
		if v.Kind == ir.Apply && f.PerTrial[i] {
			stage[i] = ir.Body
			continue
		}
		for _, a := range v.Args {
			if !f.PerTrial[i] && (stage[a] == ir.Body || stage[a] == ir.Epilogue) {
				stage[i] = ir.Epilogue
			}
		}
	}
	f.Stage = stage
	return &f
}

// formula returns the expression of a value as text for a comment.
func (u *unit) formula(id ir.ID) string { return plain.Replace(u.Formula(id)) }
