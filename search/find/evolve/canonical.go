package evolve

import (
	"slices"

	"likc/compiler/expr"
	"likc/compiler/simplify"
	"likc/search/find/tree"
)

// canonical is a tree's canonical form, by all that the objective knows of the symbols; strict is nil for one that knows
// nothing.
func (r *rules) canonical(strict Strict, t tree.Tree) *expr.Expr {
	e := t.Expr(r.symbols)
	if strict != nil {
		return strict.Simplify(e)
	}
	return simplify.Simplify(e, simplify.Options{}).Expr
}

// vanishing counts the required symbols that are not in the canonical form.
func (r *rules) vanishing(strict Strict, t tree.Tree) (n uint8) {
	left := expr.Symbols(r.canonical(strict, t))
	for i, name := range r.symbols {
		if r.required>>i&1 != 0 && !slices.Contains(left, name) {
			n++
		}
	}
	return n
}
