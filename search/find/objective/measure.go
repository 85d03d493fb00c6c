package objective

import (
	"slices"

	"likc/runtime/num/vec"
	"likc/search/find/columns"
)

// measure sums distances of an expression from the target over rows.
type measure[F columns.Float] struct {
	kind string // MSE or Robust
	rows int    // total number of rows

	squares float64 // Σ d² over the rows so far
	bounded float64 // Σ d²/(9 + d²) = Σ 1 − 9/(9 + d²) over the rows so far, where d is the distance minus the median; only for Robust
	median  F       // the median distance, for Robust
	scratch []F     // working memory for the largest block
}

// half is the squared distance at which a row contributes half of its largest possible contribution.
const half = 9

// fit returns the sum over the rows so far divided by the total number of rows, so it never decreases as rows are added. It is
// not finite if a distance is not.
func (m *measure[F]) fit() float64 {
	squares := m.squares / float64(m.rows)
	if m.kind == MSE || squares-squares != 0 {
		return squares
	}
	return m.bounded / float64(m.rows)
}

// centred is the number of groups whose first trials determine the median distance.
const centred = 128

// centre sets the median to that of a section's distances.
func (m *measure[F]) centre(e *columns.Evaluator[F], s *section[F]) {
	e.Enter(s.panel)
	d := m.scratch[:len(s.target)]
	for i, f := range e.Block(0) {
		d[i] = f - s.target[i]
	}
	slices.Sort(d)
	m.median = d[len(d)/2]
}

// add adds the distances of a block's values f from the target to the sums.
func (m *measure[F]) add(f, target []F) {
	switch f := any(f).(type) {
	case []float64:
		target := any(target).([]float64)
		m.squares += vec.SquaredDistance(f, target)
		if m.kind == Robust {
			d := any(m.scratch[:len(f)]).([]float64)
			vec.Sub(d, f, target)
			vec.AddScalar(d, d, -float64(m.median))
			vec.Square(d, d)
			vec.AddScalar(d, d, half)
			vec.ScalarDiv(d, d, half)
			m.bounded += float64(len(f)) - vec.Sum(d)
		}
	case []float32:
		target := any(target).([]float32)
		m.squares += vec.SquaredDistance32(f, target)
		if m.kind == Robust {
			d := any(m.scratch[:len(f)]).([]float32)
			vec.Sub32(d, f, target)
			vec.AddScalar32(d, d, -float32(m.median))
			vec.Square32(d, d)
			vec.AddScalar32(d, d, half)
			vec.ScalarDiv32(d, d, half)
			m.bounded += float64(len(f)) - vec.Sum32(d)
		}
	}
}
