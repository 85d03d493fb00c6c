package bound

import (
	"slices"
	"sync"

	"likc/compiler/expr"
	"likc/runtime/model/kernel"
	"likc/runtime/num/isa"
	"likc/runtime/num/polynomial"
)

// boundAt computes the binding function of a calibrated model, with derivatives. The function maps the model's own parameters to
// those at which its expression is evaluated, and to the tilt, a term that corrects the log density. A boundAt is safe for concurrent
// use; each goroutine has its own [boundSpace].
type boundAt struct {
	dim, out    int     // number of the model's parameters, and number of values of the function
	inputs      *inputs // the expressions of which the polynomials are functions
	polynomials *polynomial.Set
	places      []int // for each polynomial: the index of the value to which it is added
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

// use makes the polynomials use an instruction set of the processor.
func (f *boundAt) use(level isa.Level) { f.polynomials.Use(level) }

// boundSpace is the working memory of an evaluation.
type boundSpace struct {
	memory, x, xBars []float64 // memory and values of the inputs, and the derivatives with respect to them
	bars             []float64 // derivatives with respect to the values of the polynomials
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

// back applies the chain rule, at the parameters of the last call of at with this space. On entry, grad holds derivatives with
// respect to the values of the binding function; on return, its first elements are the derivatives with respect to the model's own
// parameters.
func (f *boundAt) back(s *boundSpace, grad []float64) {
	for o, place := range f.places {
		s.bars[o] = grad[place]
	}
	f.polynomials.Back(s.polynomials, s.bars, s.xBars)
	f.inputs.back(s.memory, s.xBars, grad)
}

// calibration is the binding function as a [kernel.Map]: from the model's parameters to those of its expression and the tilt.
type calibration struct {
	at      *boundAt
	depends []uint64 // for each value, a bit set of the parameters on which it depends
}

func newCalibration(m *expr.Model) *calibration {
	c := &calibration{at: newBoundAt(m)}
	inputs := uint64(0)
	for _, s := range expr.Symbols(m.Binding.Inputs...) {
		inputs |= 1 << m.ParamIndex(s)
	}
	for k := range c.at.out {
		own := uint64(0)
		if k < c.at.dim {
			own = 1 << k
		}
		if slices.Contains(c.at.places, k) {
			own |= inputs
		}
		c.depends = append(c.depends, own)
	}
	return c
}

// Out returns the number of values of the binding function.
func (c *calibration) Out() int { return c.at.out }

// Depends returns the parameters on which value k depends. A value without polynomial is the parameter itself.
func (c *calibration) Depends(k int) (params uint64, varies bool) { return c.depends[k], false }

// Stateful returns false: trials are independent.
func (c *calibration) Stateful() bool { return false }

// Bind ignores the trials, because the function does not depend on them.
func (c *calibration) Bind(kernel.Trials) (func() kernel.Mapping, error) {
	return func() kernel.Mapping {
		at := c.at
		return &calibrating{at: at, space: at.newSpace(), own: make([]float64, at.dim), bound: make([]float64, at.out),
			grad: make([]float64, at.out), out: make([][]float64, at.out)}
	}, nil
}

// use makes the polynomials use an instruction set.
func (c *calibration) use(level isa.Level) { c.at.use(level) }

// calibrating is the working memory of an evaluation. The function is evaluated once if all trials share their parameters, otherwise
// for every trial.
type calibrating struct {
	at               *boundAt
	space            *boundSpace
	own, bound, grad []float64   // of one trial: the parameters, the values of the function, and derivatives
	theta, out       [][]float64 // for each parameter and each value: one number, or one for each trial
}

// Forward evaluates the binding function.
func (m *calibrating) Forward(theta [][]float64) [][]float64 {
	m.theta = theta
	n := 1
	for _, param := range theta {
		n = max(n, len(param))
	}
	for k := range m.out {
		m.out[k] = slices.Grow(m.out[k][:0], n)[:n]
	}
	for i := range n {
		m.evaluate(i)
		for k, x := range m.bound {
			m.out[k][i] = x
		}
	}
	return m.out
}

// evaluate evaluates the function at the parameters of trial i.
func (m *calibrating) evaluate(i int) {
	for j := range m.own {
		m.own[j] = kernel.At(m.theta[j], i)
	}
	m.at.at(m.space, m.own, m.bound)
}

// Back applies the chain rule once to the sum over all trials if they share parameters and gradients, otherwise to each trial.
func (m *calibrating) Back(bars, grad [][]float64) {
	differ, together := len(m.out[0]) > 1, true
	for _, g := range grad {
		together = together && len(g) == 1
	}
	if !differ && together {
		clear(m.grad)
		for k, bar := range bars {
			for _, x := range bar {
				m.grad[k] += x
			}
		}
		m.add(grad, 0)
		return
	}
	for i := range bars[0] {
		if differ {
			m.evaluate(i)
		}
		for k := range m.grad {
			m.grad[k] = bars[k][i]
		}
		m.add(grad, i)
	}
}

// add applies the chain rule to the derivatives of trial i.
func (m *calibrating) add(grad [][]float64, i int) {
	m.at.back(m.space, m.grad)
	for j := range m.own {
		grad[j][min(i, len(grad[j])-1)] += m.grad[j]
	}
}

// mappedRows evaluates rows of a kernel at the parameters that a map computes.
type mappedRows struct {
	kernel.Rows
	dim    int
	spaces sync.Pool // memory of evaluations: *mappedSpace
}

// mappedSpace is the working memory of an evaluation.
type mappedSpace struct {
	mapping kernel.Mapping
	slopes  [][]float64 // for each parameter of the kernel: the derivative of each row
	wanted  [][]float64 // for each parameter of the model: the derivative of each row
}

// newMapped returns rows with dim parameters of a model.
func newMapped(rows kernel.Rows, m kernel.Map, t kernel.Trials, dim int) (*mappedRows, error) {
	mapping, err := m.Bind(t)
	r := &mappedRows{Rows: rows, dim: dim}
	r.spaces.New = func() any {
		s := &mappedSpace{mapping: mapping()}
		for range rows.Dim() {
			s.slopes = append(s.slopes, make([]float64, rows.N()))
		}
		for range dim {
			s.wanted = append(s.wanted, make([]float64, rows.N()))
		}
		return s
	}
	return r, err
}

// Dim returns the number of the model's parameters.
func (r *mappedRows) Dim() int { return r.dim }

// Each evaluates the rows.
func (r *mappedRows) Each(theta [][]float64, logp []float64, grad [][]float64) {
	s := r.spaces.Get().(*mappedSpace)
	defer r.spaces.Put(s)
	at := s.mapping.Forward(theta)
	if grad == nil {
		r.Rows.Each(at, logp, nil)
		return
	}
	r.Rows.Each(at, logp, s.slopes)
	for _, g := range s.wanted {
		clear(g)
	}
	s.mapping.Back(s.slopes, s.wanted)
	for j, g := range grad {
		copy(g, s.wanted[j])
	}
}
