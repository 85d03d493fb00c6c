package called

import (
	"slices"

	"likc/compiler/diff"
	"likc/compiler/expr"
)

// advance computes the states after a trial: numbers that a participant carries from trial to trial. If they are linear in the states s
// before the trial, they are A·s + b, where the entries of A and b are columns. Otherwise a program computes them, operation by
// operation, from the values of the trial that it needs.
type advance struct {
	entries  []entry  // entries of the Jacobian that are not always 0; the diagonal comes first
	linear   bool     // whether the new states are linear in the old ones
	diagonal bool     // whether the Jacobian is diagonal: no state depends on another
	sheet    *sheet   // computes expressions over trials: the entries and b if linear, else the values that the program needs
	slopes   *sheet   // computes the entries, if they depend on states
	program  *program // computes the states if they are not linear

	// The following expressions are what the sheets and the program compute.
	sheetRoots, entryRoots []*expr.Expr
	nexts                  []*expr.Expr
	needs                  []*expr.Expr
	states                 []string
}

func newAdvance(h *hoister, states []string, nexts []*expr.Expr) *advance {
	a := &advance{states: states, linear: true, diagonal: true, nexts: nexts}
	jacobian := make([][]*expr.Expr, len(states))
	for k, e := range nexts {
		jacobian[k] = diff.Gradient(e, states)
		a.entries, a.entryRoots = append(a.entries, entry{k, k}), append(a.entryRoots, h.replaceParts(jacobian[k][k]))
	}
	for k := range nexts {
		for m, d := range jacobian[k] {
			if k != m && !d.IsNum(0) {
				a.diagonal = false
				a.entries, a.entryRoots = append(a.entries, entry{k, m}), append(a.entryRoots, h.replaceParts(d))
			}
		}
	}
	a.linear = !slices.ContainsFunc(expr.Symbols(a.entryRoots...), func(s string) bool { return slices.Contains(states, s) }) && !a.branches()
	if a.linear {
		zero := atZero(states)
		a.sheetRoots = slices.Clone(a.entryRoots)
		for _, e := range nexts {
			a.sheetRoots = append(a.sheetRoots, h.replaceParts(zero.Map(e)))
		}
		return a
	}
	a.needs = needed(states, nexts)
	a.sheetRoots = a.needs
	return a
}

// branches reports whether a condition depends on states. Then a function that is linear in each branch need not be linear.
func (a *advance) branches() bool {
	for _, n := range expr.Order(a.nexts...) {
		steps := n.Op == expr.Less || n.Op == expr.LessEqual || n.Op == expr.Sign
		if steps && slices.ContainsFunc(expr.Symbols(n), func(s string) bool { return slices.Contains(a.states, s) }) {
			return true
		}
	}
	return false
}

// atZero returns a mapper that sets all states to 0 and drops sums and products with 0.
func atZero(states []string) *expr.Mapper {
	return expr.NewMapper(func(n *expr.Expr, args []*expr.Expr) *expr.Expr {
		switch {
		case n.Op == expr.Sym && slices.Contains(states, n.Name):
			return expr.Num(0)
		case n.Op == expr.Add:
			return expr.Plus(args[0], args[1])
		case n.Op == expr.Mul:
			return expr.Times(args[0], args[1])
		case n.Op == expr.Sub && args[1].IsNum(0):
			return args[0]
		}
		return n.With(args)
	})
}

// needed returns the largest subexpressions that depend on no state and are not constants.
func needed(states []string, roots []*expr.Expr) (list []*expr.Expr) {
	on := map[*expr.Expr]bool{}
	for _, n := range expr.Order(roots...) {
		on[n] = n.Op == expr.Sym && slices.Contains(states, n.Name) || slices.ContainsFunc(n.Args, func(a *expr.Expr) bool { return on[a] })
	}
	take := func(e *expr.Expr) {
		if !on[e] && e.Op != expr.Const && !slices.Contains(list, e) {
			list = append(list, e)
		}
	}
	for _, n := range expr.Order(roots...) {
		if on[n] {
			for _, a := range n.Args {
				take(a)
			}
		}
	}
	for _, r := range roots {
		take(r)
	}
	return list
}

func (a *advance) build(names []string, _ int) {
	if !a.linear {
		a.program = newProgram(a.states, a.needs, a.nexts)
	}
	a.sheet, a.slopes = newSheet(names, slices.Clone(a.sheetRoots)...), newSheet(names, slices.Clone(a.entryRoots)...)
}

// program computes the states after one trial from those before it and from the values of the trial that it needs.
type program struct {
	memory []float64 // states, needed values, constants, then a value for each operation
	steps  []step
	roots  []int // for each state, the index of its new value in memory
}

// step is an operation: eval of the values at args, written to index to.
type step struct {
	op   expr.Op
	args [3]int
	to   int
	eval func(x [3]float64) float64
}

func newProgram(states []string, needs, roots []*expr.Expr) *program {
	p := &program{memory: make([]float64, len(states)+len(needs))}
	place := map[*expr.Expr]int{}
	for i, e := range needs {
		place[e] = len(states) + i
	}
	var visit func(e *expr.Expr) int
	visit = func(e *expr.Expr) int {
		if at, ok := place[e]; ok {
			return at
		}
		if e.Op == expr.Sym {
			at := slices.Index(states, e.Name)
			place[e] = at
			return at
		}
		s := step{op: e.Op, eval: e.Op.Info().Eval}
		for j, a := range e.Args {
			s.args[j] = visit(a)
		}
		s.to = len(p.memory)
		p.memory = append(p.memory, e.Value)
		place[e] = s.to
		if e.Op != expr.Const {
			p.steps = append(p.steps, s)
		}
		return s.to
	}
	for _, r := range roots {
		p.roots = append(p.roots, visit(r))
	}
	return p
}

// run computes one trial in memory, in which the states and needed values are set.
func (p *program) run(memory []float64) {
	for i := range p.steps {
		s := &p.steps[i]
		x, y := memory[s.args[0]], memory[s.args[1]]
		switch s.op {
		case expr.Add:
			x += y
		case expr.Sub:
			x -= y
		case expr.Mul:
			x *= y
		case expr.Div:
			x /= y
		case expr.If:
			if x != 0 {
				x = y
			} else {
				x = memory[s.args[2]]
			}
		default:
			x = s.eval([3]float64{x, y, memory[s.args[2]]})
		}
		memory[s.to] = x
	}
}
