package engine

import (
	"slices"

	"likc/compiler/expr"
	"likc/runtime/num/isa"
	"likc/runtime/num/polynomial"
)

// boundAt is the binding function of a model, with derivatives: the parameters at which its expression is taken, and the tilt, as functions of
// the model's own parameters. It is safe for concurrent use; each goroutine has a [boundSpace] of its own.
type boundAt struct {
	dim, out    int // parameters of the model, and values of the function
	inputs      *inputs
	polynomials *polynomial.Set
	places      []int // by polynomial: the value to which it is added
}

// newBoundAt returns the binding function of a model that has one.
func newBoundAt(m *expr.Model) *boundAt {
	b := m.Binding
	f := &boundAt{dim: len(m.Params), out: len(m.Params), inputs: newInputs(b.Inputs, m.ParamNames())}
	var outputs [][]polynomial.Term
	for _, s := range b.Shifts {
		outputs, f.places = append(outputs, polynomialTerms(s.Terms)), append(f.places, m.ParamIndex(s.Param))
	}
	if b.Tilt != nil {
		outputs, f.places = append(outputs, polynomialTerms(b.Tilt)), append(f.places, f.dim)
		f.out++
	}
	f.polynomials = polynomial.New(len(b.Inputs), outputs)
	return f
}

func polynomialTerms(terms []expr.BindingTerm) (all []polynomial.Term) {
	for _, t := range terms {
		all = append(all, polynomial.Term(t))
	}
	return all
}

// use has the polynomials use an instruction set.
func (f *boundAt) use(level isa.Level) { f.polynomials.Use(level) }

// boundSpace is the memory of an evaluation.
type boundSpace struct {
	memory, x, xBars []float64 // of the inputs, their values, and derivatives with respect to them
	bars             []float64 // derivatives with respect to the polynomials
	polynomials      *polynomial.Space
}

func (f *boundAt) newSpace() *boundSpace {
	n := len(f.inputs.roots)
	return &boundSpace{slices.Clone(f.inputs.memory), make([]float64, n), make([]float64, n), make([]float64, len(f.places)), f.polynomials.NewSpace()}
}

// at sets bound, of length f.out, to the values of the binding function.
func (f *boundAt) at(s *boundSpace, theta, bound []float64) {
	f.inputs.at(s.memory, theta, s.x)
	f.polynomials.At(s.polynomials, s.x)
	if copy(bound, theta); f.out > f.dim {
		bound[f.dim] = 0
	}
	for o, place := range f.places {
		bound[place] += s.polynomials.Value(o)
	}
}

// back applies the chain rule in place, at the parameters of the last call of at with this space: grad holds derivatives with respect
// to the values of the binding function, and its first elements become those with respect to the model's own parameters.
func (f *boundAt) back(s *boundSpace, grad []float64) {
	for o, place := range f.places {
		s.bars[o] = grad[place]
	}
	f.polynomials.Back(s.polynomials, s.bars, s.xBars)
	f.inputs.back(s.memory, s.xBars, grad)
}
