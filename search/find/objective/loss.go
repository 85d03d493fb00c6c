package objective

import (
	"fmt"
	"math"
	"slices"

	"likc/compiler/expr"
	"likc/search/find/columns"
	"likc/search/find/evolve"
	"likc/search/find/tree"
)

// Loss is the objective over given rows. It never changes after New, so any number of scorers may use it at once.
type Loss struct {
	settings Settings
	header   *expr.Model     // the model that defines parameters, trial columns and support
	valuer   valuer          // computes the values of the symbols
	terms    []string        // names of the terms of a score
	double   *table[float64] // the rows in double precision; nil in single precision
	single   *table[float32] // the rows in single precision; nil in double precision
	joint    *plan           // the trials of the joint proxy; nil if there is none
}

// table holds all rows on which trees are evaluated, in one precision.
type table[F columns.Float] struct {
	sections  []section[F]      // the rows of the data
	centre    section[F]        // the first trial of each group; the median distance on these rows is subtracted from all distances
	rows      int               // number of rows of the data
	profiles  []profile[F]      // the recovery proxy of each parameter
	probe     *columns.Panel[F] // the rows of fingerprints
	probeData int               // number of rows of the probe that come from the data
}

// New prepares the objective for rows and a model. It uses the model's parameters with their ranges, its trial columns, support
// and reflection, but not its log density.
func New(rows Rows, header *expr.Model, s Settings) (*Loss, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	if err := rows.check(header.ParamNames(), len(header.Trials)); err != nil {
		return nil, err
	}
	for _, p := range header.Params {
		if !(p.Lower < p.Upper) || math.IsInf(p.Upper-p.Lower, 0) {
			return nil, fmt.Errorf("model %s: %s in [%v, %v] has no grid", header.Name, p.Name, p.Lower, p.Upper)
		}
	}
	subjects := rows.upper()
	if rows.Both != nil {
		subjects = *rows.Both
	}
	proxy, err := sampled(subjects, s.ProxyGroups, s.ProxyTrials)
	if err != nil {
		return nil, err
	}
	l := &Loss{settings: s, header: header, valuer: newValuer(header)}
	l.terms = terms(s, header.ParamNames())
	if s.Single {
		l.single = newTable[float32](&l.valuer, &rows, proxy, s)
	} else {
		l.double = newTable[float64](&l.valuer, &rows, proxy, s)
	}
	if s.JointGroups > 0 {
		joint, err := sampled(subjects, s.JointGroups, s.JointTrials)
		if err != nil {
			return nil, fmt.Errorf("joint %w", err)
		}
		if s.JointPoints > 0 && len(header.Trials) == 1 {
			joint = joint.condense(s.JointPoints)
		}
		if l.joint, err = newPlan(header, &l.valuer, joint); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// newTable arranges the rows of the data, of the profiles and of fingerprints in one precision.
func newTable[F columns.Float](p *valuer, rows *Rows, proxy sample, s Settings) *table[F] {
	t := &table[F]{sections: newSections[F](p, rows), rows: len(rows.RT) * len(rows.RT[0])}
	t.centre = newSection[F](p, rows.first(), 0, min(centred, len(rows.RT)))
	t.probe, t.probeData = newProbe[F](p, rows, proxy, s.GridPoints)
	for j := range p.params {
		t.profiles = append(t.profiles, newProfile[F](p, proxy, j, s.GridPoints))
	}
	return t
}

// terms returns the names of a score's terms.
func terms(s Settings, params []string) []string {
	names := []string{"mse"}
	if s.Fit != MSE {
		names = append(names, s.Fit)
	}
	names = append(names, perParameter(params, "rho_", "edge_")...)
	if s.JointWeight > 0 {
		names = append(names, perParameter(params, "joint_", "joint_edge_")...)
	}
	return append(names, "R", "B")
}

// perParameter returns, for each prefix, a name for each parameter.
func perParameter(params []string, prefixes ...string) (names []string) {
	for _, prefix := range prefixes {
		for _, p := range params {
			names = append(names, prefix+p)
		}
	}
	return names
}

// Symbols returns the names of the leaves: the parameters in the model's order, then the trial columns.
func (l *Loss) Symbols() []string { return l.valuer.symbols }

// Terms returns the names of the terms: mse; robust if Fit is Robust; rho and edge for each parameter; if the joint proxy has a
// weight, joint and joint_edge for each parameter; R, the weighted mean of both proxies; B. See the package comment.
func (l *Loss) Terms() []string { return l.terms }

// Blocks returns the differences of the two sides of the support's conditions, such as rt − t. A difference that is positive
// wherever there is a density is more likely than chance to be part of the density.
func (l *Loss) Blocks() (blocks []tree.Tree) {
	for _, s := range l.header.Groups()[0].Support {
		if t, err := tree.FromExpr(expr.New(expr.Sub, s.Right, s.Left), l.valuer.symbols); err == nil && t.Constants() == 0 {
			blocks = append(blocks, t)
		}
	}
	return blocks
}

// Settings returns the settings of the loss.
func (l *Loss) Settings() Settings { return l.settings }

// Header returns the model that defines the symbols.
func (l *Loss) Header() *expr.Model { return l.header }

// NewScorer returns a scorer with its own working memory, for one goroutine.
func (l *Loss) NewScorer() evolve.Scorer {
	if l.single != nil {
		return newScorer(l, l.single)
	}
	return newScorer(l, l.double)
}

// fitTerms returns the number of terms that come before those of recovery.
func (l *Loss) fitTerms() int {
	if l.settings.Fit != MSE {
		return 2
	}
	return 1
}

// Niche returns the niche of an expression: the set of parameters that it recovers, as bits. Bit j means that parameter j is recovered,
// with a correlation above ½ and fewer than half of the estimates at an edge. The estimates are those of the profiles. If the joint proxy
// has a weight, they are those of the joint proxy, and JointLeast replaces ½. For an expression whose joint proxy was not computed, they
// are those of the profiles, but bit n+j replaces bit j, where n is the number of parameters. So such an expression is never in the same
// niche as one with a joint proxy, because profiles without a joint proxy are weaker evidence.
func (l *Loss) Niche(terms []float64) (recovered uint16) {
	n, first, least, shift := len(l.valuer.params), l.fitTerms(), 0.5, 0
	if l.settings.JointWeight > 0 {
		if slices.ContainsFunc(terms[first+2*n:first+4*n], func(x float64) bool { return x != 0 }) {
			first, least = first+2*n, l.settings.JointLeast
		} else {
			shift = n
		}
	}
	for j := range min(n, 16-shift) {
		if terms[first+j] > least && terms[first+n+j] < 0.5 {
			recovered |= 1 << (shift + j)
		}
	}
	return recovered
}

// near returns the distance of a true value from a bound, as a fraction of the range, below which an estimate at that bound does not count
// as an edge. It is half the distance of two grid points, or 0.
func (s *Settings) near() float64 {
	if s.Edge == Missed {
		return 0.5 / float64(s.GridPoints-1)
	}
	return 0
}
