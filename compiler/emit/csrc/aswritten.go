package csrc

import (
	"fmt"

	"likc/compiler/diff"
	"likc/compiler/emit"
	"likc/compiler/expr"
	"likc/compiler/lower"
	"likc/compiler/separate"
)

// AsWrittenName begins the names of the functions that AsWritten prints.
const AsWrittenName = "aswritten"

// AsWritten prints the model as one would write it in C by hand; emitted code is timed against it. For each group, one loop
// over the trials evaluates the log density as the model writes it, and its derivatives by the chain rule. Common
// subexpressions are computed once, and those of parameters only before the loop. Nothing is simplified, separated or computed
// when data are bound. Optimising the loop is left to the C compiler; one pass of gcc that keeps it from vectorising is
// switched off. The files are aswritten.c, aswritten.h and the program aswritten_test.c. Interface and benchmark are the same
// as in the files of [Emitter].
func AsWritten(m *expr.Model) ([]emit.File, error) {
	var groups []lower.Group
	for _, g := range m.Groups() {
		known := separate.Know(m, g)
		sum := lower.Group{Name: g.Name, Choice: g.Choice, Total: separate.Plain(g.Name, g.LogLik, known), Support: g.Support}
		for _, slope := range diff.Gradient(g.LogLik, m.ParamNames()) {
			sum.Grad = append(sum.Grad, separate.Plain(g.Name, slope, known))
		}
		groups = append(groups, sum)
	}
	p, err := lower.Program(m, groups)
	if err != nil {
		return nil, fmt.Errorf("as written: %w", err)
	}
	return emitFiles(p, emit.Config{Package: AsWrittenName, Model: m, Cases: emit.MakeCases(m, 1)}, true)
}
