package engine

import (
	"errors"

	"likc/runtime/model/kernel"
)

// linear is a density that takes one of its parameters as a linear combination of coefficients.
type linear interface {
	Linear() int
	BindLinear(rt, choice []float64, values *kernel.Combinations) (kernel.Sum, error)
}

// Linear returns the index of the parameter that BindLinear takes as a linear combination of coefficients, -1 for none.
func (b *Binder) Linear() int {
	if b.linear == nil {
		return -1
	}
	return b.linear.Linear()
}

// BindLinear gives trials to a log-likelihood in which one parameter is a linear combination of coefficients, one a trial. The
// coefficients stand in the parameter's place among the parameters of the likelihood.
func (b *Binder) BindLinear(columns [][]float64, choice []float64, values *kernel.Combinations) (kernel.Sum, error) {
	if b.linear == nil {
		return nil, errors.New("no parameter of the model may be a linear combination")
	}
	return b.linear.BindLinear(columns[0], choice, values)
}
