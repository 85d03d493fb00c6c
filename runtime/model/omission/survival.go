package omission

import (
	"math"
	"slices"
	"sync"

	"likc/runtime/model/kernel"
	"likc/runtime/num/quadrature"
)

// The integral of a density over time is a sum over panels that follow the density: a panel in which the rule is not accurate gives way to
// four. Where a panel may lie does not depend on parameters. So its points are bound to the model once, and the derivative of the integral
// is the same sum of derivatives. Values alone say which panels are accurate, so a value has the same panels with slopes and without.

const (
	tolerance  = 1e-10   // the error of an accurate panel, as a share of the integral
	negligible = 1e-8    // the share of the integral in the last panel of a stretch that needs no further stretch
	mostRounds = 24      // rounds of divisions in an evaluation
	mostLeaves = 1 << 10 // panels of an integral that is divided further
	mostKept   = 1 << 13 // bound stretches that a model keeps
	least      = 1e-250  // a density: where it is lower, slopes may be undefined
	parts      = 4       // pieces into which a panel is divided
	together   = 8       // panels of a stretch that are divided at a time
	shortest   = 1e-13   // the width of the shortest panel that is divided, as a share of its time
	mostOnset  = 2e-3    // seconds: a longer panel with the onset inside may miss what comes soon after it
	firstPanel = 0.06    // seconds
	growth     = 1.6     // ratio of the widths of successive panels
	firstCount = 12      // panels in the stretch after a deadline: for most models and parameters no other panels are wanted
	laterCount = 5       // panels in a later stretch
)

// panel is an interval of time.
type panel struct{ from, to float64 }

// stretch is panels, bound to the model with some choices. Rows are in order of choice, panel, point.
type stretch struct {
	choices []float64
	panels  []panel
	rows    kernel.Rows
	mutex   sync.Mutex
	divided map[set]*stretch // the parts of some of the panels
}

// set is some panels of a stretch: bit k of word k/64 stands for panel k. A stretch has no more than 128.
type set [2]uint64

func (s *set) add(k int)      { s[k/64] |= 1 << (k % 64) }
func (s *set) has(k int) bool { return s[k/64]>>(k%64)&1 == 1 }

// newStretch binds panels.
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

// between returns the panels between ends.
func between(ends []float64) (all []panel) {
	for k := range len(ends) - 1 {
		all = append(all, panel{ends[k], ends[k+1]})
	}
	return all
}

// beyond returns stretches from a deadline on. Panels become longer, to the end after 10¹³ s: a race without drift has heavy tails. The model's
// own lapses end where a panel does.
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
			place, found := slices.BinarySearch(ends, l.Until)
			if !found {
				ends = slices.Insert(ends, place, l.Until)
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

// before returns a stretch up to a deadline, of the choice that is not to respond.
func (c *Censored) before(deadline float64) (*stretch, error) {
	const shortPanel = 0.2 // seconds
	ends := []float64{0}
	for at := 0.0; at < deadline; {
		at += max(shortPanel, at/2)
		if at > deadline-shortPanel/4 { // no panel is tiny
			at = deadline
		}
		ends = append(ends, at)
	}
	return c.newStretch([]float64{c.silent}, between(ends))
}

// divide returns the parts of some panels. It keeps them, so that they are bound once, while few are kept.
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
	if err != nil { // the panels themselves were bound before
		panic("omission: " + err.Error())
	}
	if c.kept.Add(1) <= mostKept {
		s.divided[some] = made
	}
	return made
}

// leaf is a panel of an integral. One that was divided has no mass, no slopes and no error.
type leaf struct {
	mass  float64 // its integral
	error float64 // an estimate of the integral's error
}

// measured is a stretch whose leaves begin at the first.
type measured struct {
	of    *stretch
	first int
}

// integral is the panels of an integral and their derivatives, by leaf and parameter.
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

// oneRow is survival by the closed form. Slopes are nil where they are not wanted.
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

// quadrature is survival by panels.
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

// total is the sum of the integrals of all leaves.
func (x *integral) total() (sum float64) {
	for i := range x.leaves {
		sum += x.leaves[i].mass
	}
	return sum
}

// refine divides the panels that are not accurate. It returns false where all are, or cannot be divided.
func (s *space) refine(c *Censored, gradient bool) (divided bool) {
	allowed, dim := tolerance*s.total(), len(s.slopes)
	for _, m := range s.stretches { // not those that are added meanwhile
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
