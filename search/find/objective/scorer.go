package objective

import (
	"math"

	"likc/search/find/columns"
	"likc/search/find/tree"
)

// violation is the loss of one violated constraint.
const violation = 1e3

// scorer computes the loss of trees on a table.
type scorer[F columns.Float] struct {
	loss      *Loss
	table     *table[F]             // the rows on which trees are evaluated
	evaluator *columns.Evaluator[F] // evaluates trees
	profiler  profiler[F]           // computes profiles: recovery with one parameter estimated at a time
	climber   *climber              // computes the joint proxy: recovery with all parameters estimated at once; nil if there is none
	scratch   []F                   // working memory of the measure
	counts    Counts                // counts of scores
}

// Counts counts scores by the stage at which they ended. Once a loss is certain to be above its limit, later stages are not
// computed.
type Counts struct {
	Scores        int64          // trees scored
	Rejected      int64          // scores that ended because a value was not finite on a row of the data (or, under Reject, anywhere), or because the profiles were too low for a needed joint proxy
	StoppedEarly  int64          // scores that ended within the first section of the data
	StoppedData   int64          // scores that ended in a later section of the data
	StoppedProxy  int64          // scores that ended before the profile of the last parameter
	StoppedJoint  int64          // scores that ended before the joint proxy
	Joint         int64          // scores that computed the joint proxy
	RowsAsked     int64          // rows of the data and of the profiles that full scores would evaluate; the joint proxy's rows are not included
	RowsEvaluated int64          // rows that evaluations visited
	Columns       columns.Counts // counts of the evaluator of trees
}

// Counter is a scorer that counts its work.
type Counter interface{ Counts() Counts }

// newScorer returns a scorer with its own working memory.
func newScorer[F columns.Float](l *Loss, t *table[F]) *scorer[F] {
	panels := []*columns.Panel[F]{t.probe, t.centre.panel}
	most := t.centre.panel.Width
	for _, s := range t.sections {
		panels = append(panels, s.panel)
		most = max(most, s.panel.Width)
	}
	for _, f := range t.profiles {
		panels = append(panels, f.panels...)
	}
	s := &scorer[F]{
		loss: l, table: t, evaluator: columns.NewPanels(panels...),
		profiler: newProfiler[F](len(t.profiles[0].truth), l.settings.GridPoints),
		scratch:  make([]F, most),
	}
	if l.joint != nil {
		s.climber = newClimber(l.joint, l.settings.near())
	}
	return s
}

// Refiner is a scorer that has a joint proxy.
type Refiner interface {
	// Refine sets the first P numbers of dst to each parameter's correlation of joint estimates and truths, and the next P to each
	// parameter's fraction of estimates at an edge. It panics for a loss without joint proxy.
	Refine(t tree.Tree, dst []float64)
}

// Refine computes the joint proxy of a tree.
func (s *scorer[F]) Refine(t tree.Tree, dst []float64) { s.climber.refine(t, dst) }

// Counts returns what the scorer has counted so far.
func (s *scorer[F]) Counts() Counts {
	c := s.counts
	c.Columns = s.evaluator.Counts
	return c
}

// Score returns the loss and sets dst to its terms. B counts the symbols that the unsimplified tree lacks, and its constant leaves;
// [Loss.Violations] counts those of the simplified tree. If the loss is certain to be above limit, Score returns a lower bound that
// is above limit, and the terms computed so far.
func (s *scorer[F]) Score(t tree.Tree, limit float64, dst []float64) float64 {
	for i := range dst {
		dst[i] = math.NaN()
	}
	s.counts.Scores++
	s.counts.RowsAsked += int64(s.table.size(s.loss.settings.Fit))
	violations := s.loss.missing(t.Symbols()) + t.Constants()
	penalty := violation * float64(violations)
	dst[len(s.loss.terms)-1] = float64(violations)
	s.evaluator.Load(t)
	fit, done := s.fit(limit-penalty, dst)
	if !done {
		return fit + penalty
	}
	return s.recovery(t, fit+penalty, limit, dst)
}

// size returns the number of rows on which a full score evaluates a tree: those of the data and the profiles and, for a robust
// fit, those from which the median distance is computed.
func (t *table[F]) size(fit string) int {
	n := t.rows
	if fit == Robust {
		n += len(t.centre.target)
	}
	for _, f := range t.profiles {
		for _, p := range f.panels {
			n += p.Rows
		}
	}
	return n
}

// above reports whether a lower bound is certainly above limit, even though the bound is rounded.
func above(bound, limit float64) bool { return bound-1e-9*math.Abs(bound) > limit }

