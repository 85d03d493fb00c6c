// Package backprop trains networks: forward passes over batches in single precision, gradients of weights and inputs by
// backpropagation, and Adam. Each row of a batch is a sample. The same seed gives the same bits for any number of threads, because a
// batch is cut into shards of a fixed size whose gradients are added in order.
package backprop

import (
	"likc/runtime/model/neural/network"
	"likc/runtime/num/gemm"
)

// Workspace is the memory for one network's passes over batches of at most a fixed number of rows. Each goroutine needs its own.
type Workspace struct {
	layers    []network.Layer
	rows      int
	input     []float32
	sums      [][]float32  // inputs of each layer's activation f, [rows][out]
	active    [][]float32  // outputs of each layer's activation, [rows][out]
	delta     [2][]float32 // derivatives of the loss in the outputs of a layer and of the layer before it, [rows][out]
	scratch   []float32    // working memory of multiplySlope, [rows][out]
	transpose []float32    // the transposed weights of one layer, [out][in]
}

// NewWorkspace returns the memory for batches of at most `rows` rows. It keeps no copy of the network's weights: training may change
// them between two passes.
func NewWorkspace(n *network.Network, rows int) *Workspace {
	w := &Workspace{layers: n.Layers()}
	widest, largest := 0, 0
	for _, l := range w.layers {
		w.sums = append(w.sums, make([]float32, rows*l.Outputs))
		w.active = append(w.active, make([]float32, rows*l.Outputs))
		widest = max(widest, l.Inputs, l.Outputs)
		largest = max(largest, l.Inputs*l.Outputs)
	}
	for i := range w.delta {
		w.delta[i] = make([]float32, rows*widest)
	}
	w.scratch = make([]float32, rows*widest)
	w.transpose = make([]float32, largest)
	return w
}

// Forward runs a batch x, row-major [rows][inputs], and returns the outputs, [rows][outputs], which the next Forward
// overwrites. x must stay as it is until Backward.
func (w *Workspace) Forward(x []float32) []float32 {
	w.rows = len(x) / w.layers[0].Inputs
	w.input = x
	for i, l := range w.layers {
		z, y := w.sums[i][:w.rows*l.Outputs], w.active[i][:w.rows*l.Outputs]
		gemm.Product(z, w.rows, l.Outputs, l.Inputs, x, l.Inputs, 1, l.Weights)
		addRow(z, l.Bias)
		apply(l.Activation, y, z)
		x = y
	}
	return x
}

// Backward propagates dy, the derivatives of the loss in the outputs of the last Forward, [rows][outputs], back through the network.
// It overwrites grad with the derivatives in the weights, summed over the rows, and dx, [rows][inputs], with the derivatives in the
// inputs. A nil grad or dx is not computed.
func (w *Workspace) Backward(dy, grad, dx []float32) {
	delta, next := w.delta[0][:len(dy)], w.delta[1]
	copy(delta, dy)
	end := len(grad)
	for i := len(w.layers) - 1; i >= 0; i-- {
		l := w.layers[i]
		size := w.rows * l.Outputs
		multiplySlope(l.Activation, delta, w.sums[i][:size], w.active[i][:size], w.scratch[:size])
		if grad != nil {
			x := w.input
			if i > 0 {
				x = w.active[i-1]
			}
			sumRows(grad[end-l.Outputs:end], delta)
			end -= l.Outputs
			size := l.Inputs * l.Outputs
			gemm.Product(grad[end-size:end], l.Inputs, l.Outputs, w.rows, x, 1, l.Inputs, delta)
			end -= size
		}
		if i == 0 && dx == nil {
			return
		}
		back := next[:w.rows*l.Inputs]
		if i == 0 {
			back = dx[:w.rows*l.Inputs]
		}
		across := w.transpose[:l.Inputs*l.Outputs]
		transpose(across, l.Weights, l.Inputs, l.Outputs)
		gemm.Product(back, w.rows, l.Inputs, l.Outputs, delta, l.Outputs, 1, across)
		delta, next = back, delta[:cap(delta)]
	}
}

// addRow adds row to every row of z.
func addRow(z, row []float32) {
	for len(z) > 0 {
		for j, b := range row {
			z[j] += b
		}
		z = z[len(row):]
	}
}

// sumRows sets dst to the sum of the rows of z.
func sumRows(dst, z []float32) {
	clear(dst)
	for len(z) > 0 {
		for j, x := range z[:len(dst)] {
			dst[j] += x
		}
		z = z[len(dst):]
	}
}

// transpose sets dst, [columns][rows], to the transpose of src, [rows][columns].
func transpose(dst, src []float32, rows, columns int) {
	for r := range rows {
		for c, x := range src[r*columns : (r+1)*columns] {
			dst[c*rows+r] = x
		}
	}
}
