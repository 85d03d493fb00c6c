package bound

import (
	"sync"

	"likc/runtime/model/kernel"
	"likc/runtime/model/load"
	"likc/runtime/num/isa"
)

// Bound is the log-likelihood of trials as a function of a design's coefficients. It is a [kernel.Sum], so it is safe for concurrent
// use. It allocates only when more goroutines evaluate at the same time than ever before.
type Bound struct {
	prepared   *Prepared
	trials     kernel.Trials
	design     Design
	dim        int        // number of coefficients
	plan       plan       // the way in which the trials are bound
	blocks     int        // number of groups of trials that share parameters
	counts     []int      // number of columns of each parameter, if the plan binds columns
	predictors Predictors // the values that are computed from coefficients
	pieces     []piece    // the log-likelihood is the sum over these
	bare       kernel.Sum // the sum of the only piece, if the design is the zero design and there is no map, so that its value is the log-likelihood; otherwise nil
	spaces     sync.Pool  // memory of evaluations: *space

	once       sync.Once
	parameters *Parameters // the parameters of all trials; nil before the first use
}

// piece is a set of trials whose log-likelihood is one function of some predictors: a sum, or rows.
type piece struct {
	trials []int                 // numbers of the trials
	inputs []int                 // indices of predictors: one for each parameter of the sum, or the distinct predictors of the rows
	mapped func() kernel.Mapping // makes the map from the inputs to the kernel's parameters; nil if they are the same

	sum   kernel.Sum // nil for a piece with rows
	times float64    // how often the sum counts

	rows   kernel.Rows // nil for a piece with a sum
	cells  [][]int     // for each parameter: the input of each row, or one input for all rows
	weight []float64   // weight of each row; nil if all are 1
}

// space is the working memory of an evaluation: values of predictors, slopes of their inverse links, derivatives with respect to
// predictors, and the memory of the pieces.
type space struct {
	value, slope, grad []float64
	theta, bars        []float64 // inputs of a piece, and derivatives with respect to them
	pieces             []room
}

// room is the working memory of a piece with rows or a map.
type room struct {
	mapping     kernel.Mapping // nil without a map
	theta, grad [][]float64    // for each parameter of the model: one number, or one for each row
	logp        []float64      // the log density of each row
	at, bars    []float64      // parameters that a map computes for a sum, and derivatives with respect to them
	slopes      [][]float64    // for each parameter of the kernel: the derivative of each row, or of the sum
}

// SumOf returns the sum over rows at parameters that all rows share.
func SumOf(r kernel.Rows) *Bound {
	b := &Bound{dim: r.Dim(), design: Numbers(r.Dim()), plan: byRows, blocks: 1}
	rows := piece{rows: r, times: 1}
	for j := range b.design.Params {
		rows.inputs = append(rows.inputs, b.design.Params[j].add(&b.predictors, 0))
		rows.cells = append(rows.cells, []int{j})
	}
	b.pieces = []piece{rows}
	b.spaces.New = func() any { return b.newSpace() }
	return b
}

func (b *Bound) newSpace() *space {
	n, most := b.predictors.N(), 0
	s := &space{value: make([]float64, n), slope: make([]float64, n), grad: make([]float64, n), pieces: make([]room, len(b.pieces))}
	for i := range b.pieces {
		p := &b.pieces[i]
		most = max(most, len(p.inputs))
		s.pieces[i] = p.newRoom()
	}
	s.theta, s.bars = make([]float64, most), make([]float64, most)
	return s
}

func (p *piece) newRoom() (r room) {
	if p.mapped != nil {
		r.mapping = p.mapped()
	}
	switch {
	case p.rows != nil:
		n := p.rows.N()
		r.logp = make([]float64, n)
		for _, cells := range p.cells {
			r.theta, r.grad = append(r.theta, make([]float64, len(cells))), append(r.grad, make([]float64, len(cells)))
		}
		for range p.rows.Dim() {
			r.slopes = append(r.slopes, make([]float64, n))
		}
	case r.mapping != nil:
		r.at, r.bars = make([]float64, p.sum.Dim()), make([]float64, p.sum.Dim())
		for k := range r.bars {
			r.slopes = append(r.slopes, r.bars[k:k+1])
		}
		for range p.inputs {
			r.theta, r.grad = append(r.theta, make([]float64, 1)), append(r.grad, make([]float64, 1))
		}
	}
	return r
}

// Dim returns the number of coefficients.
func (b *Bound) Dim() int { return b.dim }

// LogLik returns the log-likelihood: -Inf outside the support, NaN where a density is NaN.
func (b *Bound) LogLik(coefs []float64) float64 {
	if b.bare != nil {
		return b.bare.LogLik(coefs)
	}
	return b.evaluate(coefs, nil)
}