// fit returns the distance from the data by the chosen measure. done is false if the distance is above limit, or +Inf because a
// value is not finite.
func (s *scorer[F]) fit(limit float64, dst []float64) (fit float64, done bool) {
	m := measure[F]{kind: s.loss.settings.Fit, rows: s.table.rows, scratch: s.scratch}
	if m.kind == Robust {
		m.centre(s.evaluator, &s.table.centre)
		s.counts.RowsEvaluated += int64(len(s.table.centre.target))
	}
	for i := range s.table.sections {
		section := &s.table.sections[i]
		s.evaluator.Enter(section.panel)
		for b := range section.panel.Blocks() {
			from, to := section.panel.Span(b)
			s.counts.RowsEvaluated += int64(to - from)
			m.add(s.evaluator.Block(b), section.target[from:to])
			fit = m.fit()
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
	if m.kind != MSE {
		dst[1] = fit
	}
	return fit, true
}

// stopped counts a score that ended in the given section of the data.
func (s *scorer[F]) stopped(section int) {
	if section == 0 {
		s.counts.StoppedEarly++
	} else {
		s.counts.StoppedData++
	}
}

// recovery returns rest + λ(1 − R), and writes the terms of R to dst. Here rest is the distance plus the penalty. R is computed
// in stages: a profile for each parameter, then the joint proxy. Because no stage can contribute more than 1, recovery returns a
// lower bound as soon as the loss is certain to be above limit.
func (s *scorer[F]) recovery(t tree.Tree, rest, limit float64, dst []float64) (loss float64) {
	profiles, bound, done := s.profiles(rest, limit, dst)
	if !done {
		return bound
	}
	settings, joint := &s.loss.settings, 0.0
	var jointTerms []float64
	if settings.JointWeight > 0 {
		jointTerms = s.jointTerms(dst)
		clear(jointTerms)
	}
	if settings.JointWeight > 0 && settings.Lambda > 0 && profiles >= settings.JointFrom {
		if bound := s.bound(rest, profiles, 1); above(bound, limit) {
			s.counts.StoppedJoint++
			return bound
		}
		s.counts.Joint++
		joint = s.joint(t, jointTerms)
	} else if settings.JointNeeded {
		s.counts.Rejected++
		return math.Inf(1)
	}
	dst[len(s.loss.terms)-2] = s.mix(profiles, joint)
	return s.bound(rest, profiles, joint)
}

// jointTerms returns the part of dst that holds the joint proxy's terms: a correlation for each parameter, then an edge fraction for
// each. It follows the terms of the fit and of the profiles, which have the same order.
func (s *scorer[F]) jointTerms(dst []float64) []float64 {
	n, first := len(s.table.profiles), s.loss.fitTerms()
	return dst[first+2*n : first+4*n]
}

// profiles returns the mean of correlation minus edge fraction over the profiles. done is false if the loss is above limit, or +Inf
// because of a value that is not finite.
func (s *scorer[F]) profiles(rest, limit float64, dst []float64) (mean, loss float64, done bool) {
	n, first, settings := len(s.table.profiles), s.loss.fitTerms(), &s.loss.settings
	total := 0.0
	for j := range s.table.profiles {
		f := &s.table.profiles[j]
		if bound := s.bound(rest, (total+float64(n-j))/float64(n), 1); above(bound, limit) {
			s.counts.StoppedProxy++
			return 0, bound, false
		}
		s.profiler.sum(s.evaluator, f)
		for _, p := range f.panels {
			s.counts.RowsEvaluated += int64(p.Rows)
		}
		if settings.NonFinite == Reject && !s.profiler.finite() {
			s.counts.Rejected++
			return 0, math.Inf(1), false
		}
		rho, edge := s.profiler.recovery(f, settings)
		dst[first+j], dst[first+n+j] = rho, edge
		total += rho - edge
	}
	return total / float64(n), 0, true
}

// mix returns R, the part of the loss that measures recovery, from the parts of the two proxies.
func (s *scorer[F]) mix(profiles, joint float64) float64 {
	w := s.loss.settings.JointWeight
	return (1-w)*profiles + w*joint
}

// bound returns the loss for given values of the two parts of R. With the largest possible values, it is a lower bound.
func (s *scorer[F]) bound(rest, profiles, joint float64) float64 {
	return rest + s.loss.settings.Lambda*(1-s.mix(profiles, joint))
}

// joint returns the joint proxy's part of R: a weighted mean of two numbers. One is the mean of correlation minus edge fraction
// over all parameters, the other the value of the weakest parameter.
func (s *scorer[F]) joint(t tree.Tree, dst []float64) float64 {
	s.climber.refine(t, dst)
	n, mean, weakest := len(dst)/2, 0.0, 1.0
	for j := range n {
		r := dst[j] - dst[n+j]
		mean += r / float64(n)
		weakest = min(weakest, r)
	}
	share := s.loss.settings.JointWeakest
	return (1-share)*mean + share*weakest
}
