package regress

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"likc/compiler/expr"
	"likc/search/columns"
	"likc/search/evolve"
	"likc/search/tree"

	"gonum.org/v1/gonum/floats"
)

// Linear is the loss of trees that stand for b₀ + Σ bᵢ·tᵢ, where the tᵢ are the terms of the sum that a tree is: linear
// scaling [keijzer2003], with a coefficient for each term as in [searson2010]. That is the target under a link. The
// coefficients are those of least squares, also of the link. They are no part of a tree, and [Linear.Expr] writes them out.
//
// Trees whose terms have the same span have the same loss, so they have the same fingerprint. Beside the columns there is
// the leaf 1.
//
// References: [keijzer2003] M. Keijzer, Improving symbolic regression with interval arithmetic and linear scaling, EuroGP
// 2003. [searson2010] D. P. Searson et al., GPTIPS: an open source genetic programming toolbox for multigene symbolic
// regression, IMECS 2010.
type Linear struct {
	*Loss   // of the target under the link
	link    Link
	raw     []float64 // the target itself
	most    int       // terms with coefficients of their own
	pointer []float64 // a fixed direction in the space of the probe's rows
}

// one is the name of the leaf 1.
const one = "1"

const (
	mostTerms   = 8
	rowsPerTerm = 3 // of the data, at least: more terms would interpolate
)

// NewLinear returns the loss over columns of equal length, one a symbol, as [New] does. Links but the identity want a
// positive target.
func NewLinear(symbols []string, column [][]float64, target []float64, link Link) (*Linear, error) {
	linked, err := link.of(target)
	if err != nil {
		return nil, fmt.Errorf("regress: %w", err)
	}
	ones := make([]float64, len(target))
	for i := range ones {
		ones[i] = 1
	}
	loss, err := New(append(slices.Clone(symbols), one), append(slices.Clone(column), ones), linked)
	if err != nil {
		return nil, err
	}
	l := &Linear{Loss: loss, link: link, raw: target, most: max(1, min(mostTerms, len(target)/rowsPerTerm))}
	r := rand.New(rand.NewPCG(1, 1))
	for range l.probe.Columns[0] {
		l.pointer = append(l.pointer, r.NormFloat64())
	}
	return l, nil
}

// Remainder is the share of the target's own variance that t leaves; +Inf or NaN if t says nothing finite of some row.
func (l *Linear) Remainder(t tree.Tree) float64 {
	s := l.scorer()
	if !s.spanned(t, s.all, s.fit) {
		return math.Inf(1)
	}
	copy(s.residual, s.target)
	s.fit.reduce(s.residual, s.along)
	sum := 0.0
	for i, r := range s.residual {
		d := l.link.inverse(s.target[i]-r) - l.raw[i]
		sum += d * d
	}
	return sum / float64(len(l.raw)) / variance(l.raw)
}

// NewScorer returns a scorer, which is an [evolve.Fitter] too.
func (l *Linear) NewScorer() evolve.Scorer { return l.scorer() }

func (l *Linear) scorer() *linearScorer {
	rows, probed := len(l.target), len(l.pointer)
	return &linearScorer{Linear: l, plain: l.Loss.NewScorer().(*scorer),
		all: columns.NewEvaluator(&l.table), fit: newBasis(l.most+1, rows), residual: make([]float64, rows),
		probe: columns.NewEvaluator(&l.Loss.probe), span: newBasis(l.most+1, probed), shadow: make([]float64, probed),
		along: make([]float64, l.most+1)}
}

type linearScorer struct {
	*Linear
	all, probe *columns.Evaluator[float64]
	fit, span  *basis    // over all rows, and over the probe's
	residual   []float64 // over all rows
	shadow     []float64 // over the probe's rows: what the span leaves of the pointer
	along      []float64
	starts     []int
	list       [][2]int // where terms start and end
	plain      *scorer  // of trees as they stand, for fits
	terms      [2]float64
}

// Score is the share of the variance that the terms of t leave; +Inf if one is not finite on every row.
func (s *linearScorer) Score(t tree.Tree, _ float64, dst []float64) float64 {
	if !s.spanned(t, s.all, s.fit) {
		return math.Inf(1)
	}
	copy(s.residual, s.target)
	s.fit.reduce(s.residual, s.along)
	dst[0] = floats.Dot(s.residual, s.residual) / float64(len(s.target))
	loss := dst[0] / s.variance
	dst[1] = 1 - loss
	return loss
}

// shadowUnits is the number of steps in 1 that the pointer's projection is rounded to: many enough to tell spans apart, and
// few enough for bases that round differently.
const shadowUnits = 1 << 34

// Fingerprint hashes the projection of a fixed direction on the span of the terms over the probe's rows.
func (s *linearScorer) Fingerprint(t tree.Tree) (hash uint64, finite bool) {
	if !s.spanned(t, s.probe, s.span) {
		return 0, false
	}
	copy(s.shadow, s.pointer)
	s.span.reduce(s.shadow, s.along)
	for _, v := range s.shadow {
		hash = (hash ^ uint64(int64(math.Round(v*shadowUnits)))) * 0xff51afd7ed558ccd
		hash ^= hash >> 32
	}
	return hash, true
}

// spanned fills a basis with the constant and the terms of t; false if one is not finite.
func (s *linearScorer) spanned(t tree.Tree, values *columns.Evaluator[float64], b *basis) bool {
	s.split(t)
	b.begin()
	for _, term := range s.list {
		if !values.Evaluate(t.Cut(term[0], term[1]), b.next()) || !b.add() {
			return false
		}
	}
	return true
}

// split lists the terms of t, the whole first: sums and differences are taken apart as long as there are coefficients.
func (s *linearScorer) split(t tree.Tree) {
	s.starts = t.Starts(s.starts[:0])
	s.list = append(s.list[:0], [2]int{0, t.Size()})
	for i := 0; i < len(s.list) && len(s.list) < s.most; {
		start, end := s.list[i][0], s.list[i][1]
		if op, _ := t.Codes[end-1].Op(); op != expr.Add && op != expr.Sub {
			i++
			continue
		}
		middle := s.starts[end-2]
		s.list[i] = [2]int{start, middle}
		s.list = append(s.list, [2]int{middle, end - 1})
	}
}
