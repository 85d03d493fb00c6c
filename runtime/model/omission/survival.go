package omission

import (
	"math"
	"slices"
	"sync"

	"likc/runtime/model/kernel"
	"likc/runtime/num/quadrature"
)

// The integral of a density over time is a sum over panels that follow the density. A panel in which the rule is not accurate is
// divided into four. The possible panels do not depend on parameters. So their points are bound to the model once, and the
// derivative of the integral is the same weighted sum, of derivatives. Whether a panel is accurate depends only on values, so
// that the panels are the same with and without derivatives.

const (
	tolerance  = 1e-10   // error of an accurate panel, as a share of the integral
	negligible = 1e-8    // share of the integral in the last panel of a stretch below which no further stretch is needed
	mostRounds = 24      // most rounds of division in an evaluation
	mostLeaves = 1 << 10 // most panels of an integral
	mostKept   = 1 << 13 // most bound stretches that a model stores
	least      = 1e-250  // a density below which slopes may be undefined
	parts      = 4       // number of parts into which a panel is divided
	together   = 8       // number of panels of a stretch that are divided at a time
	shortest   = 1e-13   // width of the shortest panel that is divided, as a share of its time
	mostOnset  = 2e-3    // longest panel that contains the onset, in seconds; a longer one may miss a peak soon after it
	firstPanel = 0.06    // seconds
	growth     = 1.6     // ratio of the widths of successive panels
	firstCount = 12      // panels in the stretch after a deadline; enough for most models and parameters
	laterCount = 5       // panels in a later stretch
)

// panel is an interval of time.
type panel struct{ from, to float64 }

// stretch is a list of panels bound to the model with some choices. Rows are ordered by choice, panel, point.
type stretch struct {
	choices []float64
	panels  []panel
	rows    kernel.Rows
	mutex   sync.Mutex
	divided map[set]*stretch // for each set of panels that was divided, the stretch of their parts
}

// set is a set of panels of a stretch: bit k%64 of word k/64 is panel k. A stretch has at most 128 panels.
type set [2]uint64

func (s *set) add(k int)      { s[k/64] |= 1 << (k % 64) }
func (s *set) has(k int) bool { return s[k/64]>>(k%64)&1 == 1 }

// newStretch binds the points of panels to the model, with each of the choices.
func (c *Censored) newStretch(choices []float64, panels []panel) (*stretch, error) {
	var rt, choice []float64
	for _, side := range choices {
		for _, p := range panels {
			rt = quadrature.Panel.Points(rt, p.from, p.to)
		}
		for len(choice) < len(rt) {
			choice = append(choice, side)
		}
	}
	rows, err := c.bind(rt, choice)
	if err != nil {
		return nil, err
	}
	return &stretch{choices: choices, panels: panels, rows: rows, divided: map[set]*stretch{}}, nil
}

// between returns the panels between successive ends.
func between(ends []float64) (all []panel) {
	for k := range len(ends) - 1 {
		all = append(all, panel{ends[k], ends[k+1]})
	}
	return all
}

