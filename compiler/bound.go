package compiler

import (
	"fmt"

	"likc/compiler/emit"
	"likc/compiler/expr"
	"likc/compiler/normal"
)

// CompileBound compiles a normalised model with a binding function in two parts. The unit's program is the log density as a
// function of the bound parameters and of log Z. The other part is the integral, which gives log Z. Files puts the two
// together. A model without a binding function is taken for one whose function changes no parameter.
func CompileBound(m *expr.Model, o Options) (*Unit, error) {
	parts, err := normal.Of(m)
	if err != nil {
		return nil, err
	}
	written, err := normal.Inlined(m)
	if err != nil {
		return nil, err
	}
	given := *parts.Given()
	given.Name = m.Name
	u, err := Compile(&given, o)
	if err != nil {
		return nil, err
	}
	o.SplitGradient = true
	integral, err := Compile(parts.Integral, o)
	if err != nil {
		return nil, fmt.Errorf("the integral of %s: %w", m.Name, err)
	}
	u.binding = &emit.Binding{Model: normal.Bound(m), Given: &given, Integral: integral.Program, Log: parts.Log, Columns: parts.Columns, Choice: parts.Choice, Typical: parts.Typical}
	u.written = written
	return u, nil
}
