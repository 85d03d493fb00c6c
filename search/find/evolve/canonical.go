package evolve

import (
	"slices"

	"likc/compiler/expr"
	"likc/compiler/simplify"
	"likc/search/find/tree"
)

// canonical returns a tree's canonical form, given what the objective knows about the symbols. strict is nil for an objective that
// knows nothing about them.
func (r *rules) canonical(strict Strict, t tree.Tree) *expr.Expr {
	e := t.Expr(r.symbols)
	if strict != nil {
		return strict.Simplify(e)
	}
	return simplify.Simplify(e, simplify.Options{}).Expr
}

// vanishing returns the number of required symbols that do not occur in the canonical form.
func (r *rules) vanishing(strict Strict, t tree.Tree) (n uint8) {
	left := expr.Symbols(r.canonical(strict, t))
	for i, name := range r.symbols {
		if r.required>>i&1 != 0 && !slices.Contains(left, name) {
			n++
		}
	}
	return n
}
