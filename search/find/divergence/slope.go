package divergence

import (
	"likc/runtime/num/vec"
	"likc/search/find/tree"

	"gonum.org/v1/gonum/mat"
)

// fittedLoss returns the sum of the divergences of the groups to which the constants are fitted.
func (s *scorer) fittedLoss(t tree.Tree) (total float64) {
	s.evaluator.Load(t)
	s.all = s.all[:0]
	for i := range s.fitter.sections {
		sum, ok := s.section(&s.fitter.sections[i])
		if !ok {
			return rejected
		}
		total += sum
	}
	return total
}

// lossAndSlopes returns the same as fittedLoss. It also sets the fitter's gradient and expected second derivatives.
func (s *scorer) lossAndSlopes(t tree.Tree) (total float64) {
	f, n := s.fitter, t.Constants()
	f.grad, f.fisher = append(f.grad[:0], make([]float64, n)...), mat.NewSymDense(n, nil)
	s.evaluator.Load(t)
	s.all = s.all[:0]
	for i := range f.sections {
		p := &f.sections[i]
		sum, ok := s.section(p)
		if !ok {
			return rejected
		}
		total += sum
		s.addSlopes(t, p)
	}
	return total
}

// addSlopes adds the contribution of a section to the gradient and the second derivatives. s.values holds the section's masses.
func (s *scorer) addSlopes(t tree.Tree, p *section) {
	f, n, width := s.fitter, t.Constants(), p.panel.Width
	s.inverseMass(p)
	means := f.means[:n*width]
	clear(means)
	f.slopes.Start(t, p.panel)
	for b := range p.nodes {
		from, to := p.panel.Span(b)
		q := s.values[from:to]
		vec.Mul(q, q, s.mass[:width])
		slopes := f.slopes.Block(b)
		excess, product := f.weight[:width], f.product[:width]
		vec.Sub(excess, q, p.share[from:to])
		for i, d := range slopes {
			vec.Mul(product, excess, d)
			f.grad[i] += vec.Sum(product)
			vec.FMA(means[i*width:(i+1)*width], q, d, means[i*width:(i+1)*width])
		}
		for i, d := range slopes {
			vec.Mul(product, q, d)
			for j := range i + 1 {
				vec.Mul(excess, product, slopes[j])
				f.fisher.SetSym(i, j, f.fisher.At(i, j)+vec.Sum(excess))
			}
		}
	}
	f.subtractMeans(p, n)
}

// subtractMeans turns second moments into covariances, group by group.
func (f *fitter) subtractMeans(p *section, n int) {
	means, width := f.means, p.panel.Width
	for i := range n {
		for j := range i + 1 {
			sum := 0.0
			for g := range p.groups {
				a, b := 0.0, 0.0
				for k := range p.lanes {
					a, b = a+means[i*width+k*p.groups+g], b+means[j*width+k*p.groups+g]
				}
				sum += a * b
			}
			f.fisher.SetSym(i, j, f.fisher.At(i, j)-sum)
		}
	}
}

// inverseMass replaces each lane's mass by 1 divided by its group's mass.
func (s *scorer) inverseMass(p *section) {
	for g := range p.groups {
		z := 0.0
		for k := range p.lanes {
			z += s.mass[k*p.groups+g]
		}
		for k := range p.lanes {
			s.mass[k*p.groups+g] = 1 / z
		}
	}
}
