package csrc

import (
	"fmt"
	"iter"

	"likc/compiler/expr"
	"likc/compiler/ir"
)

// unit is one program on its way to C: the facts about it and the names of what its functions share.
type unit struct {
	p         *ir.Program
	pkg       string // what all names of the interface begin with
	asWritten bool   // nothing is computed ahead of the evaluation, and loops are left to the compiler
	facts     ir.Facts
	constant  []bool    // depends on neither trials nor parameters
	number    []float64 // the value of a constant
	top       *scope    // names at file level
	groups    []string  // field of each group
	columns   []field   // what a loop reads, in the order of the program
	stats     []statistic
	scalars   []field // numbers a dataset that are computed from statistics
	loops     []loop
	bySign    map[string]int // index of a loop by its signature
	value     evaluation
	both      evaluation
}

// field is a value of the Data stage and its name in a struct.
type field struct {
	id   ir.ID
	name string
}

// statistic is a sum or minimum over the trials of a group that needs no parameter; every group has the field.
type statistic struct {
	kind ir.Kind
	arg  ir.ID
	name string
}

// evaluation is what the log-likelihood alone needs, or with its gradient.
type evaluation struct {
	live    []bool
	kernels []ir.Kernel // one a group
	need    []uint      // the groups that need a value, as a set of bits
}

func newUnit(p *ir.Program, pkg string, asWritten bool) (*unit, error) {
	if err := ir.Verify(p); err != nil {
		return nil, err
	}
	if err := checkProgram(p); err != nil {
		return nil, err
	}
	u := &unit{p: p, pkg: pkg, asWritten: asWritten, facts: ir.Analyse(p), top: newScope(), bySign: map[string]int{}}
	if asWritten {
		u.facts = inLoop(p, u.facts)
	}
	u.fold()
	for op := range localNames() {
		u.top.taken[op] = true
	}
	u.value = u.evaluation(p.ValueRoots(), valueRoots)
	u.both = u.evaluation(p.Roots(), func(g ir.Group) []ir.ID { return append(valueRoots(g), g.Grad...) })
	u.nameFields()
	u.collect("sums", u.value.kernels)
	u.collect("grad_sums", u.both.kernels)
	return u, nil
}

// checkProgram accepts one group of all trials, or groups that take different choices, and operators that C can spell.
func checkProgram(p *ir.Program) error {
	if len(p.Trials) == 0 {
		return fmt.Errorf("model %s: it has no trial column", p.Model)
	}
	seen := map[float64]bool{}
	for _, g := range p.Groups {
		switch {
		case (p.Choice == "") != (g.Choice == 0) || seen[g.Choice] || len(p.Groups) > 2:
			return fmt.Errorf("model %s: group %s does not fit the others", p.Model, g.Name)
		case g.Choice != 0 && g.Choice != 1 && g.Choice != -1:
			return fmt.Errorf("model %s: group %s takes choice %v, want +1 or -1", p.Model, g.Name, g.Choice)
		}
		seen[g.Choice] = true
	}
	for _, v := range p.Values {
		if v.Kind == ir.Apply && v.Op.In(expr.C).Kind == expr.NoSpelling {
			return fmt.Errorf("model %s: operator %s has no spelling in C", p.Model, v.Op)
		}
	}
	return nil
}

// localNames yields the functions that a file defines for operators.
func localNames() iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, op := range expr.Ops() {
			if s := op.In(expr.C); s.Kind == expr.Local && !yield(s.Text) {
				return
			}
		}
	}
}

// inLoop moves what the Data stage derives from the columns into the loop, and sums of it after the loop.
func inLoop(p *ir.Program, f ir.Facts) ir.Facts {
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
	return f
}

// fold evaluates what depends on nothing.
func (u *unit) fold() {
	u.constant = make([]bool, len(u.p.Values))
	u.number = make([]float64, len(u.p.Values))
	for i, v := range u.p.Values {
		switch {
		case v.Kind == ir.Const:
			u.constant[i], u.number[i] = true, v.Num
		case v.Kind == ir.Apply && u.facts.Stage[i] == ir.Prologue && len(u.facts.Params[i]) == 0:
			var x [3]float64
			for j, a := range v.Args {
				x[j] = u.number[a]
			}
			u.constant[i], u.number[i] = true, v.Op.Info().Eval(x)
		}
	}
}

func valueRoots(g ir.Group) []ir.ID {
	roots := []ir.ID{g.LogLik}
	for _, c := range g.Support {
		roots = append(roots, c.Left, c.Right)
	}
	return roots
}

func (u *unit) evaluation(all []ir.ID, roots func(ir.Group) []ir.ID) evaluation {
	e := evaluation{live: u.p.Live(all), need: make([]uint, len(u.p.Values))}
	e.kernels = ir.Kernels(u.p, u.facts, e.live)
	for i, g := range u.p.Groups {
		for id, needed := range u.p.Live(roots(g)) {
			if needed {
				e.need[id] |= 1 << i
			}
		}
	}
	return e
}

// nameFields names what the structs hold: groups, columns that a loop reads, statistics, numbers made of statistics.
func (u *unit) nameFields() {
	names := newScope()
	for _, g := range u.p.Groups {
		u.groups = append(u.groups, names.name(g.Name))
	}
	read := map[ir.ID]bool{}
	for _, k := range append(append([]ir.Kernel{}, u.value.kernels...), u.both.kernels...) {
		for _, id := range k.Columns {
			read[id] = true
		}
	}
	for i, v := range u.p.Values {
		id := ir.ID(i)
		switch {
		case read[id]:
			u.columns = append(u.columns, field{id, names.name(u.called(id))})
		case !u.both.live[i] || u.facts.Stage[i] != ir.Data || u.facts.PerTrial[i]:
		case v.Kind == ir.Apply:
			u.scalars = append(u.scalars, field{id, names.name(v.Name)})
		case !u.constant[v.Args[0]] && u.statistic(v) == "":
			stem := map[ir.Kind]string{ir.Total: "sum", ir.Least: "min"}[v.Kind]
			if name := u.called(v.Args[0]); name != "" {
				stem += "_" + name
			}
			u.stats = append(u.stats, statistic{v.Kind, v.Args[0], names.name(stem)})
		}
	}
}

// statistic returns the field of a Total or Least of the Data stage, "" if it has none yet.
func (u *unit) statistic(v ir.Value) string {
	for _, s := range u.stats {
		if s.kind == v.Kind && s.arg == v.Args[0] {
			return s.name
		}
	}
	return ""
}

// called is what the model calls a value, "" if nothing.
func (u *unit) called(id ir.ID) string {
	switch v := u.p.Values[id]; v.Kind {
	case ir.Column:
		return u.p.Trials[v.Index]
	case ir.Param:
		return u.p.Params[v.Index].Name
	default:
		return v.Name
	}
}

// formula writes a value in the words of the model, or says that it is long.
func (u *unit) formula(id ir.ID) string {
	const long = 40
	if e := u.p.Expr(id); e.Size() <= long {
		return plain.Replace(e.String())
	}
	return "a longer expression"
}
