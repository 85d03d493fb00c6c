package onnx

import (
	"errors"
	"fmt"
	"slices"

	"likc/runtime/model/neural/lan"
)

// value is a row of numbers that depends on the trial: scale·(W·h) + shift, where h is the output of the layers, or the input if there is
// none. Its nodes have not yet been closed by tanh.
type value struct {
	layers       []lan.Layer
	weights      []float64 // W, row-major; nil: h itself
	scale, shift []float64
}

// input returns the value of an input.
func input(width int) *value { return fresh(nil, width) }

// fresh returns the output of layers.
func fresh(layers []lan.Layer, width int) *value {
	return &value{layers: layers, scale: slices.Repeat([]float64{1}, width), shift: make([]float64, width)}
}

func (v *value) width() int { return len(v.scale) }

// apply computes the outputs of a node.
func (r *reader) apply(n *node) error {
	if n.unknownDomain {
		return fmt.Errorf("%s is no operator of ONNX itself", n.kind)
	}
	if len(n.outputs) == 0 || n.kind != "Constant" && len(n.inputs) == 0 {
		return fmt.Errorf("%s without inputs or outputs", n.kind)
	}
	out, err := r.evaluate(n)
	if out != nil {
		r.values[n.outputs[0]] = out
	}
	return err
}

// evaluate returns the value of a node, nil for one that is constant.
func (r *reader) evaluate(n *node) (*value, error) {
	switch n.kind {
	case "Constant":
		if n.constant != nil {
			r.constants[n.outputs[0]] = n.constant
		}
		return nil, nil // a constant of another kind, such as a shape, is of use only to nodes that do not read it
	case "Gemm":
		return r.gemm(n)
	case "MatMul":
		return r.matMul(n)
	case "Add", "Sub", "Mul", "Div":
		return r.elementwise(n)
	case "Transpose":
		return nil, r.transpose(n)
	}
	v := r.values[n.inputs[0]]
	if v == nil {
		return nil, fmt.Errorf("%s of %s, which does not depend on the input", n.kind, n.inputs[0])
	}
	switch n.kind {
	case "Tanh":
		return r.tanh(v, 1)
	case "Sigmoid": // σ(x) = 1/2 + tanh(x/2)/2
		y, err := r.tanh(v, 0.5)
		if err == nil {
			y = y.times(0.5).plus(0.5)
		}
		return y, err
	case "Identity", "Reshape", "Squeeze", "Unsqueeze", "Flatten", "Dropout":
		return v, nil
	case "Cast":
		if to := n.attributes["to"].number(3); to != singles && to != doubles {
			return nil, fmt.Errorf("Cast to type %d: want single or double precision", to)
		}
		return v, nil
	}
	return nil, fmt.Errorf("%s is no part of a network of tanh or sigmoid", n.kind)
}

// operand returns a constant by its name.
func (r *reader) operand(name string) (*tensor, error) {
	if t := r.constants[name]; t != nil {
		return t, nil
	}
	return nil, fmt.Errorf("%s is no constant of numbers", name)
}

// gemm returns the value of a node Gemm, alpha·x·B + beta·C.
func (r *reader) gemm(n *node) (*value, error) {
	if len(n.inputs) < 2 || r.values[n.inputs[0]] == nil || n.is("transA") {
		return nil, errors.New("Gemm: want the row times a constant matrix")
	}
	b, err := r.operand(n.inputs[1])
	if err != nil {
		return nil, err
	}
	v, err := r.product(r.values[n.inputs[0]], b, n.is("transB"))
	if err != nil {
		return nil, err
	}
	v = v.times(n.factor("alpha"))
	if len(n.inputs) < 3 || n.inputs[2] == "" {
		return v, nil
	}
	c, err := r.operand(n.inputs[2])
	if err != nil {
		return nil, err
	}
	row, err := c.row(v.width())
	if err != nil {
		return nil, err
	}
	for i, x := range row {
		v.shift[i] += n.factor("beta") * x
	}
	return v, nil
}

// matMul returns the value of a node MatMul, the row times a constant matrix or a constant matrix times the row.
func (r *reader) matMul(n *node) (*value, error) {
	if len(n.inputs) != 2 {
		return nil, errors.New("MatMul: want two inputs")
	}
	left, right := r.values[n.inputs[0]], r.values[n.inputs[1]]
	switch {
	case left != nil && right == nil:
		b, err := r.operand(n.inputs[1])
		if err != nil {
			return nil, err
		}
		return r.product(left, b, false)
	case left == nil && right != nil:
		a, err := r.operand(n.inputs[0])
		if err != nil {
			return nil, err
		}
		return r.product(right, a, true)
	}
	return nil, errors.New("MatMul: want the row times a constant matrix")
}

// product returns the product of a value and a matrix [inputs][outputs], or [outputs][inputs] if it is transposed.
func (r *reader) product(v *value, b *tensor, transposed bool) (*value, error) {
	if len(b.dims) != 2 {
		return nil, fmt.Errorf("a constant of size %v: want a matrix", b.dims)
	}
	in, out := b.dims[0], b.dims[1]
	if transposed {
		in, out = out, in
	}
	if in != v.width() || out > maxWidth {
		return nil, fmt.Errorf("a matrix of %d inputs and %d outputs: want %d inputs, and %d outputs at most", in, out, v.width(), maxWidth)
	}
	if v.weights != nil {
		return nil, errors.New("a second matrix without tanh between them")
	}
	if err := r.count(in * out); err != nil {
		return nil, err
	}
	if transposed {
		b = b.transposed()
	}
	y := fresh(v.layers, out)
	y.weights = make([]float64, in*out)
	for i := range in {
		for o, w := range b.values[i*out : (i+1)*out] {
			y.weights[o*in+i] = w * v.scale[i]
			y.shift[o] += w * v.shift[i]
		}
	}
	return y, nil
}

