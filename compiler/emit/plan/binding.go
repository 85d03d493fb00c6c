package plan

import (
	"slices"
	"strconv"
	"strings"

	"likc/compiler/diff"
	"likc/compiler/emit"
	"likc/compiler/expr"
)

// Binding has the parts of a binding function that printers need: its inputs with their derivatives, its polynomials as tables,
// and the grid of the integral. Polynomial o is Σ c·p over all products p, where c is element o of the product's coefficients.
type Binding struct {
	*emit.Binding
	Values   []string // names of the function's values: the model's parameters, then "tilt" if there is one
	Inputs   []*expr.Expr
	Slopes   []Slope
	Places   []int // for each polynomial, the index of the value that it is added to
	Degree   int   // the highest degree of a Chebyshev polynomial
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

// BindingOf returns the tables of a binding function, or nil for a model without one.
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

// slopes sets the derivatives of the inputs, except those that are always 0.
func (b *Binding) slopes() {
	for i, x := range b.Inputs {
		for j, d := range diff.Gradient(x, b.Model.ParamNames()) {
			if d.Op != expr.Const || d.Value != 0 {
				b.Slopes = append(b.Slopes, Slope{i, j, d})
			}
		}
	}
}

// products sets the products that occur in the polynomials, each once, sorted by degree.
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

// grid sets the grid's points. It takes those of the first choice, because they are the same for all choices.
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

// InputParts returns the inputs, their derivatives and all their subexpressions. Operands come before expressions that use
// them.
func (b *Binding) InputParts() []*expr.Expr {
	roots := slices.Clone(b.Inputs)
	for _, s := range b.Slopes {
		roots = append(roots, s.Value)
	}
	return expr.Order(roots...)
}

// Speller says how a language writes a part of an input. T is the type of a piece of code.
type Speller[T any] struct {
	Number func(x float64) T
	Param  func(name string, index int) T
	Apply  func(op expr.Op, args []T) T
}

// SpellInputs writes the parts of the inputs in order. It returns the name or literal of each part.
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

// Listed returns whole numbers as text, separated by commas.
func Listed(numbers []int) string {
	var words []string
	for _, n := range numbers {
		words = append(words, strconv.Itoa(n))
	}
	return strings.Join(words, ", ")
}
