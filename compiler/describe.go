package compiler

import (
	"fmt"

	"likc/compiler/expr"
)

// maxText is the size of an expression, in nodes of its tree, up to which it is worth printing on a line.
const maxText = 2000

// Expression returns the model's log density as written, lets put in.
func (u *Unit) Expression() string { return text(u.Model.LogLik) }

// SimplifiedText returns the log density in canonical form.
func (u *Unit) SimplifiedText() string { return text(u.Simplified.LogLik) }

func text(e *expr.Expr) string {
	if e.Size() > maxText {
		return fmt.Sprintf("(a shared graph of %d nodes)", len(expr.Order(e)))
	}
	return e.String()
}
