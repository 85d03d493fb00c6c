package hierarchy

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"likc/runtime/fit/nuts"
	"likc/runtime/model/bound"
	"likc/runtime/model/posterior"
)

// Prepared is a study with a chosen parameterisation and starting points of its chains.
type Prepared struct {
	*Study
	Gradients int             // number of gradients used to prepare
	Limit     int             // the most gradients that Sample may use, divided among the chains; 0: no limit. If a chain needs more, all end with ErrLimit
	Mode      *posterior.Mode // the mode of the density; for a study without groups, over the coefficients themselves
	mode      []float64       // the point around which chains start, on the scale of the study's coordinates
	sd        []float64       // standard deviation of each coordinate at the mode; NaN if unknown
}

// Prepare finds the posterior mode with non-centred coordinates, which are offsets divided by their spread. It then chooses the share of
// each offset, which says how far its coordinate is centred: from 0, not at all, to 1, entirely. Chains start near this mode. With Auto,
// let I be the information about an offset in the data of its level, and σ the standard deviation of its effect among levels, both at the
// mode. The offset gets the share
//
//	w = σ²I / (1 + σ²I),
//
// which is the part of the knowledge about the offset that comes from its own data. It is near 1 with many trials, and near 0 if
// the levels hardly differ. The estimate of σ² is a low one, because chains must be able to reach spreads near 0; see lowVariance.
//
// A study without formulas needs none of this: [nuts.Sample] chooses where its chains start.
func (s *Study) Prepare(ctx context.Context) (*Prepared, error) {
	p := &Prepared{Study: s}
	if !s.Varies() {
		return p, nil
	}
	for _, g := range s.groups {
		g.setShares(0)
	}
	post, e, err := s.posterior()
	if err != nil {
		return nil, err
	}
	from := s.withinSupport(post)
	find := post.MAPContext
	if len(s.coords) > mostDense {
		find = func(ctx context.Context, from []float64) (*posterior.Mode, error) {
			return post.MAPConditional(ctx, from, s.independent())
		}
	}
	mode, err := find(ctx, from)
	if err != nil && from != nil && ctx.Err() == nil {
		mode, err = find(ctx, nil)
	}
	if err != nil {
		return nil, fmt.Errorf("find where chains begin: %w", err)
	}
	p.Mode, p.Gradients = mode, mode.Gradients
	p.mode, p.sd = slices.Clone(mode.Theta), mode.SD
	copy(e.coefs, p.mode)
	for i, g := range e.groups {
		g.toOffsets(p.mode, e.coefs, e.workspaces[i])
	}
	for i, g := range s.groups {
		switch g.form {
		case Auto, "":
			p.chooseShares(e, g, e.groups[i])
		default:
			g.setShares(g.form.share())
		}
	}
	return p, nil
}

// mostDense is the largest number of coordinates for which all second derivatives at the mode are computed. The standard
// deviations with which chains begin follow from them. For more coordinates this would take too much time and memory.
const mostDense = 1000

// independent divides the coordinates into sets. If none is centred, the coordinates of a set do not interact. A set is the
// offsets of one effect at all levels, or a single other coordinate.
func (s *Study) independent() (sets [][]int) {
	for i := range s.coords {
		if !s.isOffset(i) {
			sets = append(sets, []int{i})
		}
	}
	for _, g := range s.groups {
		for k := range g.effects {
			var set []int
			for level := range g.levels {
				set = append(set, g.offset(level, k))
			}
			sets = append(sets, set)
		}
	}
	return sets
}

// withinSupport returns coordinates at which the search for the mode can start: the middle of every range. An exception is a
// parameter that must be smaller than response times, as for t < rt, if its link does not ensure this. It is set halfway to the
// fastest trial. Without such a parameter, withinSupport returns nil, because the search may start anywhere.
func (s *Study) withinSupport(post *posterior.Posterior) []float64 {
	onsets := s.onsets()
	if len(onsets) == 0 {
		return nil
	}
	coords := make([]float64, len(s.coords))
	post.Constrain(make([]float64, len(coords)), coords)
	for i, x := range onsets {
		coords[i] = x
	}
	return coords
}

// onsets returns values of coefficients, by index. They set each parameter that must be smaller than response times halfway to
// the fastest one.
func (s *Study) onsets() map[int]float64 {
	all := map[int]float64{}
	for _, l := range s.params {
		if !l.varies || l.fastest || !s.model.IsOnset(l.Name) {
			continue
		}
		start := l.inverses[0].At((max(l.Lower, 0) + l.highest) / 2)
		if math.IsNaN(start) || math.IsInf(start, 0) {
			continue // the range has no value below the fastest trial
		}
		for _, c := range l.levelColumns() {
			all[c.First] = start
		}
	}
	return all
}

// levelColumns returns the common columns that determine a parameter's level: the intercept, or, without one, the indicators of
// conditions.
func (l *linear) levelColumns() (indicators []bound.Term) {
	for _, c := range l.inside {
		if c.Level != nil || !isIndicator(c.Values) {
			continue
		}
		if !slices.Contains(c.Values, 0) {
			return []bound.Term{c}
		}
		indicators = append(indicators, c)
	}
	return indicators
}