// elementwise returns the value of a node that adds, subtracts, multiplies or divides the row and a constant.
func (r *reader) elementwise(n *node) (*value, error) {
	if len(n.inputs) != 2 {
		return nil, fmt.Errorf("%s: want two inputs", n.kind)
	}
	v, other, swapped := r.values[n.inputs[0]], n.inputs[1], false
	if v == nil {
		v, other, swapped = r.values[n.inputs[1]], n.inputs[0], true
	}
	if v == nil {
		return nil, fmt.Errorf("%s of two constants", n.kind)
	}
	if r.values[other] != nil || n.kind == "Div" && swapped {
		return nil, fmt.Errorf("%s: want the row and a constant", n.kind)
	}
	c, err := r.operand(other)
	if err != nil {
		return nil, err
	}
	row, err := c.row(v.width())
	if err != nil {
		return nil, err
	}
	y := v.copied()
	for i, x := range row {
		switch n.kind {
		case "Add":
			y.shift[i] += x
		case "Sub":
			y.shift[i] -= x
		case "Mul":
			y.scale[i], y.shift[i] = y.scale[i]*x, y.shift[i]*x
		case "Div":
			y.scale[i], y.shift[i] = y.scale[i]/x, y.shift[i]/x
		}
	}
	if n.kind == "Sub" && swapped {
		y = y.times(-1)
	}
	return y, nil
}

// transpose makes the constant of a node that transposes a constant.
func (r *reader) transpose(n *node) error {
	t, err := r.operand(n.inputs[0])
	if err != nil {
		return fmt.Errorf("Transpose: %w", err)
	}
	perm := []int64{1, 0}
	if a := n.attributes["perm"]; a != nil {
		if perm, err = a.integers(8); err != nil {
			return err
		}
	}
	if len(t.dims) != 2 || !slices.Equal(perm, []int64{1, 0}) {
		return fmt.Errorf("Transpose of a constant of size %v: want a matrix", t.dims)
	}
	if err := r.count(len(t.values)); err != nil {
		return err
	}
	r.constants[n.outputs[0]] = t.transposed()
	return nil
}

// tanh returns the tanh of factor times a value.
func (r *reader) tanh(v *value, factor float64) (*value, error) {
	l, err := r.close(v.times(factor))
	if err != nil {
		return nil, err
	}
	return fresh(append(v.layers[:len(v.layers):len(v.layers)], l), v.width()), nil
}

// finish returns the layers of the output.
func (r *reader) finish(v *value) ([]lan.Layer, error) {
	l, err := r.close(v)
	return append(v.layers[:len(v.layers):len(v.layers)], l), err
}

// close returns the layer that computes a value, without tanh.
func (r *reader) close(v *value) (lan.Layer, error) {
	out, in := v.width(), v.width()
	if v.weights != nil {
		in = len(v.weights) / out
	}
	if err := r.count(in * out); err != nil {
		return lan.Layer{}, err
	}
	l := lan.Layer{Weights: make([]float64, in*out), Bias: v.shift}
	for o, scale := range v.scale {
		if v.weights == nil {
			l.Weights[o*in+o] = scale
			continue
		}
		for i, w := range v.weights[o*in : (o+1)*in] {
			l.Weights[o*in+i] = scale * w
		}
	}
	return l, nil
}

// count counts the numbers of a new matrix, and fails if there are too many.
func (r *reader) count(n int) error {
	if r.numbers += n; r.numbers > maxNumbers {
		return fmt.Errorf("more than %d weights", maxNumbers)
	}
	return nil
}

func (v *value) copied() *value {
	return &value{v.layers, v.weights, slices.Clone(v.scale), slices.Clone(v.shift)}
}

// times returns a value times a number.
func (v *value) times(x float64) *value {
	y := v.copied()
	for i := range y.scale {
		y.scale[i] *= x
		y.shift[i] *= x
	}
	return y
}

// plus returns a value plus a number.
func (v *value) plus(x float64) *value {
	y := v.copied()
	for i := range y.shift {
		y.shift[i] += x
	}
	return y
}

// row returns the constant that is added to a row of n numbers, or multiplied with it.
func (t *tensor) row(n int) ([]float64, error) {
	switch {
	case len(t.values) == 1:
		return slices.Repeat(t.values, n), nil
	case len(t.values) == n && t.dims[len(t.dims)-1] == n:
		return t.values, nil
	}
	return nil, fmt.Errorf("a constant of size %v: want a row of %d numbers", t.dims, n)
}

// transposed returns the transpose of a matrix.
func (t *tensor) transposed() *tensor {
	rows, columns := t.dims[0], t.dims[1]
	out := &tensor{dims: []int{columns, rows}, values: make([]float64, len(t.values))}
	for i, x := range t.values {
		out.values[i%columns*rows+i/columns] = x
	}
	return out
}
