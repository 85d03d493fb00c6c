package omission

import (
	"math"
	"slices"
	"sync/atomic"

	"likc/runtime/likelihood"
	"likc/runtime/quadrature"
)

// The integral of a density over time is a sum over panels that follow the density: a panel in which the rule is not accurate gives way to
// four. Where a panel may lie does not depend on parameters. So its points are bound to the model once, and the derivative of the integral
// is the same sum of derivatives.

const (
	tolerance    = 1e-10   // the error of an accurate panel, as a share of the integral
	slopeError   = 1e-6    // that of a derivative, as a share of the integral
	negligible   = 1e-10   // the share of the integral in the last panel of a stretch that needs no further stretch
	mostDivided  = 160     // panels that are divided in an evaluation
	mostKept     = 1 << 13 // bound panels that a model keeps
	least        = 1e-250  // of a density: where it is lower, slopes may be undefined
	parts        = 4       // of a panel that is divided
	shortest     = 1e-13   // of a panel that is divided, as a share of its time
	mostOnset    = 2e-3    // seconds: a longer panel with the onset inside may miss what comes soon after it
	firstPanel   = 0.1     // seconds
	stretchCount = 6       // panels in a stretch
)

// stretch is consecutive panels, bound to the model with some choices. Rows are in order of choice, panel, point.
type stretch struct {
	choices []float64
	ends    []float64 // of the panels, one more than there are panels
	rows    likelihood.Rows
	parts   []atomic.Pointer[stretch] // of each panel
}

// newStretch binds panels between ends.
func (c *Censored) newStretch(choices, ends []float64) (*stretch, error) {
	var rt, choice []float64
	for _, side := range choices {
		for p := range len(ends) - 1 {
			rt = quadrature.Panel.Points(rt, ends[p], ends[p+1])
		}
		for len(choice) < len(rt) {
			choice = append(choice, side)
		}
	}
	rows, err := c.bind(rt, choice)
	if err != nil {
		return nil, err
	}
	return &stretch{choices: choices, ends: ends, rows: rows, parts: make([]atomic.Pointer[stretch], len(ends)-1)}, nil
}