// beyond returns stretches from a deadline up to 10¹³ s, because a race without drift has heavy tails. Later panels are longer. If the
// model itself has lapses, the time at which their density ends is the end of a panel.
func (c *Censored) beyond(deadline float64) (all []*stretch, err error) {
	const end = 1e13
	at, width := deadline, firstPanel
	for at < end {
		ends, count := []float64{at}, laterCount
		if len(all) == 0 {
			count = firstCount
		}
		for range count {
			at += width
			ends = append(ends, at)
			if width *= growth; at > 20 {
				width = 4 * at
			}
		}
		if l := c.model.Lapse; l != nil && ends[0] < l.Until && l.Until < at {
			k, found := slices.BinarySearch(ends, l.Until)
			if !found {
				ends = slices.Insert(ends, k, l.Until)
			}
		}
		s, err := c.newStretch(c.choices, between(ends))
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

// before returns a stretch up to a deadline, for the choice without a response.
func (c *Censored) before(deadline float64) (*stretch, error) {
	const shortPanel = 0.2 // seconds
	ends := []float64{0}
	for at := 0.0; at < deadline; {
		at += max(shortPanel, at/2)
		if at > deadline-shortPanel/4 { // avoids a tiny panel
			at = deadline
		}
		ends = append(ends, at)
	}
	return c.newStretch([]float64{c.silent}, between(ends))
}

// divide returns a stretch with the parts of some panels of s. It stores that stretch for reuse, unless too many are stored.
func (c *Censored) divide(s *stretch, some set) *stretch {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if known := s.divided[some]; known != nil {
		return known
	}
	var all []panel
	for k, p := range s.panels {
		if !some.has(k) {
			continue
		}
		ends := make([]float64, parts+1)
		for i := range ends {
			ends[i] = p.from + (p.to-p.from)*float64(i)/parts
		}
		ends[parts] = p.to
		all = append(all, between(ends)...)
	}
	made, err := c.newStretch(s.choices, all)
	if err != nil { // cannot happen: the panels themselves were bound before
		panic("omission: " + err.Error())
	}
	if c.kept.Add(1) <= mostKept {
		s.divided[some] = made
	}
	return made
}

// leaf is a panel of an integral. A leaf that was divided has no mass, no slopes and no error.
type leaf struct {
	mass  float64 // the integral over the panel
	error float64 // an estimate of the integral's error
}

// measured is a stretch whose panels are leaves, with the index of the first leaf.
type measured struct {
	of    *stretch
	first int
}

// integral holds the leaves of an integral; slopes holds their derivatives, by leaf and parameter.
type integral struct {
	stretches []measured
	leaves    []leaf
	slopes    []float64
}

// survival returns the log of the integral at s.theta, and sets s.slopes to its derivatives.
func (t *tail) survival(s *space, gradient bool) float64 {
	for j, param := range s.theta {
		s.at[j] = param[0]
	}
	if s.onset = t.of.onset(s.at); t.of.sure && t.deadline <= s.onset {
		clear(s.slopes)
		return 0
	}
	var slopes []float64
	if gradient {
		slopes = s.slopes
	}
	switch {
	case t.survivor != nil:
		return t.oneRow(s, slopes)
	case t.of.closed != nil:
		return t.of.closed.LogSurvival(s.at, t.after, slopes)
	}
	return t.quadrature(s, gradient)
}

// oneRow does the same as survival, with the closed form. slopes is nil if derivatives are not wanted.
func (t *tail) oneRow(s *space, slopes []float64) float64 {
	var grad [][]float64
	if slopes != nil {
		for j := range s.cut {
			s.cut[j] = slopes[j:][:1]
		}
		grad = s.cut
	}
	t.survivor.Each(s.theta, s.logp[:1], grad)
	return min(s.logp[0], 0)
}

// quadrature does the same as survival, with panels.
func (t *tail) quadrature(s *space, gradient bool) float64 {
	s.stretches, s.leaves = s.stretches[:0], s.leaves[:0]
	for _, b := range t.beyond {
		s.measure(b, gradient)
		if total := s.total(); total > 0 && s.leaves[len(s.leaves)-1].mass <= negligible*total {
			break
		}
	}
	if t.before != nil {
		s.measure(t.before, gradient)
	}
	for range mostRounds {
		if !s.refine(t.of, gradient) {
			break
		}
	}
	clear(s.slopes)
	total := s.total()
	if !(total < 1) && !math.IsNaN(total) {
		return 0 // rounding, or a density whose mass is not quite 1
	}
	if gradient && total > 0 {
		for i := range s.leaves {
			for j := range s.slopes {
				s.slopes[j] += s.integral.slopes[i*len(s.slopes)+j] / total
			}
		}
	}
	return math.Log(total)
}

// total returns the sum of the integrals of all leaves.
func (x *integral) total() (sum float64) {
	for i := range x.leaves {
		sum += x.leaves[i].mass
	}
	return sum
}

// refine divides the panels that are not accurate. It returns false if all are accurate, or cannot be divided.
func (s *space) refine(c *Censored, gradient bool) (divided bool) {
	allowed, dim := tolerance*s.total(), len(s.slopes)
	for _, m := range s.stretches { // the range does not include stretches that the loop appends
		var some set
		count := 0
		for k, p := range m.of.panels {
			l := &s.leaves[m.first+k]
			if !(l.error > allowed) || !(p.to-p.from > shortest*p.to) || count == together || len(s.leaves) > mostLeaves {
				continue
			}
			some.add(k)
			count++
			*l = leaf{}
			clear(s.integral.slopes[(m.first+k)*dim:][:dim])
		}
		if count > 0 {
			s.measure(c.divide(m.of, some), gradient)
			divided = true
		}
	}
	return divided
}

// measure adds the panels of a stretch to the leaves.
func (s *space) measure(of *stretch, gradient bool) {
	n, dim := of.rows.N(), len(s.slopes)
	var grad [][]float64
	if gradient {
		for j := range s.grad {
			s.cut[j] = s.grad[j][:n]
		}
		grad = s.cut
	}
	of.rows.Each(s.theta, s.logp[:n], grad)
	s.stretches = append(s.stretches, measured{of, len(s.leaves)})
	s.integral.slopes = s.integral.slopes[:len(s.leaves)*dim]
	for k := range of.panels {
		s.leaves = append(s.leaves, s.leaf(of, k, grad))
	}
}

// leaf integrates over a panel of a stretch, whose log densities and derivatives are in s.logp and grad.
func (s *space) leaf(of *stretch, k int, grad [][]float64) (l leaf) {
	p := of.panels[k]
	half := (p.to - p.from) / 2
	clear(s.values[:])
	at := len(s.integral.slopes)
	for range s.slopes {
		s.integral.slopes = append(s.integral.slopes, 0)
	}
	slopes := s.integral.slopes[at:]
	for side := range of.choices {
		first := (side*len(of.panels) + k) * quadrature.PanelPoints
		for i := range s.values {
			f := half * math.Exp(s.logp[first+i])
			if f < least {
				continue
			}
			s.values[i] += f
			f *= quadrature.Panel.Weight[i]
			for j, g := range grad {
				slopes[j] += f * g[first+i]
			}
		}
	}
	l.mass, l.error = quadrature.Panel.Integrate(&s.values)
	if p.from < s.onset && s.onset < p.to && half > mostOnset/2 {
		l.error = math.MaxFloat64
	}
	return l
}
