package catalog

import (
	"io"
	"slices"

	"likc/compiler/expr"
	"likc/compiler/syntax"
)

// WriteModel writes an expression of a front as a model in the language, in which the choice has another name.
func WriteModel(w io.Writer, m *expr.Model) error {
	own := *m
	if own.Choice == Choice { // a reserved word of the language
		own.Choice = "c"
		for own.IsParam(own.Choice) || own.IsTrial(own.Choice) {
			own.Choice += "_"
		}
		renamed := expr.Substitution(map[string]*expr.Expr{Choice: expr.Var(own.Choice)})
		if own.LogLik != nil {
			own.LogLik = renamed.Map(own.LogLik)
		}
		own.Lets = slices.Clone(own.Lets)
		for i, l := range own.Lets {
			own.Lets[i].Value = renamed.Map(l.Value)
		}
	}
	return syntax.Print(w, &own)
}
