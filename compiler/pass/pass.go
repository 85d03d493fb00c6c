// Package pass has the optimisation passes of the compiler. A pass is a function from a program to a program that computes the
// same. A pass may leave values that nothing needs, which Dead removes, and any valid order, which Schedule improves. Package
// compiler has the list of passes.
package pass

import (
	"math"

	"likc/compiler/expr"
	"likc/compiler/ir"
)

// Func is a pass.
type Func func(*ir.Program) *ir.Program

// Share merges equal values: common subexpression elimination by value numbering. It first sorts the arguments of commutative
// operators.
func Share(p *ir.Program) *ir.Program {
	return p.Rewrite(func(b *ir.Builder, v ir.Value, args []ir.ID) ir.ID { return b.Add(v, args...) })
}

// Dead removes the values that no output needs.
func Dead(p *ir.Program) *ir.Program {
	live := p.Live(p.Roots())
	var order []ir.ID
	for i := range p.Values {
		if live[i] {
			order = append(order, ir.ID(i))
		}
	}
	return p.Reorder(order)
}

// Schedule orders values by stage. Within a stage it puts each value just before its first use, so that a loop has few values
// in use at a time.
func Schedule(p *ir.Program) *ir.Program {
	facts := ir.Analyse(p)
	var order []ir.ID
	placed := make([]bool, len(p.Values))
	var place func(id ir.ID)
	place = func(id ir.ID) {
		if placed[id] {
			return
		}
		placed[id] = true
		for _, a := range p.Values[id].Args {
			place(a)
		}
		order = append(order, id)
	}
	used := usedInStage(p, facts)
	for s := ir.Data; s <= ir.Epilogue; s++ {
		for i := range p.Values {
			if facts.Stage[i] == s && !used[i] {
				place(ir.ID(i))
			}
		}
	}
	return p.Reorder(byStage(order, facts))
}

// usedInStage reports for each value whether another value of the same stage uses it.
func usedInStage(p *ir.Program, facts ir.Facts) []bool {
	used := make([]bool, len(p.Values))
	for i, v := range p.Values {
		for _, a := range v.Args {
			used[a] = used[a] || facts.Stage[i] == facts.Stage[a]
		}
	}
	return used
}

// byStage returns the values ordered by stage, and within a stage as in order. Constants come first, because every stage may
// use them.
func byStage(order []ir.ID, facts ir.Facts) []ir.ID {
	var sorted []ir.ID
	free := func(id ir.ID) bool { return facts.Stage[id] == ir.Prologue && len(facts.Params[id]) == 0 }
	for _, id := range order {
		if free(id) {
			sorted = append(sorted, id)
		}
	}
	for s := ir.Data; s <= ir.Epilogue; s++ {
		for _, id := range order {
			if facts.Stage[id] == s && !free(id) {
				sorted = append(sorted, id)
			}
		}
	}
	return sorted
}

// Fold evaluates operators of constants, and removes operations without effect: x+0, x·1 and double signs. It moves signs into
// sums. It uses only identities that hold for every float64, except for the sign of zero.
func Fold(p *ir.Program) *ir.Program {
	return p.Rewrite(func(b *ir.Builder, v ir.Value, args []ir.ID) ir.ID {
		if v.Kind != ir.Apply {
			return b.Add(v, args...)
		}
		if y, ok := constant(b, v, args); ok {
			return b.Num(y)
		}
		if id, ok := identity(b, v.Op, args); ok {
			return id
		}
		return b.Add(v, args...)
	})
}

// constant returns the number v if its arguments are constants and the result is finite; else it returns false.
func constant(b *ir.Builder, v ir.Value, args []ir.ID) (float64, bool) {
	var x [3]float64
	for i, a := range args {
		w := b.Value(a)
		if w.Kind != ir.Const {
			return 0, false
		}
		x[i] = w.Num
	}
	y := v.Op.Info().Eval(x)
	return y, !math.IsInf(y, 0) && !math.IsNaN(y)
}

// negated returns x if the value is -x.
func negated(b *ir.Builder, id ir.ID) (ir.ID, bool) {
	v := b.Value(id)
	if v.Kind == ir.Apply && v.Op == expr.Neg {
		return v.Args[0], true
	}
	return 0, false
}

// identity returns a simpler value equal to op of args.
func identity(b *ir.Builder, op expr.Op, args []ir.ID) (ir.ID, bool) {
	switch op {
	case expr.Add:
		return foldAdd(b, args[0], args[1])
	case expr.Sub:
		return foldSub(b, args[0], args[1])
	case expr.Mul:
		return foldMul(b, args[0], args[1])
	case expr.Div:
		return foldDiv(b, args[0], args[1])
	case expr.Neg:
		return negated(b, args[0])
	}
	return 0, false
}

// foldAdd folds x + 0 to x, and x + (-y) to x - y.
func foldAdd(b *ir.Builder, x, y ir.ID) (ir.ID, bool) {
	if b.IsNum(x, 0) {
		return y, true
	}
	if b.IsNum(y, 0) {
		return x, true
	}
	if n, ok := negated(b, y); ok {
		return b.Apply(expr.Sub, x, n), true
	}
	if n, ok := negated(b, x); ok {
		return b.Apply(expr.Sub, y, n), true
	}
	return 0, false
}

func foldSub(b *ir.Builder, x, y ir.ID) (ir.ID, bool) {
	if b.IsNum(y, 0) {
		return x, true
	}
	if b.IsNum(x, 0) {
		return b.Apply(expr.Neg, y), true
	}
	if n, ok := negated(b, y); ok {
		return b.Apply(expr.Add, x, n), true
	}
	return 0, false
}

// foldMul folds 1·x to x, -1·x to -x, x·x to x², and (-x)·(-y) to x·y.
func foldMul(b *ir.Builder, x, y ir.ID) (ir.ID, bool) {
	if b.IsNum(y, 1) || b.IsNum(y, -1) {
		x, y = y, x
	}
	switch {
	case b.IsNum(x, 1):
		return y, true
	case b.IsNum(x, -1):
		return b.Apply(expr.Neg, y), true
	case x == y:
		return b.Apply(expr.Square, x), true
	}
	nx, okx := negated(b, x)
	ny, oky := negated(b, y)
	if okx && oky {
		return b.Apply(expr.Mul, nx, ny), true
	}
	return 0, false
}

func foldDiv(b *ir.Builder, x, y ir.ID) (ir.ID, bool) {
	if b.IsNum(y, 1) {
		return x, true
	}
	if b.IsNum(x, 1) {
		return b.Apply(expr.Inv, y), true
	}
	return 0, false
}
