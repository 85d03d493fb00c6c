package lan

// Lanes is the number of columns that a Product processes at once.
const Lanes = lanes

// Product is a matrix arranged for this machine's kernels, which multiply it by blocks of Lanes columns. A block is row-major,
// [rows][Lanes]. A Product never changes.
type Product struct {
	kernels
	inputs, outputs        int       // numbers of columns and rows
	tanh, plain, linearFit []float32 // the packed matrix for each kernel: forward, backward and linear
	zero                   []float32 // a bias of zeros
}

// NewProduct returns a matrix of outputs × inputs, whose elements the function at gives.
func NewProduct(outputs, inputs int, at func(r, c int) float64) *Product {
	p := &Product{kernels: available()[0], inputs: inputs, outputs: outputs}
	p.tanh = pack(outputs, inputs, p.tile, func(r, c int) float64 { return tanhScale * at(r, c) })
	p.plain = pack(outputs, inputs, p.tile, at)
	p.linearFit = pack(outputs, inputs, linearTile, at)
	p.zero = make([]float32, padded(outputs, linearTile))
	return p
}

// Rows returns the number of rows that a destination needs: the outputs, rounded up to whole tiles. The additional rows are padding.
func (p *Product) Rows() int { return max(padded(p.outputs, p.tile), padded(p.outputs, linearTile)) }

// Bias writes a bias to dst, of length Rows, in the form that Tanh needs.
func (p *Product) Bias(dst []float32, bias []float64) {
	clear(dst)
	for i, b := range bias[:p.outputs] {
		dst[i] = float32(tanhScale * b)
	}
}

// Tanh sets dst = tanh(W·x + b), with b from Bias.
func (p *Product) Tanh(dst, x, bias []float32) {
	p.forward(&dst[0], &x[0], &p.tanh[0], &bias[0], p.inputs, padded(p.outputs, p.tile)/p.tile)
}

// Masked sets dst = (W·x) ⊙ (1 - active²). It propagates derivatives, forward or backward, through a tanh whose values are active,
// [Rows][Lanes].
func (p *Product) Masked(dst, x, active []float32) {
	p.backward(&dst[0], &x[0], &p.plain[0], &active[0], p.inputs, padded(p.outputs, p.tile)/p.tile)
}

// Linear sets dst = W·x.
func (p *Product) Linear(dst, x []float32) {
	p.linear(&dst[0], &x[0], &p.linearFit[0], &p.zero[0], p.inputs, padded(p.outputs, linearTile)/linearTile)
}
