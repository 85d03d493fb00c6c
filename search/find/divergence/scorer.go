package divergence

import (
	"math"
	"slices"

	"likc/runtime/num/vec"
	"likc/search/find/columns"
	"likc/search/find/tree"
)

// scorer computes the loss of trees, and fits their constants.
type scorer struct {
	loss      *Loss
	evaluator *columns.Evaluator[float64]
	values    []float64 // values of a section, row by row
	mean      []float64 // for each lane: Σ share·f; after a section is evaluated, the sum over the group's lanes
	mass      []float64 // for each lane, Σ exp(f + log weight − mean)
	x         []float64 // working memory for a block
	all       []float64 // divergence of each group
	sorted    []float64
	fitter    *fitter
}

func newScorer(l *Loss) *scorer {
	panels := []*columns.Panel[float64]{l.probe}
	rows, width := 0, 0
	for i := range l.sections {
		p := l.sections[i].panel
		panels = append(panels, p)
		rows, width = max(rows, p.Rows), max(width, p.Width)
	}
	return &scorer{loss: l, evaluator: columns.NewPanels(panels...), values: make([]float64, rows), mean: make([]float64, width),
		mass: make([]float64, width), x: make([]float64, width), all: make([]float64, 0, l.groups)}
}

// Score returns the mean divergence plus the price of the constants, and sets dst to its terms. If the loss is certain to be above
// limit, it may return any lower bound above limit, without terms.
func (s *scorer) Score(t tree.Tree, limit float64, dst []float64) float64 {
	for i := range dst {
		dst[i] = math.NaN()
	}
	factor := 1 + s.loss.settings.Price*float64(t.Constants())
	s.evaluator.Load(t)
	s.all = s.all[:0]
	total := 0.0
	for i := range s.loss.sections {
		sum, ok := s.section(&s.loss.sections[i])
		if !ok {
			return rejected
		}
		total += sum
		if bound := factor * total / float64(s.loss.groups); i+1 < len(s.loss.sections) && bound-1e-9 > limit {
			return bound
		}
	}
	dst[meanTerm] = total / float64(s.loss.groups)
	s.sorted = append(s.sorted[:0], s.all...)
	slices.Sort(s.sorted)
	dst[medianTerm] = s.sorted[len(s.sorted)/2]
	dst[worstTerm] = s.sorted[int(worst*float64(len(s.sorted)-1))]
	return factor * dst[meanTerm]
}

// section appends the divergence of each group of a section to s.all, and returns their sum; it returns false if one is not
// finite.
func (s *scorer) section(p *section) (sum float64, ok bool) {
	if !s.means(p) {
		return 0, false
	}
	s.masses(p)
	for g := range p.groups {
		z := 0.0
		for k := range p.lanes {
			z += s.mass[k*p.groups+g]
		}
		kl := p.entropy[g] + math.Log(z)
		s.all = append(s.all, kl)
		sum += kl
	}
	return sum, sum-sum == 0
}

// means evaluates the tree at all nodes, and sets s.mean to the mean of each group, in all its lanes. It returns false if a mean
// is not finite or larger than mostMean.
func (s *scorer) means(p *section) bool {
	width := p.panel.Width
	mean := s.mean[:width]
	clear(mean)
	s.evaluator.Enter(p.panel)
	for b := range p.panel.Blocks() {
		from, to := p.panel.Span(b)
		f := s.evaluator.Block(b)
		copy(s.values[from:to], f)
		if b < p.nodes {
			vec.FMA(mean, p.share[from:to], f, mean)
		}
	}
	upper := mean[:p.groups]
	for k := 1; k < p.lanes; k++ {
		vec.Add(upper, upper, mean[k*p.groups:(k+1)*p.groups])
	}
	for k := 1; k < p.lanes; k++ {
		copy(mean[k*p.groups:], upper)
	}
	for _, x := range upper {
		if !(math.Abs(x) <= mostMean) {
			return false
		}
	}
	return true
}

// mostMean limits the absolute mean of an expression at any θ, in nats. With a larger mean, terms that depend only on θ would
// make the other terms vanish in rounding, and a search would use that.
const mostMean = 1e4

// masses replaces s.values by exp(f + log weight − mean), and sums them for each lane in s.mass.
func (s *scorer) masses(p *section) {
	width := p.panel.Width
	mean, mass := s.mean[:width], s.mass[:width]
	clear(mass)
	for b := range p.panel.Blocks() {
		from, to := p.panel.Span(b)
		v := s.values[from:to]
		vec.Add(v, v, p.logWeight[from:to])
		vec.Sub(v, v, mean)
		vec.Exp(v, v)
		vec.Add(mass, mass, v)
	}
}

// probeBits is the number of significant bits to which fingerprinted values are rounded.
const probeBits = 16

// Fingerprint hashes the tree's values at the nodes of the probe, minus each group's first value, rounded to 16 significant bits.
// So terms that depend only on θ do not change it. It reports whether all values are finite.
func (s *scorer) Fingerprint(t tree.Tree) (hash uint64, finite bool) {
	p := s.loss.probe
	s.evaluator.Start(t, p)
	hash = 0x9e3779b97f4a7c15
	first := s.x[:p.Width]
	for b := range p.Blocks() {
		for i, v := range s.evaluator.Block(b) {
			if v-v != 0 {
				return 0, false
			}
			if b == 0 {
				first[i] = v
				continue
			}
			const dropped = 52 - (probeBits - 1)
			bits := (math.Float64bits(v-first[i]+0) + 1<<(dropped-1)) >> dropped
			hash = (hash ^ bits) * 0xff51afd7ed558ccd
			hash ^= hash >> 32
		}
	}
	return hash, true
}
