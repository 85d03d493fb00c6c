package network

import (
	"likc/runtime/num/gemm"
	"likc/runtime/num/vec"
)

// Double evaluates a network in double precision, a few samples at a time, with derivatives with respect to the inputs. The result is smooth
// enough for samplers and finite differences. It holds a copy of the weights and never changes.
type Double struct {
	layers []doubleLayer
}

// doubleLayer is a layer y = f(x·W + b).
type doubleLayer struct {
	in, out    int
	activation Activation
	weights    []float64 // W, [in][out]
	transposed []float64 // W transposed, [out][in]
	bias       []float64
}

// Double returns a copy of the network in double precision.
func (n *Network) Double() *Double {
	d := &Double{}
	for _, l := range n.Layers() {
		y := doubleLayer{l.Inputs, l.Outputs, l.Activation, Widen(l.Weights), make([]float64, l.Inputs*l.Outputs), Widen(l.Bias)}
		for r := range l.Inputs {
			for c := range l.Outputs {
				y.transposed[c*l.Inputs+r] = y.weights[r*l.Outputs+c]
			}
		}
		d.layers = append(d.layers, y)
	}
	return d
}

// Widen returns a copy of x in double precision.
func Widen(x []float32) []float64 {
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = float64(v)
	}
	return y
}

// Trace is the working memory of one evaluation. Each goroutine needs its own.
type Trace struct {
	rows   int          // number of samples of the last Forward
	active [][]float64  // activations of every layer, a row for each sample
	slope  [][]float64  // derivatives f' of the activation in every layer
	delta  [2][]float64 // derivatives with respect to the outputs of two neighbouring layers
}

// NewTrace returns the memory for evaluations of at most `rows` samples.
func (d *Double) NewTrace(rows int) *Trace {
	t := &Trace{}
	widest := 0
	for _, l := range d.layers {
		t.active = append(t.active, make([]float64, rows*l.out+spare))
		t.slope = append(t.slope, make([]float64, rows*l.out+spare))
		widest = max(widest, l.in, l.out)
	}
	t.delta = [2][]float64{make([]float64, rows*widest), make([]float64, rows*widest)}
	return t
}

// Forward returns the outputs for x, which has a row for each sample. The next Forward with t overwrites them. The outputs of a
// sample do not depend on the other samples.
func (d *Double) Forward(t *Trace, x []float64) []float64 {
	t.rows = len(x) / d.layers[0].in
	for i := range d.layers {
		l := &d.layers[i]
		y := t.active[i][:t.rows*l.out]
		for row := 0; row < len(y); row += l.out {
			copy(y[row:], l.bias)
		}
		gemm.AddRows(y, x, l.weights, l.in, l.out)
		l.activation.apply(y, t.slope[i][:len(y)])
		x = y
	}
	return x
}

// Backward converts dy, derivatives with respect to the outputs of the last Forward, into derivatives with respect to its inputs. It
// overwrites dx with them, a row for each sample.
func (d *Double) Backward(t *Trace, dy, dx []float64) {
	delta := t.delta[0][:len(dy)]
	copy(delta, dy)
	for i := len(d.layers) - 1; i >= 0; i-- {
		l := &d.layers[i]
		vec.Mul(delta, delta, t.slope[i][:len(delta)])
		back := t.delta[(len(d.layers)-i)%2][:t.rows*l.in]
		if i == 0 {
			back = dx[:t.rows*l.in]
		}
		clear(back)
		gemm.AddRows(back, delta, l.transposed, l.out, l.in)
		delta = back
	}
}

// Tangent is the working memory of Forwards. Each goroutine needs its own.
type Tangent struct{ change [][]float64 }

// NewTangent returns the memory for derivatives of at most `rows` samples.
func (d *Double) NewTangent(rows int) *Tangent {
	t := &Tangent{}
	for _, l := range d.layers {
		t.change = append(t.change, make([]float64, rows*l.out))
	}
	return t
}

// Forwards returns directional derivatives: the rates at which the outputs of the last Forward with t change if the inputs change by dx, a
// row for each sample. The next Forwards with w overwrites them.
func (d *Double) Forwards(t *Trace, w *Tangent, dx []float64) []float64 {
	for i := range d.layers {
		l := &d.layers[i]
		y := w.change[i][:t.rows*l.out]
		clear(y)
		gemm.AddRows(y, dx, l.weights, l.in, l.out)
		vec.Mul(y, y, t.slope[i][:len(y)])
		dx = y
	}
	return dx
}
