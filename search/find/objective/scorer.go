package objective

import (
	"math"

	"likc/search/find/columns"
	"likc/search/find/tree"
)

// violation is the loss of one violated constraint.
const violation = 1e3

// scorer scores trees against a table.
type scorer[F columns.Float] struct {
	loss      *Loss
	table     *table[F]
	evaluator *columns.Evaluator[F]
	profiler  profiler[F]
	climber   *climber // nil without joint proxy
	scratch   []F      // memory of the measure
	counts    Counts
}

// Counts counts scores by the stage at which they ended. Once a loss is certain to be above its limit, the stages that are left are not computed.
type Counts struct {
	Scores        int64          // trees scored
	Rejected      int64          // evaluations that were not finite on a row of the data, or anywhere under Reject; or not worth a joint proxy that is needed
	StoppedEarly  int64          // scores that ended within the first section of the data
	StoppedData   int64          // scores that ended within the data
	StoppedProxy  int64          // scores that ended before the last parameter's proxy
	StoppedJoint  int64          // scores that ended before the joint proxy
	Joint         int64          // scores that computed the joint proxy
	RowsAsked     int64          // rows of data and proxy in a full score, times Scores
	RowsEvaluated int64          // rows that evaluations visited
	Columns       columns.Counts // the interpreter's
}

// Counter is a scorer that counts.
type Counter interface{ Counts() Counts }

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

// Refiner is a scorer with a joint proxy: a closer look at what is worth it.
type Refiner interface {
	// Refine writes each parameter's correlation of joint estimates and truths
	// to dst, then each one's fraction of estimates at an edge: 2P numbers. It
	// panics for a loss without joint proxy.
	Refine(t tree.Tree, dst []float64)
}

// Refine runs the joint proxy.
func (s *scorer[F]) Refine(t tree.Tree, dst []float64) { s.climber.refine(t, dst) }

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

// size returns the number of rows: those of data and proxy, and for a robust fit those that its centre is computed from.
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

// above reports whether a bound from below, itself rounded, is certainly above limit.
func above(bound, limit float64) bool { return bound-1e-9*math.Abs(bound) > limit }

// fit is the distance from the data by the chosen measure. It is not done where
// that is above limit, or +Inf for a value that is not finite.
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

// stopped counts an end within a section of the data.
func (s *scorer[F]) stopped(section int) {
	if section == 0 {
		s.counts.StoppedEarly++
	} else {
		s.counts.StoppedData++
	}
}

// recovery returns the rest of the loss plus λ(1 − R), and writes the terms of R to dst. R comes in stages: a profile for each parameter,
// then the joint proxy. It stops early, with a lower bound of the loss, once the loss is certain to be above limit, because no
// stage gives more than 1.
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

// jointTerms returns the part of dst with the joint proxy's terms: a correlation for each parameter, then an edge fraction for each. It
// follows the terms of the fit and those of the profiles, which are laid out in the same way.
func (s *scorer[F]) jointTerms(dst []float64) []float64 {
	n, first := len(s.table.profiles), s.loss.fitTerms()
	return dst[first+2*n : first+4*n]
}

// profiles is the mean of correlation less edge fraction in profiles. It is not done where the loss is above limit, or +Inf for
// a value that is not finite and may not be.
func (s *scorer[F]) profiles(rest, limit float64, dst []float64) (mean, loss float64, done bool) {
	n, first, settings := len(s.table.profiles), s.loss.fitTerms(), &s.loss.settings
	total := 0.0
	for j := range s.table.profiles {
		f := &s.table.profiles[j]
		if bound := s.bound(rest, (total+float64(n-j))/float64(n), 1); above(bound, limit) {
			s.counts.StoppedProxy++
			return 0, bound, false
		}
		s.profiler.add(s.evaluator, f)
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

// mix returns R, the part of the loss that says how well parameters are recovered.
func (s *scorer[F]) mix(profiles, joint float64) float64 {
	w := s.loss.settings.JointWeight
	return (1-w)*profiles + w*joint
}

// bound is the loss with the given parts of R.
func (s *scorer[F]) bound(rest, profiles, joint float64) float64 {
	return rest + s.loss.settings.Lambda*(1-s.mix(profiles, joint))
}

// joint is the mean of correlation less edge fraction in the joint proxy, and by
// its share that of the weakest parameter.
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
