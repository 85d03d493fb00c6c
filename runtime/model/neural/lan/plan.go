package lan

// plan is a network arranged for one set of kernels. Its matrices are packed: stored in the order in which the kernels read them.
type plan struct {
	kernels
	dim    int       // number of parameters
	choice []float64 // choices that trials can have
	first  layer     // the first layer, which is not packed, because parameters and choice enter its bias
	rt     []float32 // packed column for rt in the first layer
	hidden []stage   // the hidden layers after the first
	output stage     // the last layer
	params []float32 // packed columns of the parameters in the first layer, [dim] × first.out, for the gradient
	rows   int       // the largest number of rows of an activation
}

// stage is one layer with packed matrices.
type stage struct {
	inputs, outputs int
	forward         []float32 // weights, [outputs][inputs]
	bias            []float32
	backward        []float32 // transposed weights for the gradient, [inputs][outputs]
}

func newPlan(n *Network, k kernels) *plan {
	first, last := n.layers[0], n.layers[len(n.layers)-1]
	p := &plan{kernels: k, dim: n.Dim(), choice: n.choices, first: first, rows: padded(first.out, k.tile)}
	p.rt = pack(first.out, 1, k.tile, func(r, _ int) float64 { return tanhScale * first.at(r, p.dim) })
	p.params = pack(p.dim, first.out, linearTile, func(r, c int) float64 { return first.at(c, r) })
	for _, l := range n.layers[1 : len(n.layers)-1] {
		p.hidden = append(p.hidden, newStage(l, k.tile, k.tile, tanhScale))
		p.rows = max(p.rows, padded(l.out, k.tile))
	}
	p.output = newStage(last, linearTile, k.tile, 1)
	p.rows = max(p.rows, padded(p.dim, linearTile))
	return p
}

func newStage(l layer, tile, backTile int, scale float64) stage {
	s := stage{inputs: l.in, outputs: l.out, bias: make([]float32, padded(l.out, tile))}
	s.forward = pack(l.out, l.in, tile, func(r, c int) float64 { return scale * l.at(r, c) })
	s.backward = pack(l.in, l.out, backTile, func(r, c int) float64 { return l.at(c, r) })
	for i, b := range l.bias {
		s.bias[i] = float32(scale * b)
	}
	return s
}

// firstBias computes the first layer's bias at theta and choice.
func (p *plan) firstBias(bias []float32, theta []float64, choice float64) {
	for r, b := range p.first.bias {
		for c, x := range theta[:p.dim] {
			b += p.first.at(r, c) * x
		}
		b += p.first.at(r, p.dim+1) * choice
		bias[r] = float32(tanhScale * b)
	}
}

// workspace is the working memory of one evaluation.
type workspace struct {
	active    [][]float32  // activations of every hidden layer
	delta     [2][]float32 // derivatives with respect to the sums of two neighbouring layers
	bias      []float32    // bias of the first layer
	out       []float32    // two rows; the first is the output
	zero      []float32    // a bias of zeros
	gradients []float64    // the derivative with respect to each parameter
}

func newWorkspace(p *plan) *workspace {
	depth, size := len(p.hidden)+1, p.rows*lanes
	memory := make([]float32, (depth+2)*size+2*lanes+2*p.rows)
	allocate := func(n int) []float32 {
		part := memory[:n:n]
		memory = memory[n:]
		return part
	}
	w := &workspace{gradients: make([]float64, p.dim)}
	for range depth {
		w.active = append(w.active, allocate(size))
	}
	w.delta[0], w.delta[1] = allocate(size), allocate(size)
	w.out = allocate(linearTile * lanes)
	w.bias, w.zero = allocate(p.rows), allocate(p.rows)
	return w
}

// value runs a block of trials through the network, and stores activations and outputs in w.
func (p *plan) value(w *workspace, rt []float32) {
	p.forward(&w.active[0][0], &rt[0], &p.rt[0], &w.bias[0], 1, padded(p.first.out, p.tile)/p.tile)
	for i := range p.hidden {
		s := &p.hidden[i]
		p.forward(&w.active[i+1][0], &w.active[i][0], &s.forward[0], &s.bias[0], s.inputs, len(s.bias)/p.tile)
	}
	o := &p.output
	p.linear(&w.out[0], &w.active[len(p.hidden)][0], &o.forward[0], &o.bias[0], o.inputs, 1)
}

// gradient propagates the weights of a block's trials back through the activations that value stored, and adds to w.gradients.
func (p *plan) gradient(w *workspace, weight []float64) {
	depth := len(p.hidden)
	delta, next := w.delta[0], w.delta[1]
	for lane, x := range weight {
		next[lane] = float32(x)
	}
	p.back(delta, next, &p.output, w.active[depth])
	for i := depth - 1; i >= 0; i-- {
		p.back(next, delta, &p.hidden[i], w.active[i])
		delta, next = next, delta
	}
	tiles := padded(p.dim, linearTile) / linearTile
	p.linear(&next[0], &delta[0], &p.params[0], &w.zero[0], p.first.out, tiles)
	for d := range w.gradients {
		for _, x := range next[d*lanes : (d+1)*lanes] {
			w.gradients[d] += float64(x)
		}
	}
}

// back propagates derivatives through one layer: from derivatives with respect to the layer's sums to those with respect to
// the sums of the previous layer.
func (p *plan) back(dst, delta []float32, s *stage, active []float32) {
	p.backward(&dst[0], &delta[0], &s.backward[0], &active[0], s.outputs, padded(s.inputs, p.tile)/p.tile)
}
