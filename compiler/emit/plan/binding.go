package plan

import (
	"slices"
	"strconv"
	"strings"

	"likc/compiler/diff"
	"likc/compiler/emit"
	"likc/compiler/expr"
)

// Binding is what printers need of a binding function: its inputs with their derivatives, its polynomials as tables, and the grid of the
// integral. Polynomial o is the sum over all products of the product's coefficient o times the product.
type Binding struct {
	*emit.Binding
	Values   []string // names of the function's values: the model's parameters, then "tilt" if there is one
	Inputs   []*expr.Expr
	Slopes   []Slope
	Places   []int // for each polynomial, the index of the value that it is added to
	Degree   int   // the highest of all inputs
	Products []Product

	U, LogWeight []float64 // the grid's times since the onset in seconds, and the logs of their weights: the same for each choice
	Choices      []float64 // nil for a model without choice
}

// Slope is a derivative of an input with respect to one of the model's parameters.
type Slope struct {
	Input, Param int
	Value        *expr.Expr
}

// Product is a product of Chebyshev polynomials: the degree in each input, and the product's coefficient in each polynomial.
type Product struct {
	Degrees      []int
	Coefficients []float64
}

// BindingOf lays a binding function out in tables; it is nil for a model without one.
func BindingOf(e *emit.Binding) *Binding {
	if e == nil {
		return nil
	}
	m := e.Model
	b := &Binding{Binding: e, Values: m.ParamNames(), Inputs: m.Binding.Inputs}
	for _, s := range m.Binding.Shifts {
		b.Places = append(b.Places, m.ParamIndex(s.Param))
	}
	if m.Binding.Tilt != nil {
		b.Places, b.Values = append(b.Places, len(b.Values)), append(b.Values, "tilt")
	}
	b.slopes()
	b.products()
	b.grid()
	return b
}

// slopes lists the derivatives of the inputs that are not 0 everywhere.
func (b *Binding) slopes() {
	for i, x := range b.Inputs {
		for j, d := range diff.Gradient(x, b.Model.ParamNames()) {
			if d.Op != expr.Const || d.Value != 0 {
				b.Slopes = append(b.Slopes, Slope{i, j, d})
			}
		}
	}
}

// products lists the products that the polynomials are made of, each once, by degree.
func (b *Binding) products() {
	for o, terms := range b.Model.Binding.Polynomials() {
		for _, t := range terms {
			k := slices.IndexFunc(b.Products, func(p Product) bool { return slices.Equal(p.Degrees, t.Degrees) })
			if k < 0 {
				k = len(b.Products)
				b.Products = append(b.Products, Product{t.Degrees, make([]float64, len(b.Places))})
			}
			b.Products[k].Coefficients[o] += t.Coefficient
			b.Degree = max(b.Degree, slices.Max(t.Degrees))
		}
	}
	slices.SortFunc(b.Products, func(x, y Product) int { return slices.Compare(x.Degrees, y.Degrees) })
}

// grid takes the grid's points of the first choice, after which those of the others are the same.
func (b *Binding) grid() {
	n := len(b.Columns[0])
	if b.Choice != nil {
		n = slices.IndexFunc(b.Choice, func(c float64) bool { return c != b.Choice[0] })
		for k := 0; k < len(b.Choice); k += n {
			b.Choices = append(b.Choices, b.Choice[k])
		}
	}
	b.U, b.LogWeight = b.Columns[0][:n], b.Columns[1][:n]
}

// InputParts returns the inputs and their derivatives with all that they are made of: operands before what is made of them.
func (b *Binding) InputParts() []*expr.Expr {
	roots := slices.Clone(b.Inputs)
	for _, s := range b.Slopes {
		roots = append(roots, s.Value)
	}
	return expr.Order(roots...)
}

// Speller says how a language writes a part of an input. T is a piece of its code.
type Speller[T any] struct {
	Number func(x float64) T
	Param  func(name string, index int) T
	Apply  func(op expr.Op, args []T) T
}

// SpellInputs writes the parts of the inputs in their order, and returns what each is called in the language.
func SpellInputs[T any](b *Binding, s Speller[T]) map[*expr.Expr]T {
	known := map[*expr.Expr]T{}
	for _, n := range b.InputParts() {
		switch n.Op {
		case expr.Const:
			known[n] = s.Number(n.Value)
		case expr.Sym:
			known[n] = s.Param(n.Name, b.Model.ParamIndex(n.Name))
		default:
			var args []T
			for _, a := range n.Args {
				args = append(args, known[a])
			}
			known[n] = s.Apply(n.Op, args)
		}
	}
	return known
}

// Listed writes whole numbers with commas between them, as every language does.
func Listed(numbers []int) string {
	var words []string
	for _, n := range numbers {
		words = append(words, strconv.Itoa(n))
	}
	return strings.Join(words, ", ")
}