// chooseShares sets the shares of the group g. e holds the coefficients at the mode, and `at` is its copy of the group.
func (p *Prepared) chooseShares(e *evaluation, g, at *group) {
	above, below := make([]float64, len(e.coefs)), make([]float64, len(e.coefs))
	for k, effect := range g.effects {
		u, information := make([]float64, len(g.levels)), make([]float64, len(g.levels))
		h := 1e-3 * max(e.coefs[effect.spread], 1e-2)
		e.shifted(at, k, h, above)
		e.shifted(at, k, -h, below)
		p.Gradients += 2
		for level := range g.levels {
			i := at.offset(level, k)
			u[level], information[level] = e.coefs[i], max(0, (below[i]-above[i])/(2*h))
		}
		variance := lowVariance(e.coefs[effect.spread], u, information)
		for level, x := range information {
			if w := shareOf(variance, x); !math.IsNaN(w) {
				g.shares[g.offset(level, k)-g.first] = w
			}
		}
	}
}

// shareOf returns the part of the knowledge about an offset that comes from its own data.
func shareOf(variance, information float64) float64 {
	return variance * information / (1 + variance*information)
}

// lowVariance returns a low but plausible variance of offsets among levels: the lowest with which the data are at most e² times less
// probable than with the likeliest one. It is 0 if the levels need not differ. u are the offsets at the mode for the given spread;
// information[j] is the information in the data of level j. The data of a level are taken to be normal, so its own estimate y of the
// offset is normal with the variance σ² + 1/I.
func lowVariance(spread float64, u, information []float64) float64 {
	const drop = 2
	logLik := func(variance float64) (sum float64) {
		for i, x := range information {
			if x > 0 {
				y, all := u[i]/shareOf(spread*spread, x), variance+1/x // at the mode, the prior draws y towards 0
				sum -= (math.Log(all) + y*y/all) / 2
			}
		}
		return sum
	}
	likeliest := likeliestVariance(spread, u, information)
	low, high, least := 0.0, likeliest, logLik(likeliest)-drop
	if !(logLik(0) < least) {
		return 0
	}
	for range 60 {
		if middle := (low + high) / 2; logLik(middle) < least {
			low = middle
		} else {
			high = middle
		}
	}
	return high
}

// likeliestVariance returns the variance of offsets with which the data in [lowVariance] are most probable, by the EM algorithm.
func likeliestVariance(spread float64, u, information []float64) float64 {
	variance := spread * spread
	for range 100 {
		next := 0.0
		for i, x := range information {
			w := shareOf(variance, x)
			if shrunk := w * u[i] / shareOf(spread*spread, x); w > 0 && !math.IsNaN(shrunk) {
				next += shrunk * shrunk
			}
			next += variance * (1 - w)
		}
		variance = next / float64(len(u))
	}
	return variance
}

// shifted writes the gradient of the log-likelihood with respect to the coefficients to grad, at the point where all of an effect's
// offsets are larger by h.
func (e *evaluation) shifted(g *group, effect int, h float64, grad []float64) {
	for level := range g.levels {
		e.coefs[g.offset(level, effect)] += h
	}
	e.study.bound.LogLikGrad(e.coefs, grad)
	for level := range g.levels {
		e.coefs[g.offset(level, effect)] -= h
	}
}

// carefulDelta is the default target of the acceptance statistic for narrow posteriors, which need small steps; see isNarrow.
const carefulDelta = 0.95

// isNarrow reports whether the posterior has narrow regions. One reason is correlations near 1 with spreads near 0. The other is an
// onset that varies by group, because its density falls steeply before the fastest trial of each level.
func (s *Study) isNarrow() bool {
	return slices.ContainsFunc(s.groups, func(g *group) bool {
		l := s.params[g.param]
		return g.correlated() || !l.fastest && s.model.IsOnset(l.Name)
	})
}

// Settings returns the settings with which the study is sampled, given the settings that the user asked for. In the result, Delta
// is set.
func (s *Study) Settings(asked nuts.Settings) nuts.Settings {
	switch {
	case asked.Delta != 0:
	case s.isNarrow():
		asked.Delta = carefulDelta
	default:
		asked.Delta = nuts.DefaultDelta(asked.Metric)
	}
	return asked
}

// Sample draws from the posterior. If the settings have no Inits, it chooses the starting points.
func (p *Prepared) Sample(ctx context.Context, s nuts.Settings) (*nuts.Result, error) {
	if s.Inits == nil && p.Varies() {
		var err error
		if s.Inits, err = p.Starts(s.NumChains, s.Seed, s.Stream); err != nil {
			return nil, err
		}
	}
	s = p.Settings(s)
	targets := make([]nuts.Target, s.NumChains)
	for i := range targets {
		var err error
		if targets[i], err = p.Target(); err != nil {
			return nil, err
		}
	}
	if p.Limit > 0 {
		limit(targets, p.Limit)
	}
	r, err := nuts.Sample(ctx, func(chain int) nuts.Target { return targets[chain] }, s)
	if r != nil {
		err = errors.Join(err, p.constrain(r.Draws))
	}
	return r, err
}
