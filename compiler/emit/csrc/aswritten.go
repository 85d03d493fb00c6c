package csrc

import (
	"fmt"
	"math"

	"likc/compiler/diff"
	"likc/compiler/emit"
	"likc/compiler/expr"
	"likc/compiler/ir"
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
// as in the files of [Emitter]. If the chain rule writes a derivative as a difference of terms so large that no digit of it is
// right, the result is an error.
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
	cases := emit.MakeCases(m, 1)
	if err := checkSlopes(p, cases); err != nil {
		return nil, fmt.Errorf("as written: %w", err)
	}
	return emitFiles(p, emit.Config{Package: AsWrittenName, Model: m, Cases: cases}, true)
}

// slopeTolerance bounds the error of a derivative, relative to the scale of rounding errors; the printed test program has the
// same bound.
const slopeTolerance = 1e-10

// checkSlopes interprets a program on cases. It returns an error that names a derivative which differs from the case's.
func checkSlopes(p *ir.Program, cases []emit.Case) error {
	for _, c := range cases {
		b, err := ir.Bind(p, c.Columns, c.Choice)
		if err != nil {
			return err
		}
		slopes := make([]float64, len(c.Theta))
		b.LogLikGrad(c.Theta, slopes)
		for j, want := range c.Grad {
			if !(math.Abs(slopes[j]-want) <= slopeTolerance*(c.Scale+math.Abs(want))) {
				return fmt.Errorf("the derivative by %s: a difference of terms so large that their rounding leaves %.6g where %.6g is right",
					p.Params[j].Name, slopes[j], want)
			}
		}
	}
	return nil
}
