package divergence

import (
	"math"
	"math/rand/v2"

	"likc/compiler/expr"
	"likc/runtime/num/vec"
	"likc/search/find/tree"
)

// These constants limit how many terms Grow tries.
const (
	grownNodes = 4  // number of nodes of the tree that are tried, including the root
	grownTries = 24 // number of new terms tried at each node
	grownSize  = 7  // largest number of nodes of a new term, in which a block counts as one node
)

// Grow replaces the subtree s at some node by s + c·new, and fits the constants. The term `new` is the best of some small random
// trees, at some random nodes. For a small c, the loss falls by at most g²/2V, where g is the derivative in c and V its expected
// second derivative. So all candidates are compared without evaluating the tree again. It returns false if no term fits within
// `most` nodes or lowers the loss.
func (s *scorer) Grow(r *rand.Rand, set *tree.Set, t *tree.Tree, most int) bool {
	if t.Constants() >= mostFitted {
		return false
	}
	f := s.fitting(quick)
	p := &f.sections[0]
	s.evaluator.Load(*t)
	s.all = s.all[:0]
	if _, ok := s.section(p); !ok {
		return false
	}
	s.inverseMass(p)
	f.nodes = append(f.nodes[:0], t.Size()-1)
	for range grownNodes - 1 {
		f.nodes = append(f.nodes, r.IntN(t.Size()))
	}
	f.slopesAt(s, *t, p)
	plain := *set
	plain.Constants = false // constants are drawn only as parts of blocks
	best, at, slope := 0.0, -1, 0.0
	for k := range f.nodes {
		for range grownTries {
			f.fresh.Clear()
			plain.Random(r, &f.fresh, 1+r.IntN(grownSize))
			if t.Size()+f.fresh.Size()+3 > most {
				continue
			}
			g, v := s.gain(p, k)
			if fall := g * g / (2 * v); fall > best && !math.IsInf(fall, 1) {
				best, at, slope = fall, f.nodes[k], -g/v
				f.found.Copy(f.fresh)
			}
		}
	}
	if at < 0 {
		return false
	}
	f.graft(t, at, slope)
	s.Refit(t, math.Inf(1))
	return true
}

// slopesAt sets f.adjoint to the derivatives of the tree with respect to f.nodes, row by row, and s.values to the weights q.
func (f *fitter) slopesAt(s *scorer, t tree.Tree, p *section) {
	f.slopes.StartAt(t, p.panel, f.nodes)
	rows, width := p.panel.Rows, p.panel.Width
	if len(f.adjoint) < rows*grownNodes {
		f.adjoint = make([]float64, rows*grownNodes)
	}
	for b := range p.nodes {
		from, to := p.panel.Span(b)
		vec.Mul(s.values[from:to], s.values[from:to], s.mass[:width])
		for k, d := range f.slopes.Block(b) {
			copy(f.adjoint[k*rows+from:], d)
		}
	}
}

// gain returns the first and the expected second derivative of the loss with respect to the factor c of the new term f.fresh, if
// it is added at the k-th of f.nodes.
func (s *scorer) gain(p *section, k int) (g, v float64) {
	f, width, rows := s.fitter, p.panel.Width, p.panel.Rows
	mean, square, slope, product := f.means[:width], f.means[width:2*width], f.means[2*width:3*width], f.product[:width]
	clear(f.means[:3*width])
	s.evaluator.Start(f.fresh, p.panel)
	for b := range p.nodes {
		from, to := p.panel.Span(b)
		d, q := f.weight[:width], s.values[from:to]
		vec.Mul(d, f.adjoint[k*rows+from:k*rows+to], s.evaluator.Block(b))
		vec.Mul(product, q, d)
		vec.Add(mean, mean, product)
		vec.FMA(square, product, d, square)
		vec.FMA(slope, p.share[from:to], d, slope)
	}
	g, v = vec.Sum(mean)-vec.Sum(slope), vec.Sum(square)
	for i := range p.groups {
		m := 0.0
		for j := range p.lanes {
			m += mean[j*p.groups+i]
		}
		v -= m * m
	}
	if !(v > 1e-9*vec.Sum(square)) { // the term depends only on θ
		return 0, 1
	}
	return g, v
}

// graft replaces the subtree at a node by the sum of this subtree and c·found.
func (f *fitter) graft(t *tree.Tree, node int, c float64) {
	start := t.Starts(nil)[node]
	f.fresh.Clear()
	f.fresh.Append(t.Cut(start, node+1))
	f.fresh.Codes, f.fresh.Values = append(f.fresh.Codes, tree.Constant), append(f.fresh.Values, c)
	f.fresh.Append(f.found)
	f.fresh.Codes = append(f.fresh.Codes, tree.Operator(expr.Mul), tree.Operator(expr.Add))
	original := t.Clone()
	t.Splice(original, start, node+1, f.fresh)
}
