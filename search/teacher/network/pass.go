package network

import "likc/runtime/gemm"

// Workspace is the memory of passes over batches of up to a number of rows: one a goroutine.
type Workspace struct {
	rows      int
	input     []float32
	sums      [][]float32 // z of every layer, [rows][out]
	active    [][]float32 // f(z)
	delta     [2][]float32
	scratch   []float32
	transpose []float32
}

// NewWorkspace returns the memory for batches of at most rows.
func (n *Network) NewWorkspace(rows int) *Workspace {
	w := &Workspace{}
	widest, largest := 0, 0
	for _, l := range n.layers {
		w.sums = append(w.sums, make([]float32, rows*l.out))
		w.active = append(w.active, make([]float32, rows*l.out))
		widest = max(widest, l.in, l.out)
		largest = max(largest, l.in*l.out)
	}
	for i := range w.delta {
		w.delta[i] = make([]float32, rows*widest)
	}
	w.scratch = make([]float32, rows*widest)
	w.transpose = make([]float32, largest)
	return w
}

// Forward runs a batch x, row-major [rows][inputs], and returns the outputs, [rows][outputs], which the next Forward with w
// overwrites. x must stay as it is until Backward.
func (n *Network) Forward(w *Workspace, x []float32) []float32 {
	w.rows = len(x) / n.Inputs()
	w.input = x
	for i, l := range n.layers {
		z, y := w.sums[i][:w.rows*l.out], w.active[i][:w.rows*l.out]
		gemm.Product(z, w.rows, l.out, l.in, x, l.in, 1, n.matrix(l))
		addRow(z, n.bias(l))
		l.activation.apply(y, z)
		x = y
	}
	return x
}

// Backward runs derivatives in the outputs of the last Forward, [rows][outputs], back. It overwrites grad, as long as
// Weights, with the derivatives in the weights summed over rows (nil: not wanted), and dx, [rows][inputs], with those in
// the inputs (nil: not wanted).
func (n *Network) Backward(w *Workspace, dy, grad, dx []float32) {
	delta, next := w.delta[0][:len(dy)], w.delta[1]
	copy(delta, dy)
	for i := len(n.layers) - 1; i >= 0; i-- {
		l := n.layers[i]
		size := w.rows * l.out
		l.activation.slope(delta, w.sums[i][:size], w.active[i][:size], w.scratch[:size])
		if grad != nil {
			x := w.input
			if i > 0 {
				x = w.active[i-1]
			}
			gemm.Product(grad[l.at:l.at+l.in*l.out], l.in, l.out, w.rows, x, 1, l.in, delta)
			sumRows(grad[l.at+l.in*l.out:l.at+(l.in+1)*l.out], delta)
		}
		if i == 0 && dx == nil {
			return
		}
		back := next[:w.rows*l.in]
		if i == 0 {
			back = dx[:w.rows*l.in]
		}
		across := w.transpose[:l.in*l.out]
		transpose(across, n.matrix(l), l.in, l.out)
		gemm.Product(back, w.rows, l.in, l.out, delta, l.out, 1, across)
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
