// Package exprtest draws random expressions and models for property tests.
package exprtest

import (
	"flag"

	"likc/compiler/expr"

	"pgregory.net/rapid"
)

// init fixes the seed of package rapid, so that tests draw the same expressions in every run. The flag -rapid.seed chooses
// another seed, and -rapid.seed=0 a new one in each run.
func init() {
	if err := flag.Set("rapid.seed", "1"); err != nil {
		panic(err)
	}
}

// Names are the symbols that [Expr] draws from: a trial column and the four parameters of a diffusion model.
var Names = []string{"rt", "v", "a", "z", "t"}

// Searchable returns the operators that the search uses, including Sym for symbols but not Const for constants.
func Searchable() []expr.Op {
	return pick(func(op expr.Op) bool { return op.Info().Searchable })
}

// Writable returns every operator that a user can write, with symbols and constants.
func Writable() []expr.Op {
	return pick(func(op expr.Op) bool { return !op.Info().Internal })
}

// pick returns the operators that keep accepts, in the order of the operator table.
func pick(keep func(expr.Op) bool) []expr.Op {
	var ops []expr.Op
	for _, op := range expr.Ops() {
		if keep(op) {
			ops = append(ops, op)
		}
	}
	return ops
}

// Expr draws expressions over ops and [Names] with at most maxSize nodes. There are constants if ops has Const; add it to
// [Searchable] to have both.
func Expr(ops []expr.Op, maxSize int) *rapid.Generator[*expr.Expr] {
	return Over(symbols(Names), ops, maxSize)
}

func symbols(names []string) []*expr.Expr {
	leaves := make([]*expr.Expr, len(names))
	for i, name := range names {
		leaves[i] = expr.Var(name)
	}
	return leaves
}

// Over does what [Expr] does, with the given expressions instead of symbols; the result shares their nodes.
func Over(leaves []*expr.Expr, ops []expr.Op, maxSize int) *rapid.Generator[*expr.Expr] {
	g := &grower{leaves: rapid.SampledFrom(leaves), byArity: map[int][]expr.Op{}}
	for _, op := range ops {
		switch info := op.Info(); {
		case op == expr.Const:
			g.constants = true
		case info.Notation != expr.Leaf:
			g.byArity[info.Arity] = append(g.byArity[info.Arity], op)
		}
	}
	return rapid.Custom(func(t *rapid.T) *expr.Expr {
		return g.grow(t, rapid.IntRange(1, maxSize).Draw(t, "size"))
	})
}

// grower draws expressions of a given size.
type grower struct {
	leaves    *rapid.Generator[*expr.Expr]
	constants bool
	byArity   map[int][]expr.Op
}

// grow draws an expression of at most size nodes, as many as the arities allow.
func (g *grower) grow(t *rapid.T, size int) *expr.Expr {
	var ops []expr.Op
	for arity := 1; arity < size && arity <= 3; arity++ {
		ops = append(ops, g.byArity[arity]...)
	}
	if len(ops) == 0 {
		return g.leaf(t)
	}
	op := rapid.SampledFrom(ops).Draw(t, "op")
	args := make([]*expr.Expr, op.Info().Arity)
	size--
	for i := range args {
		left := len(args) - 1 - i // each remaining argument needs at least one node
		share := size - left
		if left > 0 {
			share = rapid.IntRange(1, share).Draw(t, "share")
		}
		args[i] = g.grow(t, share)
		size -= share
	}
	return expr.New(op, args...)
}

// leaf draws a constant or one of the leaves.
func (g *grower) leaf(t *rapid.T) *expr.Expr {
	if g.constants && rapid.IntRange(0, 2).Draw(t, "constant") == 0 {
		return expr.Num(constant.Draw(t, "value"))
	}
	return g.leaves.Draw(t, "leaf")
}

// constant draws numbers: those for which the simplifier has rules, such as 0, 1 and 2, and others.
var constant = rapid.OneOf(
	rapid.SampledFrom([]float64{0, 1, 2, 0.5, 3, -1, -2}),
	rapid.Float64Range(-10, 10),
)
