package objective

import (
	"math"

	"likc/runtime/vec"
	"likc/search/columns"
	"likc/search/tree"
)

// violation is the loss of one violated constraint.
const violation = 1e3

// scorer scores trees against a table.
type scorer[F columns.Float] struct {
	loss      *Loss
	table     *table[F]
	evaluator *columns.Evaluator[F]
	profiler  profiler[F]
	targets   float64 // Σ target over all rows, of a fit up to a constant
	counts    Counts
}

// Counts says where scores ended and what was spared. Stages are what is left
// out where a loss is certain to be above its limit.
type Counts struct {
	Scores        int64          // trees scored
	Rejected      int64          // of them, not finite on a row of the data, or anywhere under Reject
	StoppedEarly  int64          // ended within the first section of the data
	StoppedData   int64          // ended within the data
	StoppedProxy  int64          // ended before the last parameter's proxy
	RowsAsked     int64          // rows of data and proxy in a full score, times Scores
	RowsEvaluated int64          // of them, visited
	Columns       columns.Counts // the interpreter's
}

// Counter is a scorer that counts.
type Counter interface{ Counts() Counts }

func newScorer[F columns.Float](l *Loss, t *table[F]) *scorer[F] {
	panels := []*columns.Panel[F]{t.probe}
	for _, s := range t.sections {
		panels = append(panels, s.panel)
	}
	for _, f := range t.profiles {
		panels = append(panels, f.panels...)
	}
	return &scorer[F]{
		loss: l, table: t, evaluator: columns.NewPanels(panels...),
		profiler: newProfiler[F](len(t.profiles[0].truth), l.settings.GridPoints),
	}
}

// Counts returns what the scorer has counted so far.
func (s *scorer[F]) Counts() Counts {
	c := s.counts
	c.Columns = s.evaluator.Counts
	return c
}

// Score is the loss and its terms. B counts the symbols that the tree as it
// stands lacks, and its constant leaves: what simplification would remove is
// left to [Loss.Violations]. Where the loss is certain to be above limit it
// returns a lower bound that is above limit, and the terms so far.
func (s *scorer[F]) Score(t tree.Tree, limit float64, dst []float64) float64 {
	for i := range dst {
		dst[i] = math.NaN()
	}
	s.counts.Scores++
	s.counts.RowsAsked += int64(s.table.size())
	violations := s.loss.missing(t.Symbols()) + t.Constants()
	penalty := violation * float64(violations)
	dst[len(s.loss.terms)-1] = float64(violations)
	s.evaluator.Load(t)
	fit, done := s.fit(limit-penalty, dst)
	if !done {
		return fit + penalty
	}
	r, done := s.recovery(fit+penalty, limit, dst)
	switch {
	case math.IsNaN(r):
		return math.Inf(1)
	case !done:
		return fit + penalty + s.loss.settings.Lambda*(1-r)
	}
	dst[len(s.loss.terms)-2] = r
	return fit + s.loss.settings.Lambda*(1-r) + penalty
}

// size is the rows of data and proxy.
func (t *table[F]) size() int {
	n := t.rows
	for _, f := range t.profiles {
		for _, p := range f.panels {
			n += p.Rows
		}
	}
	return n
}

// above reports whether a bound from below, itself rounded, is certainly above limit.
func above(bound, limit float64) bool { return bound-1e-9*math.Abs(bound) > limit }

// fit is the mean squared distance over the data, or the residual variance. It
// is not done where that is above limit, or +Inf for a value that is not finite.
func (s *scorer[F]) fit(limit float64, dst []float64) (fit float64, done bool) {
	var m moments
	for i := range s.table.sections {
		section := &s.table.sections[i]
		s.evaluator.Enter(section.panel)
		for b := range section.panel.Blocks() {
			from, to := section.panel.Span(b)
			s.counts.RowsEvaluated += int64(to - from)
			addBlock(&m, s.evaluator.Block(b), section.target[from:to], s.loss.settings.Fit == Variance)
			fit = m.fit(s.table.rows)
			if fit-fit != 0 {
				s.counts.Rejected++
				return math.Inf(1), false
			}
			if above(fit, limit) {
				s.stopped(i)
				return fit, false
			}
		}
	}
	dst[0] = m.squares / float64(s.table.rows)
	if s.loss.settings.Fit == Variance {
		dst[1] = fit
	}
	return fit, true
}

// stopped counts an end within a section of the data.
func (s *scorer[F]) stopped(section int) {
	if section == 0 {
		s.counts.StoppedEarly++
	} else {
		s.counts.StoppedData++
	}
}

// moments are Σ d² and, where asked for, Σ d over rows.
type moments struct {
	squares, sum float64
	seen         int
}

// fit is Σ d² / n, less what the best constant takes away of the rows seen: it
// only grows as rows are added.
func (m *moments) fit(n int) float64 {
	if m.seen == 0 {
		return m.squares / float64(n)
	}
	return max(0, m.squares-m.sum*m.sum/float64(m.seen)) / float64(n)
}

// addBlock adds a block's distances from the target.
func addBlock[F columns.Float](m *moments, f, target []F, sums bool) {
	switch f := any(f).(type) {
	case []float64:
		target := any(target).([]float64)
		m.squares += vec.SquaredDistance(f, target)
		if sums {
			m.sum += vec.Sum(f) - vec.Sum(target)
		}
	case []float32:
		target := any(target).([]float32)
		m.squares += vec.SquaredDistance32(f, target)
		if sums {
			m.sum += vec.Sum32(f) - vec.Sum32(target)
		}
	}
	if sums {
		m.seen += len(f)
	}
}

// recovery is R and its terms, parameter by parameter. It is not done where the
// rest of the loss plus λ(1 − R) is above limit whatever the parameters to come
// give (at most 1 each); R is then the bound. R is NaN for a rejected tree.
func (s *scorer[F]) recovery(rest, limit float64, dst []float64) (r float64, done bool) {
	n, first := len(s.table.profiles), s.loss.fitTerms()
	masks := s.loss.settings.NonFinite == Role
	total := 0.0
	for j := range s.table.profiles {
		f := &s.table.profiles[j]
		bound := (total + float64(n-j)) / float64(n)
		if above(rest+s.loss.settings.Lambda*(1-bound), limit) {
			s.counts.StoppedProxy++
			return bound, false
		}
		s.profiler.add(s.evaluator, f)
		for _, p := range f.panels {
			s.counts.RowsEvaluated += int64(p.Rows)
		}
		if !masks && !s.profiler.finite() {
			s.counts.Rejected++
			return math.NaN(), false
		}
		rho, edge := s.profiler.recovery(f, masks)
		dst[first+j], dst[first+n+j] = rho, edge
		total += rho - edge
	}
	return total / float64(n), true
}
