package expr

import "slices"

// Lapse says that a share of the trials are lapses: their response times are uniform from 0 to Until, in seconds, and their choices are
// equally frequent.
type Lapse struct{ Probability, Until float64 }

// Binding says that the log density is evaluated at other parameters than the model's own: each is the model's parameter plus a shift,
// and the shifts are a network of the inputs. Package binding evaluates it.
type Binding struct {
	Inputs []BindingInput
	Hidden []BindingLayer // units take the hyperbolic tangent of their sums
	Shifts []BindingShift // of the parameters that are shifted
}

// BindingInput is a parameter, or its log.
type BindingInput struct {
	Param string
	Log   bool
}

// BindingLayer is the units of a layer, each a row: a constant, then a weight for each input or unit of the layer before.
type BindingLayer [][]float64

// BindingShift is what is added to a parameter: a constant, then a weight for each unit of the last hidden layer.
type BindingShift struct {
	Param   string
	Weights []float64
}

// Weights is how many numbers the binding has.
func (b *Binding) Weights() (n int) {
	for _, layer := range b.Hidden {
		for _, row := range layer {
			n += len(row)
		}
	}
	for _, s := range b.Shifts {
		n += len(s.Weights)
	}
	return n
}

func (b *Binding) equal(o *Binding) bool {
	if b == nil || o == nil {
		return b == o
	}
	same := func(x, y []float64) bool { return slices.Equal(x, y) }
	return slices.Equal(b.Inputs, o.Inputs) &&
		slices.EqualFunc(b.Hidden, o.Hidden, func(x, y BindingLayer) bool { return slices.EqualFunc(x, y, same) }) &&
		slices.EqualFunc(b.Shifts, o.Shifts, func(x, y BindingShift) bool { return x.Param == y.Param && same(x.Weights, y.Weights) })
}

func (l *Lapse) equal(o *Lapse) bool { return l == o || l != nil && o != nil && *l == *o }

// Width is how many values the next row of weights has to take: those of the last hidden layer so far, or the inputs.
func (b *Binding) Width() int {
	if n := len(b.Hidden); n > 0 {
		return len(b.Hidden[n-1])
	}
	return len(b.Inputs)
}
