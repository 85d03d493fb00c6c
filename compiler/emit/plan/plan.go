// Package plan prepares a program for printing in any language. It chooses names, the fields of a dataset, the loops, and the
// order of the statements. The printers for Go and C turn a plan into text, so that they need not decide these things twice.
package plan

import (
	"fmt"
	"math"
	"slices"

	"likc/compiler/expr"
	"likc/compiler/ir"
)

// Plan is a program with the facts and names that its printed functions share.
type Plan struct {
	*ir.Program
	Facts      ir.Facts
	Constant   []bool    // whether a value depends on neither trials nor parameters
	Number     []float64 // the value of a constant
	Top        *Names    // names at the top level of the file
	Fields     *Names    // names of the fields of the data types
	GroupNames []string  // the dataset's field for each group
	Columns    []Field   // values for each trial that a loop reads, in the order of the program
	Stats      []Statistic
	Scalars    []Field // numbers of a dataset that are computed from statistics, in the order of the program
	Loops      []*Loop
	NodeNames  map[ir.ID]string // variables of the file that hold columns of tables of nodes
	Value      Evaluation       // the evaluation of the log-likelihood
	Both       Evaluation       // the evaluation of the log-likelihood and its gradient
	Binding    *Binding         // nil without a binding function
	style      *Style
	bySign     map[string]*Loop // the loops by the signature of their kernels
}

// Field is a value of the Data stage and its name in a struct.
type Field struct {
	ID   ir.ID
	Name string
}

// Statistic is a sum or minimum over the trials of a group that depends on no parameter. Every group has a field for it.
type Statistic struct {
	Kind ir.Kind
	Arg  ir.ID
	Name string
}

// What returns a word for the kind of statistic: "sum" or "minimum".
func (s Statistic) What() string { return what[s.Kind] }

var what = map[ir.Kind]string{ir.Total: "sum", ir.NodeSum: "sum", ir.Least: "minimum"}

// Loop is a printed function that goes over the trials of a group. Groups whose kernels have the same signature share it.
type Loop struct {
	Name   string
	Kernel ir.Kernel
	Nodes  bool // whether the loop goes over the nodes of a table, and not over trials
}

// Over returns the words for what the loop goes over: trials or nodes.
func (l *Loop) Over() string {
	if l.Nodes {
		return "nodes"
	}
	return "trials"
}

// Evaluation is what one of the printed functions computes.
type Evaluation struct {
	Live     []bool      // whether a value is needed
	Kernels  []ir.Kernel // the loop of each group
	need     []uint      // for each value, the groups that need it, as a set of bits
	gradient bool
}

// Options choose what is printed of a program.
type Options struct {
	Facts        *ir.Facts // nil: as [ir.Analyse] has them
	GradientOnly bool      // whether there is no function for the log-likelihood without its gradient
}

// New returns the plan of a program. An error says why it cannot be printed in the style's language.
func New(p *ir.Program, style *Style, o Options) (*Plan, error) {
	if err := ir.Verify(p); err != nil {
		return nil, err
	}
	if err := check(p, style.Target); err != nil {
		return nil, err
	}
	pl := &Plan{Program: p, Top: NewNames(style), Fields: NewNames(style), style: style, bySign: map[string]*Loop{}}
	if o.Facts != nil {
		pl.Facts = *o.Facts
	} else {
		pl.Facts = ir.Analyse(p)
	}
	pl.fold()
	pl.reserveLocals()
	pl.Value = pl.evaluation(p.ValueRoots(), valueRoots)
	pl.Both = pl.evaluation(p.Roots(), func(g ir.Group) []ir.ID { return append(valueRoots(g), g.Grad...) })
	pl.Both.gradient = true
	kernels := pl.Both.Kernels
	if !o.GradientOnly {
		kernels = append(append([]ir.Kernel{}, pl.Value.Kernels...), kernels...)
	}
	pl.nameFields(kernels)
	pl.nameNodes()
	return pl, nil
}

// Parameters returns the parameters of the printed functions. With a binding function they are the model's, which differ from
// the program's.
func (p *Plan) Parameters() []expr.Param {
	if p.Binding != nil {
		return p.Binding.Model.Params
	}
	return p.Params
}

