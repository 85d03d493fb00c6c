package omission

import (
	"math"
	"sync"

	"likc/runtime/model/kernel"
	"likc/runtime/num/quadrature"
)

// newTail prepares the integral beyond a deadline, and the integral of the choice without a response before it.
func (c *Censored) newTail(deadline float64) (*tail, error) {
	t := &tail{of: c, deadline: deadline}
	for _, side := range c.choices {
		if side == c.silent && c.silent != 0 {
			t.after = append(t.after, math.Inf(-1)) // an omission at any time
		} else {
			t.after = append(t.after, deadline)
		}
	}
	var err error
	switch {
	case c.closed != nil:
		return t, nil
	case c.survival != nil:
		t.survivor, err = c.survival.Rows(kernel.Responses([]float64{deadline}, nil))
		return t, err
	}
	if t.beyond, err = c.beyond(deadline); err != nil {
		return nil, err
	}
	if c.silent != 0 {
		t.before, err = c.before(deadline)
	}
	return t, err
}

// rows evaluates a model with omissions row by row.
type rows struct {
	n, dim   int         // numbers of rows and of parameters
	answered []int       // indices of the rows with a response
	base     kernel.Rows // these rows, bound to the model without omissions
	tails    []*tail     // the rows without a response, by deadline
	spaces   sync.Pool   // memory of evaluations: *space
}

// tail holds the trials without a response that have the same deadline, with the panels of their integral.
type tail struct {
	of       *Censored
	deadline float64
	trials   []int       // indices of the rows
	after    []float64   // for each choice: the earliest time at which a response is an omission
	beyond   []*stretch  // the panels after the deadline
	before   *stretch    // the panels before it, of the choice without a response; nil if every choice has a response
	survivor kernel.Rows // the log survival in closed form, one row; nil if it is an integral
}

// space is the working memory of an evaluation.
type space struct {
	own    [][]float64 // memory for parameter vectors
	theta  [][]float64 // parameter vectors of the answered rows, or of one omission
	logp   []float64
	grad   [][]float64
	slopes []float64   // the gradient of one omission
	cut    [][]float64 // grad, cut to the number of rows of a stretch
	at     []float64   // the parameters of one omission
	onset  float64     // the onset of one omission
	integral
	values [quadrature.PanelPoints]float64 // values of the density in a panel
}

func (r *rows) newSpace() *space {
	n := max(1, r.base.N())
	for _, t := range r.tails {
		for _, b := range t.beyond {
			n = max(n, b.rows.N(), len(b.choices)*together*parts*quadrature.PanelPoints)
		}
		if t.before != nil {
			n = max(n, t.before.rows.N())
		}
	}
	s := &space{own: make([][]float64, r.dim), theta: make([][]float64, r.dim), logp: make([]float64, n), grad: make([][]float64, r.dim), slopes: make([]float64, r.dim), cut: make([][]float64, r.dim), at: make([]float64, r.dim)}
	for j := range s.own {
		s.own[j], s.grad[j] = make([]float64, max(len(r.answered), 1)), make([]float64, n)
	}
	return s
}

// N returns the number of rows.
func (r *rows) N() int { return r.n }

// Dim returns the number of parameters.
func (r *rows) Dim() int { return r.dim }

// Each evaluates the rows with a response, then those without.
func (r *rows) Each(theta [][]float64, logp []float64, grad [][]float64) {
	s := r.spaces.Get().(*space)
	defer r.spaces.Put(s)
	r.responses(s, theta, logp, grad)
	for _, t := range r.tails {
		value := 0.0
		for k, i := range t.trials {
			changed := k == 0
			for j, param := range theta {
				x := kernel.At(param, i)
				changed, s.own[j][0] = changed || x != s.own[j][0], x
				s.theta[j] = s.own[j][:1]
			}
			if changed {
				value = t.survival(s, grad != nil)
			}
			logp[i] = value
			for j, g := range grad {
				if g != nil {
					g[i] = s.slopes[j]
				}
			}
		}
	}
}

// responses evaluates the rows with a response.
func (r *rows) responses(s *space, theta [][]float64, logp []float64, grad [][]float64) {
	n := len(r.answered)
	if n == 0 {
		return
	}
	for j, param := range theta {
		if s.theta[j] = param; len(param) == 1 {
			continue
		}
		s.theta[j] = s.own[j][:n]
		for k, i := range r.answered {
			s.theta[j][k] = param[i]
		}
	}
	slopes := s.grad
	if grad == nil {
		slopes = nil
	}
	for j := range slopes {
		slopes[j] = slopes[j][:n]
	}
	r.base.Each(s.theta, s.logp[:n], slopes)
	for k, i := range r.answered {
		logp[i] = s.logp[k]
		for j, g := range grad {
			if g != nil {
				g[i] = slopes[j][k]
			}
		}
	}
}
