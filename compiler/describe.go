package compiler

import (
	"fmt"

	"likc/compiler/expr"
)

// maxText is the largest size of an expression that is printed on one line, in nodes of its tree.
const maxText = 2000

// Expression returns the model's log density as written, with each let replaced by its value.
func (u *Unit) Expression() string { return text(u.Model.LogLik) }

// SimplifiedText returns the log density in canonical form.
func (u *Unit) SimplifiedText() string { return text(u.Simplified.LogLik) }

// text returns an expression as text, or its number of nodes if the text would be too long.
func text(e *expr.Expr) string {
	if e.Size() > maxText {
		return fmt.Sprintf("(a shared graph of %d nodes)", len(expr.Order(e)))
	}
	return e.String()
}