// beyond returns stretches from a deadline on. Panels become longer, to the end after 10¹³ s: a race without drift has heavy tails. The model's
// own lapses end where a panel does.
func (c *Censored) beyond(deadline float64) (all []*stretch, err error) {
	const end = 1e13
	at, width := deadline, firstPanel
	for at < end {
		ends := []float64{at}
		for range stretchCount {
			at += width
			ends = append(ends, at)
			if width *= 2; at > 3 {
				width = 3 * at
			}
		}
		if l := c.base.Lapse; l != nil && ends[0] < l.Until && l.Until < at {
			place, found := slices.BinarySearch(ends, l.Until)
			if !found {
				ends = slices.Insert(ends, place, l.Until)
			}
		}
		s, err := c.newStretch(c.choices, ends)
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

// before returns a stretch up to a deadline, of the choice that is not to respond.
func (c *Censored) before(deadline float64) (*stretch, error) {
	ends := []float64{0}
	for at := 0.0; at < deadline; {
		at += max(2*firstPanel, at/2)
		if at > deadline-firstPanel/2 { // no panel is tiny
			at = deadline
		}
		ends = append(ends, at)
	}
	return c.newStretch([]float64{c.silent}, ends)
}

// part returns the parts of a panel. It keeps them, so that they are bound once, while few are kept.
func (c *Censored) part(s *stretch, panel int) *stretch {
	if known := s.parts[panel].Load(); known != nil {
		return known
	}
	from, width := s.ends[panel], s.ends[panel+1]-s.ends[panel]
	var ends []float64
	for k := range parts {
		ends = append(ends, from+width*float64(k)/parts)
	}
	made, err := c.newStretch(s.choices, append(ends, s.ends[panel+1]))
	if err != nil { // the panel itself was bound before
		panic("omission: " + err.Error())
	}
	if c.kept.Add(1) <= mostKept {
		s.parts[panel].Store(made)
	}
	return made
}

// leaf is a panel of an integral.
type leaf struct {
	of    *stretch
	panel int
	mass  float64 // its integral
	error float64 // an estimate of the integral's error, or of a derivative's times tolerance/slopeError
}

// integral is the panels of an integral and their derivatives, by leaf and parameter.
type integral struct {
	leaves []leaf
	slopes []float64
}

// survival returns the log of the integrals of stretches at s.theta, and sets s.slopes to its derivatives.
func (t *tail) survival(s *space, gradient bool) float64 {
	for j, param := range s.theta {
		s.at[j] = param[0]
	}
	if s.onset = t.of.onset(s.at); t.of.sure && t.deadline <= s.onset {
		clear(s.slopes)
		return 0
	}
	s.leaves = s.leaves[:0]
	for k := range t.beyond {
		s.measure(t.beyond[k], gradient)
		if total := s.total(); total > 0 && s.leaves[len(s.leaves)-1].mass <= negligible*total {
			break
		}
	}
	if t.before != nil {
		s.measure(t.before, gradient)
	}
	total := s.total()
	for range mostDivided {
		worst := s.worst()
		if worst < 0 || !(s.leaves[worst].error > tolerance*total) {
			break
		}
		s.divide(t.of, worst, gradient)
		total = s.total()
	}
	clear(s.slopes)
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

// worst is the leaf of the greatest error that can be divided; -1 for none.
func (x *integral) worst() int {
	worst, most := -1, 0.0
	for i := range x.leaves {
		l := &x.leaves[i]
		if l.error > most && l.of.ends[l.panel+1]-l.of.ends[l.panel] > shortest*l.of.ends[l.panel+1] {
			worst, most = i, l.error
		}
	}
	return worst
}

// divide replaces a leaf by its parts.
func (s *space) divide(c *Censored, i int, gradient bool) {
	divided, dim := s.leaves[i], len(s.slopes)
	s.measure(c.part(divided.of, divided.panel), gradient)
	last := len(s.leaves) - 1
	s.leaves[i] = s.leaves[last]
	copy(s.integral.slopes[i*dim:(i+1)*dim], s.integral.slopes[last*dim:])
	s.leaves, s.integral.slopes = s.leaves[:last], s.integral.slopes[:last*dim]
}

// measure adds the panels of a stretch to the leaves.
func (s *space) measure(of *stretch, gradient bool) {
	n, panels, dim := of.rows.N(), len(of.ends)-1, len(s.slopes)
	var grad [][]float64
	if gradient {
		for j := range s.grad {
			s.cut[j] = s.grad[j][:n]
		}
		grad = s.cut
	}
	of.rows.Each(s.theta, s.logp[:n], grad)
	s.integral.slopes = s.integral.slopes[:len(s.leaves)*dim]
	for p := range panels {
		s.leaves = append(s.leaves, s.leaf(of, p, grad))
	}
}

// leaf integrates over a panel of a stretch, whose log densities and derivatives are in s.logp and grad.
func (s *space) leaf(of *stretch, p int, grad [][]float64) leaf {
	l := leaf{of: of, panel: p}
	half := (of.ends[p+1] - of.ends[p]) / 2
	clear(s.values[:])
	for i := range s.terms {
		clear(s.terms[i][:])
	}
	for k := range of.choices {
		first := (k*(len(of.ends)-1) + p) * quadrature.PanelPoints
		for i := range s.values {
			f := half * math.Exp(s.logp[first+i])
			if f < least {
				continue
			}
			s.values[i] += f
			for j, g := range grad {
				s.terms[j][i] += f * g[first+i]
			}
		}
	}
	var off float64
	if l.mass, l.error = quadrature.Panel.Integrate(&s.values); of.ends[p] < s.onset && s.onset < of.ends[p+1] && half > mostOnset/2 {
		l.error = math.MaxFloat64
	}
	for j := range s.terms {
		slope := 0.0
		if grad != nil {
			slope, off = quadrature.Panel.Integrate(&s.terms[j])
			l.error = max(l.error, off*tolerance/slopeError)
		}
		s.integral.slopes = append(s.integral.slopes, slope)
	}
	return l
}
