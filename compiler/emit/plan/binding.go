package plan

import (
	"slices"

	"likc/compiler/emit"
	"likc/compiler/expr"
)

// Binding is a binding function as tables: value Places[o] of the function is the parameter of that name, or 0 for a tilt, plus the sum over
// products of their coefficient o times the product.
type Binding struct {
	Values   []string // what the function gives: the model's parameters, then the tilt if there is one
	Inputs   []*expr.Expr
	Places   []int // by polynomial
	Degree   int   // the highest
	Products []Product

	U, LogWeight []float64 // the grid of the integral, at each choice the same
	Choices      []float64 // nil for a model without choice
}

// Product is a product of Chebyshev polynomials, one of each input, of the given degrees, with its coefficient in each polynomial.
type Product struct {
	Degrees      []int
	Coefficients []float64
}

// BindingOf lays a binding function out in tables.
func BindingOf(e *emit.Binding) *Binding {
	m := e.Model
	b := &Binding{Values: m.ParamNames(), Inputs: m.Binding.Inputs}
	for _, s := range m.Binding.Shifts {
		b.Places = append(b.Places, m.ParamIndex(s.Param))
	}
	if m.Binding.Tilt != nil {
		b.Places, b.Values = append(b.Places, len(b.Values)), append(b.Values, "tilt")
	}
	for o, terms := range m.Binding.Polynomials() {
		for _, t := range terms {
			b.add(o, t)
		}
	}
	if len(b.Products) == 0 { // polynomials without terms
		b.add(0, expr.BindingTerm{Degrees: make([]int, len(b.Inputs))})
	}
	slices.SortFunc(b.Products, func(x, y Product) int { return slices.Compare(x.Degrees, y.Degrees) })
	n := len(e.Columns[0])
	if e.Choice != nil {
		n = slices.IndexFunc(e.Choice, func(c float64) bool { return c != e.Choice[0] })
		for k := 0; k < len(e.Choice); k += n {
			b.Choices = append(b.Choices, e.Choice[k])
		}
	}
	b.U, b.LogWeight = e.Columns[0][:n], e.Columns[1][:n]
	return b
}

// add enters a term of polynomial o.
func (b *Binding) add(o int, t expr.BindingTerm) {
	k := slices.IndexFunc(b.Products, func(p Product) bool { return slices.Equal(p.Degrees, t.Degrees) })
	if k < 0 {
		k = len(b.Products)
		b.Products = append(b.Products, Product{t.Degrees, make([]float64, len(b.Places))})
	}
	b.Products[k].Coefficients[o] += t.Coefficient
	b.Degree = max(b.Degree, slices.Max(t.Degrees))
}
