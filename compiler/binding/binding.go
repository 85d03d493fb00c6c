// Package binding evaluates the binding function of a model: the parameters at which its expression is taken, as a function of the
// model's own. The estimates of a wrong likelihood converge to the binding function of the true parameters; a likelihood that is taken
// at the binding function converges to the true parameters themselves.
//
// Reference: [gourieroux1993] C. Gouriéroux, A. Monfort, E. Renault, Indirect inference, Journal of Applied Econometrics 8, 1993.
package binding

import (
	"math"

	"likc/compiler/expr"
)

// Map is a binding function of a model. It is safe for concurrent use; each goroutine has a [Trace] of its own.
type Map struct {
	dim    int
	inputs []input
	sizes  []int       // of the inputs and of each hidden layer
	layers [][]float64 // by hidden layer: rows of units
	shifts []shift
}

type input struct {
	param int
	log   bool
}

type shift struct {
	param   int
	weights []float64
}

// Of returns the binding function of a model that has one.
func Of(m *expr.Model) *Map {
	b := m.Binding
	f := &Map{dim: len(m.Params), sizes: []int{len(b.Inputs)}}
	for _, in := range b.Inputs {
		f.inputs = append(f.inputs, input{m.ParamIndex(in.Param), in.Log})
	}
	for _, layer := range b.Hidden {
		f.sizes = append(f.sizes, len(layer))
		var rows []float64
		for _, row := range layer {
			rows = append(rows, row...)
		}
		f.layers = append(f.layers, rows)
	}
	for _, s := range b.Shifts {
		f.shifts = append(f.shifts, shift{m.ParamIndex(s.Param), s.Weights})
	}
	return f
}

// Dim is the number of parameters.
func (f *Map) Dim() int { return f.dim }

// Trace is the memory of an evaluation.
type Trace struct {
	units [][]float64 // inputs, and by hidden layer the units
	bars  [][]float64 // derivatives with respect to them
	slope []float64   // of each input with respect to its parameter
}

// NewTrace returns memory for evaluations.
func (f *Map) NewTrace() *Trace {
	t := &Trace{slope: make([]float64, len(f.inputs))}
	for _, n := range f.sizes {
		t.units, t.bars = append(t.units, make([]float64, n)), append(t.bars, make([]float64, n))
	}
	return t
}

// At sets bound to the parameters at which the expression is taken.
func (f *Map) At(t *Trace, theta, bound []float64) {
	for i, in := range f.inputs {
		x, slope := theta[in.param], 1.0
		if in.log {
			x, slope = math.Log(x), 1/x
		}
		t.units[0][i], t.slope[i] = x, slope
	}
	for l, rows := range f.layers {
		from, to := t.units[l], t.units[l+1]
		for i := range to {
			row := rows[i*(len(from)+1) : (i+1)*(len(from)+1)]
			to[i] = math.Tanh(affine(row, from))
		}
	}
	copy(bound, theta)
	last := t.units[len(t.units)-1]
	for _, s := range f.shifts {
		bound[s.param] += affine(s.weights, last)
	}
}

// affine is a constant plus weights times x.
func affine(row, x []float64) float64 {
	sum, weights := row[0], row[1:][:len(x)]
	for k, w := range weights {
		sum += w * x[k]
	}
	return sum
}

// Back turns grad, the gradient of something with respect to the parameters that At has set last with the trace, into its gradient
// with respect to the model's own parameters.
func (f *Map) Back(t *Trace, grad []float64) {
	for _, bar := range t.bars {
		clear(bar)
	}
	last := t.bars[len(t.bars)-1]
	for _, s := range f.shifts {
		for k, w := range s.weights[1:] {
			last[k] += w * grad[s.param]
		}
	}
	for l := len(f.layers) - 1; l >= 0; l-- {
		n := len(t.units[l]) + 1
		for i, y := range t.units[l+1] {
			bar := t.bars[l+1][i] * (1 - y*y)
			for k, w := range f.layers[l][i*n+1 : (i+1)*n] {
				t.bars[l][k] += w * bar
			}
		}
	}
	for i, in := range f.inputs {
		grad[in.param] += t.bars[0][i] * t.slope[i]
	}
}
