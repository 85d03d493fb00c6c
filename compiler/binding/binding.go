// Package binding evaluates the binding function of a model. It maps the model's parameters to those at which its expression is
// evaluated. The estimates of a wrong likelihood converge to the binding function of the true parameters. So estimates of the
// same likelihood, evaluated at the binding function, converge to the true parameters themselves.
//
// Reference: [gourieroux1993] C. Gouriéroux, A. Monfort, E. Renault, Indirect inference, Journal of Applied Econometrics 8, 1993.
package binding

import (
	"slices"

	"likc/compiler/expr"
)

// Map is a binding function of a model. It is safe for concurrent use; each goroutine has a [Trace] of its own.
type Map struct {
	dim    int        // the number of the model's parameters
	inputs *expr.Tape // evaluates the inputs
	count  int        // the number of inputs
	degree int        // the highest degree of a Chebyshev polynomial in any product

	products [][]int  // for each distinct product of Chebyshev polynomials: the degree in each input
	outputs  []output // one output for each shifted parameter, then one for the tilt
	// tilted says whether the function has a tilt: one more value, which changes the density's shape and is no parameter.
	tilted bool
}

// output is a linear combination of products that is added to one value of the function.
type output struct {
	index        int   // index of the value in the result of [Map.At]
	product      []int // indexes in [Map.products], one for each coefficient
	coefficients []float64
}

// Of returns the binding function of a model that has one.
func Of(m *expr.Model) *Map {
	b, names := m.Binding, m.ParamNames()
	f := &Map{dim: len(m.Params), count: len(b.Inputs), tilted: b.Tilt != nil}
	f.inputs = expr.NewTape(names, b.Inputs...)
	for _, s := range b.Shifts {
		f.addOutput(m.ParamIndex(s.Param), s.Terms)
	}
	if f.tilted {
		f.addOutput(f.dim, b.Tilt)
	}
	return f
}

// addOutput adds an output: the polynomial that shifts the value at the index.
func (f *Map) addOutput(index int, terms []expr.BindingTerm) {
	out := output{index: index}
	for _, t := range terms {
		k := slices.IndexFunc(f.products, func(d []int) bool { return slices.Equal(d, t.Degrees) })
		if k < 0 {
			k, f.products = len(f.products), append(f.products, t.Degrees)
		}
		for _, d := range t.Degrees {
			f.degree = max(f.degree, d)
		}
		out.product, out.coefficients = append(out.product, k), append(out.coefficients, t.Coefficient)
	}
	f.outputs = append(f.outputs, out)
}

// Dim returns the number of the model's own parameters.
func (f *Map) Dim() int { return f.dim }

// Out returns the number of values of the function: the parameters, then the tilt if there is one.
func (f *Map) Out() int {
	if f.tilted {
		return f.dim + 1
	}
	return f.dim
}

// Trace holds the intermediate results of an evaluation, so that evaluations allocate nothing.
type Trace struct {
	inputs   []float64
	powers   [][]float64 // for each input, its Chebyshev polynomials by degree
	products []float64
}

// NewTrace returns memory for evaluations.
func (f *Map) NewTrace() *Trace {
	t := &Trace{inputs: make([]float64, 0, f.count), products: make([]float64, len(f.products))}
	for range f.count {
		t.powers = append(t.powers, make([]float64, f.degree+2))
	}
	return t
}

// At sets bound, of length [Map.Out], to the parameters at which the expression is evaluated, then the tilt if there is one.
// theta holds the model's own parameters.
func (f *Map) At(t *Trace, theta, bound []float64) {
	t.inputs, _ = f.inputs.Eval(t.inputs[:0], theta)
	for i, x := range t.inputs {
		chebyshev(t.powers[i], x)
	}
	for k, degrees := range f.products {
		p := 1.0
		for i, d := range degrees {
			p *= t.powers[i][d]
		}
		t.products[k] = p
	}
	copy(bound, theta)
	if f.tilted {
		bound[f.dim] = 0
	}
	for i := range f.outputs {
		o, sum := &f.outputs[i], 0.0
		for j, c := range o.coefficients {
			sum += c * t.products[o.product[j]]
		}
		bound[o.index] += sum
	}
}

// chebyshev sets the polynomials T of each degree at x: T[k+1] = 2x T[k] - T[k-1].
func chebyshev(value []float64, x float64) {
	value[0], value[1] = 1, x
	for k := 2; k < len(value); k++ {
		value[k] = 2*x*value[k-1] - value[k-2]
	}
}
