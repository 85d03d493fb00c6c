package csrc

import (
	"fmt"

	"likc/compiler/diff"
	"likc/compiler/emit"
	"likc/compiler/expr"
	"likc/compiler/lower"
)

// AsWrittenName is the name of the interface that AsWritten prints.
const AsWrittenName = "aswritten"

// AsWritten prints the model as one would write it in C by hand: for each group one loop over the trials that evaluates
// the log density as it stands in the model and its derivatives by the chain rule, common subexpressions shared, those of
// parameters alone before the loop. Nothing is simplified, separated or computed when data are bound, and the loop is
// left to the C compiler, but for one pass of gcc that keeps it from vectorising such loops. It is the peer that emitted code is timed against. The files are aswritten.c, aswritten.h and
// the program aswritten_test.c, with the interface and the benchmark of [Emitter]'s.
func AsWritten(m *expr.Model) ([]emit.File, error) {
	var groups []lower.Group
	for _, g := range m.Groups() {
		total := expr.SumOver(g.Name, g.LogLik)
		groups = append(groups, lower.Group{Name: g.Name, Choice: g.Choice, Total: total,
			Grad: diff.Gradient(total, m.ParamNames()), Support: g.Support})
	}
	p, err := lower.Program(m, groups)
	if err != nil {
		return nil, fmt.Errorf("as written: %w", err)
	}
	return emitFiles(p, emit.Config{Package: AsWrittenName, Model: m, Cases: emit.MakeCases(m, 1)}, true)
}