// LogLikGrad returns the log-likelihood and overwrites grad with the gradient, which is zero where the value is not finite.
func (b *Bound) LogLikGrad(coefs, grad []float64) float64 {
	if b.bare != nil {
		return b.bare.LogLikGrad(coefs, grad)
	}
	return b.evaluate(coefs, grad)
}

// evaluate returns the sum over the pieces. It stops at the first piece that is not finite.
func (b *Bound) evaluate(coefs, grad []float64) (lp float64) {
	s := b.spaces.Get().(*space)
	defer b.spaces.Put(s)
	b.predictors.Evaluate(coefs, s.value, s.slope)
	clear(grad)
	clear(s.grad)
	for i := range b.pieces {
		p := &b.pieces[i]
		theta, bars := s.theta[:len(p.inputs)], s.bars[:len(p.inputs)]
		for k, predictor := range p.inputs {
			theta[k] = s.value[predictor]
		}
		if grad == nil {
			bars = nil
		}
		if lp += p.evaluate(&s.pieces[i], theta, bars); lp-lp != 0 {
			return lp
		}
		for k, bar := range bars {
			s.grad[p.inputs[k]] += p.times * bar
		}
	}
	if grad != nil {
		b.predictors.pull(s.grad, s.slope, grad)
	}
	return lp
}

// evaluate returns the log-likelihood of a piece and, unless bars is nil, overwrites bars with the derivatives with respect to the inputs.
func (p *piece) evaluate(r *room, theta, bars []float64) float64 {
	switch {
	case p.rows != nil:
		return p.byRows(r, theta, bars)
	case r.mapping != nil:
		return p.times * p.behindMap(r, theta, bars)
	case bars == nil:
		return p.times * p.sum.LogLik(theta)
	}
	return p.times * p.sum.LogLikGrad(theta, bars)
}

// behindMap returns the sum at the parameters that the map computes.
func (p *piece) behindMap(r *room, theta, bars []float64) float64 {
	for j, x := range theta {
		r.theta[j][0] = x
	}
	for k, x := range r.mapping.Forward(r.theta) {
		r.at[k] = x[0]
	}
	if bars == nil {
		return p.sum.LogLik(r.at)
	}
	value := p.sum.LogLikGrad(r.at, r.bars)
	if value-value != 0 {
		return value
	}
	for j := range r.grad {
		r.grad[j][0] = 0
	}
	r.mapping.Back(r.slopes, r.grad)
	for j := range bars {
		bars[j] = r.grad[j][0]
	}
	return value
}

// byRows returns the weighted sum of the log densities of the rows.
func (p *piece) byRows(r *room, theta, bars []float64) (total float64) {
	for j, cells := range p.cells {
		for i, c := range cells {
			r.theta[j][i] = theta[c]
		}
	}
	at := r.theta
	if r.mapping != nil {
		at = r.mapping.Forward(r.theta)
	}
	if bars == nil {
		p.rows.Each(at, r.logp, nil)
	} else {
		p.rows.Each(at, r.logp, r.slopes)
	}
	for i, x := range r.logp {
		if p.weight != nil {
			x *= p.weight[i]
		}
		total += x
	}
	clear(bars)
	if bars == nil || total-total != 0 {
		return total
	}
	for _, slopes := range r.slopes {
		for i := range p.weight {
			slopes[i] *= p.weight[i]
		}
	}
	slopes := r.slopes
	if r.mapping != nil {
		for j := range r.grad {
			clear(r.grad[j])
		}
		r.mapping.Back(r.slopes, r.grad)
		slopes = r.grad
	}
	for j, cells := range p.cells {
		if len(cells) > 1 {
			for i, slope := range slopes[j] {
				bars[cells[i]] += slope
			}
			continue
		}
		sum := 0.0
		for _, slope := range slopes[j] {
			sum += slope
		}
		bars[cells[0]] += sum
	}
	return total
}

// Use makes sums and the map use an instruction set, and returns the one that sums use. It must not be called while the likelihood
// is evaluated.
func (b *Bound) Use(level isa.Level) (used isa.Level) {
	if b.prepared == nil {
		return isa.Portable
	}
	if m, ok := b.prepared.inner.(interface{ use(isa.Level) }); ok {
		m.use(level)
	}
	for i := range b.pieces {
		used = load.Use(b.pieces[i].sum, level)
	}
	return used
}

// UseTables makes sums over trials come from tables, for any number of trials. It reports whether that is possible.
func (b *Bound) UseTables(on bool) (can bool) {
	for i := range b.pieces {
		if t, ok := b.pieces[i].sum.(interface{ UseTables(on bool) }); ok {
			t.UseTables(on)
			can = true
		}
	}
	return can
}

// IsRemote reports whether the density is evaluated in another process.
func (b *Bound) IsRemote() bool { return b.bare != nil && load.IsRemote(b.bare) }
