package gosrc

import (
	"github.com/dave/jennifer/jen"

	"likc/compiler/emit/goasm"
	"likc/compiler/emit/plan"
	"likc/compiler/ir"
)

// unit is one program that is being printed as Go.
type unit struct {
	*plan.Plan
	prefix    string                      // the prefix of names at package level; "" if the program has a package to itself
	types     typeNames                   // names of the printed types
	dim       jen.Code                    // the number of parameters
	engines   bool                        // whether a dataset has several engines to choose from
	assembled map[*plan.Loop]*goasm.Plans // the loops that have assembly, with their plans
	single    bool                        // whether the density of one trial is being printed; then there is no dataset, and so no engine
	refused   map[*plan.Loop]error        // the reason why a loop has no assembly
	tables    [][]table                   // the tables of each group
	integral  *unit                       // the program of the normalising integral, for a model with a binding function
}

// typeNames are the names of the types and constructors of one program.
type typeNames struct{ data, newData, trials, newTrials string }

// newUnit plans a program. prefix distinguishes the package-level names of programs that share a package.
func newUnit(p *ir.Program, prefix string) (*unit, error) {
	pl, err := plan.New(p, style, plan.Options{GradientOnly: prefix != ""})
	if err != nil {
		return nil, err
	}
	u := &unit{Plan: pl, prefix: prefix, dim: jen.Id("Dim"), types: typeNames{"Data", "NewData", "trials", "newTrials"},
		assembled: map[*plan.Loop]*goasm.Plans{}, refused: map[*plan.Loop]error{}}
	if u.short() {
		u.dim = jen.Lit(len(p.Params))
		u.types = typeNames{prefix + "Data", "new" + title(prefix), prefix + "Trials", "new" + title(prefix) + "Trials"}
	}
	u.nameTables()
	u.collectLoops()
	return u, nil
}

// short reports whether the program is part of a batch. Only the loops of its gradient are printed then.
func (u *unit) short() bool { return u.prefix != "" }

// collectLoops names the distinct loops of both evaluations, those of the value before those of the gradient.
func (u *unit) collectLoops() {
	u.CollectNodes(u.prefix + "nodeSums")
	if u.short() {
		u.Collect(u.prefix+"Sums", u.Both.Kernels)
		u.Collect(u.prefix+"Sums", u.rests(u.Both.Kernels))
	} else {
		u.Collect("sums", u.Value.Kernels)
		u.Collect("gradSums", u.Both.Kernels)
		u.Collect("restSums", u.rests(u.Value.Kernels))
		u.Collect("gradRestSums", u.rests(u.Both.Kernels))
	}
	u.Collect(u.prefix+"termSums", u.tableKernels())
}
