package gosrc

import (
	"fmt"
	"math"

	"github.com/dave/jennifer/jen"

	"likc/compiler/expr"
	"likc/compiler/ir"
)

// unit is one program on its way to Go text: the facts about it and the names of what its functions share.
type unit struct {
	p        *ir.Program
	prefix   string // of names at package level; "" if the program has a package of its own
	facts    ir.Facts
	constant []bool    // depends on neither trials nor parameters
	number   []float64 // the value of a constant
	top      *scope    // names at package level
	types    typeNames
	dim      jen.Code         // the number of parameters
	group    []string         // field of each group in the data type
	column   map[ir.ID]string // field of a column, given or derived, that a loop reads
	stats    []statistic      // in order of first use
	scalar   map[ir.ID]string // field of a number a dataset that is computed from statistics
	loops    []loop
	engines  bool           // a dataset has a choice of engines
	bySign   map[string]int // index of a loop by its signature
	value    evaluation
	both     evaluation

	tables [][]table // of each group
}

// typeNames are the names of the types and constructors of one program.
type typeNames struct{ data, newData, trials, newTrials string }

// statistic is a sum or minimum over the trials of a group that needs no parameter; every group has the field.
type statistic struct {
	kind  ir.Kind
	arg   ir.ID
	field string
}

// evaluation is what LogLik or LogLikGrad computes.
type evaluation struct {
	roots   func(ir.Group) []ir.ID
	live    []bool
	kernels []ir.Kernel // one a group
	need    []uint      // the groups that need a value, as a set of bits
}

// newUnit analyses a program. prefix distinguishes the package-level names of programs that share a package.
func newUnit(p *ir.Program, prefix string) (*unit, error) {
	if err := ir.Verify(p); err != nil {
		return nil, err
	}
	if err := checkGroups(p); err != nil {
		return nil, err
	}
	u := &unit{p: p, prefix: prefix, facts: ir.Analyse(p), top: newScope(), column: map[ir.ID]string{}, scalar: map[ir.ID]string{}, bySign: map[string]int{}}
	u.types = typeNames{"Data", "NewData", "trials", "newTrials"}
	u.dim = jen.Id("Dim")
	if u.short() {
		u.dim = jen.Lit(len(p.Params))
		u.types = typeNames{prefix + "Data", "new" + title(prefix), prefix + "Trials", "new" + title(prefix) + "Trials"}
	}
	u.fold()
	u.reserveLocals()
	u.value = u.evaluation(p.ValueRoots(), func(g ir.Group) []ir.ID { return valueRoots(g) })
	u.both = u.evaluation(p.Roots(), func(g ir.Group) []ir.ID { return append(valueRoots(g), g.Grad...) })
	u.nameFields()
	u.collectLoops()
	return u, nil
}

// checkGroups accepts one group of all trials, or groups that take different choices.
func checkGroups(p *ir.Program) error {
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
	return nil
}

// fold evaluates what depends on nothing, so that no constant expression is left to Go, which refuses some of them.
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

// reserveLocals takes the names of the functions that the file defines for operators.
func (u *unit) reserveLocals() {
	for _, v := range u.p.Values {
		if v.Kind == ir.Apply && v.Op.In(expr.Go).Kind == expr.Local {
			u.top.taken[v.Op.In(expr.Go).Text] = true
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
	e := evaluation{roots: roots, live: u.p.Live(all), need: make([]uint, len(u.p.Values))}
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

// nameFields names what the data types hold: groups, columns that a loop reads, statistics, numbers made of statistics.
func (u *unit) nameFields() {
	fields := newScope()
	for _, g := range u.p.Groups {
		u.group = append(u.group, fields.name(g.Name))
	}
	for _, k := range u.allKernels() {
		for _, id := range k.Columns {
			if u.column[id] == "" {
				u.column[id] = fields.named(u.called(id), single)[0]
			}
		}
	}
	for i, v := range u.p.Values {
		id := ir.ID(i)
		if !u.both.live[i] || u.facts.Stage[i] != ir.Data || u.facts.PerTrial[i] {
			continue
		}
		if v.Kind == ir.Apply {
			u.scalar[id] = fields.named(v.Name, single)[0]
		} else if a := v.Args[0]; !u.constant[a] && u.statistic(v) == "" {
			stem := map[ir.Kind]string{ir.Total: "sum", ir.Least: "min"}[v.Kind]
			if name := u.called(a); name != "" {
				stem += title(name)
			}
			u.stats = append(u.stats, statistic{v.Kind, a, fields.name(stem)})
		}
	}
	u.nameTables(fields)
}

// allKernels lists the kernels that are printed.
func (u *unit) allKernels() []ir.Kernel {
	if u.short() {
		return u.both.kernels
	}
	return append(append([]ir.Kernel{}, u.value.kernels...), u.both.kernels...)
}

// short reports whether the program is one of a batch, of which only the gradient is printed.
func (u *unit) short() bool { return u.prefix != "" }

// statistic returns the field of a Total or Least of the Data stage, "" if it has none yet.
func (u *unit) statistic(v ir.Value) string {
	for _, s := range u.stats {
		if s.kind == v.Kind && s.arg == v.Args[0] {
			return s.field
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
		return e.String()
	}
	return "a longer expression"
}

// literal writes a number as Go: negative zero, infinities and NaN have no literal.
func literal(x float64) jen.Code {
	switch {
	case math.IsNaN(x):
		return jen.Qual("math", "NaN").Call()
	case math.IsInf(x, 0):
		sign := 1
		if x < 0 {
			sign = -1
		}
		return jen.Qual("math", "Inf").Call(jen.Lit(sign))
	case x == 0 && math.Signbit(x):
		return jen.Qual("math", "Copysign").Call(jen.Lit(0), jen.Lit(-1))
	}
	return jen.Id(expr.Literal(x))
}