// check returns an error unless there is one group, or groups with different choices, and the target can spell all operators.
func check(p *ir.Program, target expr.Target) error {
	if len(p.Trials) == 0 {
		return fmt.Errorf("model %s: it has no trial column", p.Model)
	}
	seen := map[float64]bool{}
	for _, g := range p.Groups {
		switch {
		case p.Choice == "" && len(p.Groups) > 1 || seen[g.Choice]:
			return fmt.Errorf("model %s: group %s does not fit the others", p.Model, g.Name)
		case g.Choice != math.Trunc(g.Choice) || math.Abs(g.Choice) > maxChoice:
			return fmt.Errorf("model %s: group %s takes choice %v, want a small whole number", p.Model, g.Name, g.Choice)
		}
		seen[g.Choice] = true
	}
	for _, v := range p.Values {
		if v.Kind == ir.Apply && v.Op.In(target).Kind == expr.NoSpelling {
			return fmt.Errorf("model %s: operator %s has no spelling in %s", p.Model, v.Op, target)
		}
	}
	return nil
}

// maxChoice is the largest number that may stand for a choice.
const maxChoice = 1000

// fold evaluates the constants, so that no constant expression is printed. The target's compiler might refuse one, such as 1/0.
func (pl *Plan) fold() {
	pl.Constant = make([]bool, len(pl.Values))
	pl.Number = make([]float64, len(pl.Values))
	for i, v := range pl.Values {
		switch {
		case v.Kind == ir.Const:
			pl.Constant[i], pl.Number[i] = true, v.Num
		case v.Kind == ir.Apply && pl.onConstants(v):
			var x [3]float64
			for j, a := range v.Args {
				x[j] = pl.Number[a]
			}
			pl.Constant[i], pl.Number[i] = true, v.Op.Info().Eval(x)
		}
	}
}

// onConstants reports whether all arguments are constants.
func (pl *Plan) onConstants(v ir.Value) bool {
	return !slices.ContainsFunc(v.Args, func(a ir.ID) bool { return !pl.Constant[a] })
}

// reserveLocals reserves the names of the functions that a file defines for operators.
func (pl *Plan) reserveLocals() {
	for _, op := range expr.Ops() {
		if s := op.In(pl.style.Target); s.Kind == expr.Local {
			pl.Top.Reserve(s.Text)
		}
	}
}

// valueRoots returns the log-likelihood of a group and the sides of its support conditions.
func valueRoots(g ir.Group) []ir.ID {
	roots := []ir.ID{g.LogLik}
	for _, c := range g.Support {
		roots = append(roots, c.Left, c.Right)
	}
	return roots
}

// evaluation returns the evaluation of all those values; roots selects the values that a group needs.
func (pl *Plan) evaluation(all []ir.ID, roots func(ir.Group) []ir.ID) Evaluation {
	e := Evaluation{Live: pl.Live(all), need: make([]uint, len(pl.Values))}
	e.Kernels = ir.Kernels(pl.Program, pl.Facts, e.Live)
	for i, g := range pl.Groups {
		for id, needed := range pl.Live(roots(g)) {
			if needed {
				e.need[id] |= 1 << i
			}
		}
	}
	return e
}

// IDs returns the values that the evaluation needs.
func (e Evaluation) IDs() []ir.ID {
	var ids []ir.ID
	for i, live := range e.Live {
		if live {
			ids = append(ids, ir.ID(i))
		}
	}
	return ids
}

// Collect makes loops for the kernels whose signature no earlier loop has. Their names begin with stem.
func (pl *Plan) Collect(stem string, kernels []ir.Kernel) {
	for _, k := range kernels {
		sign := k.Signature(pl.Program)
		if pl.bySign[sign] == nil && len(k.Outs) > 0 {
			l := &Loop{Name: pl.Top.Declare(stem), Kernel: k, Nodes: pl.Values[k.Outs[0]].Kind == ir.NodeSum}
			pl.bySign[sign] = l
			pl.Loops = append(pl.Loops, l)
		}
	}
}

// LoopOf returns the loop of a kernel.
func (pl *Plan) LoopOf(k ir.Kernel) *Loop { return pl.bySign[k.Signature(pl.Program)] }

// nameFields names the fields of a dataset: groups, columns that a loop reads, statistics, and numbers computed from
// statistics.
func (pl *Plan) nameFields(kernels []ir.Kernel) {
	for _, g := range pl.Groups {
		pl.GroupNames = append(pl.GroupNames, pl.Fields.Declare(g.Name))
	}
	names := map[ir.ID]string{}
	for _, k := range kernels {
		for _, id := range k.Columns {
			if names[id] == "" {
				names[id] = pl.Fields.Declare(pl.Called(id))
			}
		}
	}
	for i, v := range pl.Values {
		id := ir.ID(i)
		switch {
		case names[id] != "":
			pl.Columns = append(pl.Columns, Field{id, names[id]})
		case !pl.Both.Live[i] || pl.Facts.Stage[i] != ir.Data || pl.Facts.PerTrial[i]:
		case v.Kind == ir.Apply:
			pl.Scalars = append(pl.Scalars, Field{id, pl.Fields.Declare(v.Name)})
		case !pl.Constant[v.Args[0]] && pl.statistic(v) == nil:
			stem := map[ir.Kind]string{ir.Total: "sum", ir.Least: "min"}[v.Kind]
			if name := pl.Called(v.Args[0]); name != "" {
				stem = pl.style.Join(stem, name)
			}
			pl.Stats = append(pl.Stats, Statistic{v.Kind, v.Args[0], pl.Fields.Declare(stem)})
		}
	}
}

