package catalog

import (
	"io"

	"likc/compiler/expr"
	"likc/compiler/syntax"
)

// WriteModel writes an expression of a front as a model in the language, in which the choice needs a name of its own.
func WriteModel(w io.Writer, m *expr.Model) error {
	own := *m
	if own.Choice == Choice { // a word of the language
		own.Choice = "c"
	}
	return syntax.Print(w, &own)
}
