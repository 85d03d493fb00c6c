package calibrate

import (
	"math"

	"likc/compiler/diff"
	"likc/compiler/expr"
	"likc/compiler/normal"
)

// family is a normalised expression mixed with lapses. It computes mean log densities with first and second derivatives in the
// parameters.
type family struct {
	dim    int
	lapse  expr.Lapse
	onset  *expr.Tape             // the time before which there is no response
	points map[float64]*expr.Tape // for each choice, the log density of the expression with its derivatives
	grid   *normal.Parts          // the grid on which the normalising integral is computed
	logs   map[float64]*expr.Tape // for each choice, the logs of the terms of that integral, with derivatives
}

func newFamily(m *expr.Model) (*family, error) {
	parts, err := normal.Of(m)
	if err != nil {
		return nil, err
	}
	f := &family{dim: len(parts.Bare.Params), lapse: *m.Lapse, grid: parts, points: map[float64]*expr.Tape{}, logs: map[float64]*expr.Tape{}}
	names := parts.Bare.ParamNames()
	for _, g := range parts.Bare.Groups() {
		f.points[g.Choice] = derivatives(append(names, m.Trials...), names, g.LogLik)
	}
	for _, g := range parts.Log.Groups() {
		f.logs[g.Choice] = derivatives(append(parts.Log.ParamNames(), parts.Log.Trials...), names, g.LogLik)
	}
	var onsets []*expr.Expr
	for _, s := range m.Support {
		onsets = append(onsets, s.Left)
	}
	f.onset = expr.NewTape(names, onsets...)
	return f, nil
}

// derivatives returns a tape that computes e, its gradient, and the rows of its second derivatives up to the diagonal.
func derivatives(symbols, params []string, e *expr.Expr) *expr.Tape {
	first := diff.Gradient(e, params)
	roots := append([]*expr.Expr{e}, first...)
	for i := range first {
		roots = append(roots, diff.Gradient(first[i], params[:i+1])...)
	}
	return expr.NewTape(symbols, roots...)
}

// jet is a value with its gradient and its matrix of second derivatives, row by row.
type jet struct {
	value float64
	grad  []float64
	hess  []float64
}

func newJet(dim int) *jet { return &jet{grad: make([]float64, dim), hess: make([]float64, dim*dim)} }

func (j *jet) clear() {
	j.value = 0
	clear(j.grad)
	clear(j.hess)
}

// space is the working memory for evaluating a family.
type space struct {
	values, out []float64
	terms       [][]float64
	logZ        *jet
}

func newSpace(f *family) *space {
	return &space{values: make([]float64, f.dim+3), terms: make([][]float64, len(f.grid.Columns[0])), logZ: newJet(f.dim)}
}

// normaliser sets s.logZ to log Z at the parameters phi, with derivatives. Z is the integral of the density over time and choices.
func (f *family) normaliser(s *space, phi []float64) {
	copy(s.values, phi)
	s.values[f.dim] = 0
	most := math.Inf(-1)
	for i := range s.terms {
		c := 0.0
		if f.grid.Choice != nil {
			c = f.grid.Choice[i]
		}
		s.values[f.dim+1], s.values[f.dim+2] = f.grid.Columns[0][i], f.grid.Columns[1][i]
		s.terms[i], _ = f.logs[c].Eval(s.terms[i][:0], s.values)
		most = max(most, s.terms[i][0])
	}
	z := s.logZ
	z.clear()
	for _, x := range s.terms {
		e := math.Exp(x[0] - most)
		if e == 0 {
			continue
		}
		z.value += e
		addProduct(z, e, x)
	}
	n := f.dim
	for a := range n {
		z.grad[a] /= z.value
	}
	for a := range n {
		for b := range n {
			z.hess[a*n+b] = z.hess[a*n+b]/z.value - z.grad[a]*z.grad[b]
		}
	}
	z.value = math.Log(z.value) + most + f.grid.Typical
}

// addProduct adds the first and second derivatives of an exponential to a jet. w is the value of the exponential, and x holds its
// exponent with derivatives.
func addProduct(z *jet, w float64, x []float64) {
	n, at := len(z.grad), 1+len(z.grad)
	for a := range n {
		z.grad[a] += w * x[1+a]
		for b := 0; b <= a; b++ {
			h := w * (x[at] + x[1+a]*x[1+b])
			z.hess[a*n+b] += h
			if b != a {
				z.hess[b*n+a] += h
			}
			at++
		}
	}
}

// mean sets out to the mean log density over a population, with derivatives. If scores is not nil, it receives the gradient of each
// point's log density.
func (f *family) mean(s *space, p *population, phi []float64, out *jet, scores [][]float64) {
	f.normaliser(s, phi)
	out.clear()
	onset := 0.0
	if s.out, _ = f.onset.Eval(s.out[:0], phi); len(s.out) > 0 {
		onset = math.Inf(-1)
		for _, x := range s.out {
			onset = max(onset, x)
		}
	}
	copy(s.values, phi)
	for i, rt := range p.rt {
		floor := math.Inf(-1)
		if rt < f.lapse.Until {
			floor = math.Log(f.lapse.Probability / f.lapse.Until / float64(len(f.points)))
		}
		if scores != nil {
			clear(scores[i])
		}
		if rt <= onset {
			out.value += p.weight[i] * floor
			continue
		}
		s.values[f.dim] = rt
		s.out, _ = f.points[p.choice[i]].Eval(s.out[:0], s.values)
		f.addPoint(s, p.weight[i], floor, out, scores, i)
	}
}

// addPoint adds the weighted log density of point i to out. s.out holds the expression's value and derivatives at that point.
// floor is the log density of the lapses.
func (f *family) addPoint(s *space, weight, floor float64, out *jet, scores [][]float64, i int) {
	x, z, n := s.out, s.logZ, f.dim
	own := x[0] - z.value + math.Log1p(-f.lapse.Probability)
	high := max(own, floor)
	value := high + math.Log(math.Exp(own-high)+math.Exp(floor-high))
	share := math.Exp(own - value)
	out.value += weight * value
	at := 1 + n
	for a := range n {
		sa := x[1+a] - z.grad[a]
		if share > 0 {
			out.grad[a] += weight * share * sa
			if scores != nil {
				scores[i][a] = share * sa
			}
		}
		for b := 0; b <= a; b++ {
			if share > 0 {
				h := weight * share * (x[at] - z.hess[a*n+b] + (1-share)*sa*(x[1+b]-z.grad[b]))
				out.hess[a*n+b] += h
				if b != a {
					out.hess[b*n+a] += h
				}
			}
			at++
		}
	}
}