// statistic returns the statistic for a Total or Least of the Data stage, or nil if there is none yet.
func (pl *Plan) statistic(v ir.Value) *Statistic {
	for i, s := range pl.Stats {
		if s.Kind == v.Kind && s.Arg == v.Args[0] {
			return &pl.Stats[i]
		}
	}
	return nil
}

// Column returns the field of a column that a loop reads.
func (pl *Plan) Column(id ir.ID) string {
	for _, c := range pl.Columns {
		if c.ID == id {
			return c.Name
		}
	}
	return ""
}

// HasStatistic reports whether there is a statistic of a kind.
func (pl *Plan) HasStatistic(kind ir.Kind) bool {
	for _, s := range pl.Stats {
		if s.Kind == kind {
			return true
		}
	}
	return false
}

// Derived returns the values for each trial that are computed when data are bound, for a column or a statistic. Arguments come
// first.
func (pl *Plan) Derived() []ir.ID {
	var roots, ids []ir.ID
	for _, c := range pl.Columns {
		roots = append(roots, c.ID)
	}
	for _, s := range pl.Stats {
		roots = append(roots, s.Arg)
	}
	for i, live := range pl.Live(roots) {
		if live && pl.Facts.PerTrial[i] {
			ids = append(ids, ir.ID(i))
		}
	}
	return ids
}

// Called returns the model's name of a value, or "" if it has none.
func (pl *Plan) Called(id ir.ID) string {
	switch v := pl.Values[id]; v.Kind {
	case ir.Column:
		return pl.Trials[v.Index]
	case ir.Param:
		return pl.Params[v.Index].Name
	default:
		return v.Name
	}
}

// Formula returns the expression of a value with the names of the model, or a note that the expression is long.
func (pl *Plan) Formula(id ir.ID) string {
	const long = 40
	if e := pl.Expr(id); e.Size() <= long {
		return e.String()
	}
	return "a longer expression"
}

// Outs returns a phrase for each result of a loop, such as "the sum of inv(rt - t)".
func (pl *Plan) Outs(k ir.Kernel) []string {
	var list []string
	for _, out := range k.Outs {
		v := pl.Values[out]
		list = append(list, "the "+what[v.Kind]+" of "+pl.Formula(v.Args[0]))
	}
	return list
}

// ColumnNames reserves identifiers for the trial columns and the choice. choice is "" for a model without choice.
func (pl *Plan) ColumnNames(names *Names) (columns []string, choice string) {
	for _, name := range pl.Trials {
		columns = append(columns, names.Declare(name))
	}
	if pl.Choice != "" {
		choice = names.Declare(pl.Choice)
	}
	return columns, choice
}

// Unused returns the indexes of the trial columns that are not among ids.
func (pl *Plan) Unused(ids []ir.ID) []int {
	needed := map[int]bool{}
	for _, id := range ids {
		if v := pl.Values[id]; v.Kind == ir.Column {
			needed[v.Index] = true
		}
	}
	var list []int
	for i := range pl.Trials {
		if !needed[i] {
			list = append(list, i)
		}
	}
	return list
}

// costOfCall is the smallest cost, in the operator table, of an operator for which a processor has no instruction.
const costOfCall = 7

// Calls reports whether computing a value takes the call of a function rather than an instruction.
func (pl *Plan) Calls(id ir.ID) bool {
	op := pl.Values[id].Op
	s := op.In(pl.style.Target)
	return s.Kind == expr.Local || s.Kind == expr.Function && op.Info().Cost >= costOfCall
}

// Divisor returns the divisor of a value that is a quotient or reciprocal. ok is false for other values, and for a divisor
// outside the Body.
func (pl *Plan) Divisor(id ir.ID) (divisor ir.ID, ok bool) {
	v := pl.Values[id]
	if v.Op != expr.Div && v.Op != expr.Inv {
		return 0, false
	}
	divisor = v.Args[len(v.Args)-1]
	return divisor, pl.Facts.Stage[divisor] == ir.Body
}
