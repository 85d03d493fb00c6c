package ssm

import (
	"math"

	"likc/runtime/num/vec"
)

// starts averages a density over a uniform start, at a column of decision times. The density is that of ddm_sdv, in which the drift varies
// with the standard deviation sv. Let d be the distance of a start to the crossed boundary, D = 1 + sv²τ, and H the part of exactRows that
// does not depend on the drift. The log density at a start is
//
//	-(d+vτ)²/2τD - log(D)/2 + H(τ, width, near).
//
// A start is described by a number in (-1/2, 1/2), its place, which is uniform: its relative distance to the boundary is near +
// place·sz. So nothing is divided by sz, and sz = 0 needs no special case.
type starts struct {
	passage           // passage from the middle start
	sv, sz  float64   // standard deviation of the drift, and full width of the relative start
	places  []place   // the quadrature rule over starts
	series  series    // working memory: the series of a block of decision times, for one start
	sums    startSums // working memory: sums over starts
}

// place is a node of the quadrature over starts; see starts for the meaning of a place.
type place struct{ at, weight float64 }

// startSums holds sums over starts, for each decision time of a block. Each sum is that of the density, divided by exp(scale) and
// multiplied by the factor that its field names. In these factors root is d + vτ.
type startSums struct {
	scale                                 column
	one, root, square, placed             column // factors 1, root, root², place·root
	byTime, byWidth, byNear, placedByNear column // factors: the derivatives of H in τ, width and near, and place times the last
	spread, logSpread, logSum             column // D, log D, log of one
}

// startRules are quadrature rules for an interval of starts on which the exponent of the density changes by at most change.
var startRules = []struct {
	change float64 // largest change of the exponent
	nodes  []node  // nodes of the rule on (0, 1)
}{{0.05, gauss(3)}, {1, gauss(5)}, {4, gauss(8)}, {16, gauss(12)}}

// negligible is a difference of exponents: terms whose exponent is at least this much below the largest one are omitted.
const negligible = 32

// rule sets places to a quadrature rule that is accurate for decision times between from and to. If one of startRules serves for
// all starts, it returns that rule's index, so that other decision times can share the rule; otherwise it returns -1.
func (s *starts) rule(from, to float64) int {
	s.places = s.places[:0]
	if s.sz == 0 {
		s.places = append(s.places, place{0, 1})
		return 0
	}
	low, high := s.reach(from, to)
	for i, r := range startRules {
		if i+1 == len(startRules) || low+s.step(low, r.change, from, to) >= high {
			pieces := 0
			for at := low; at < high; pieces++ {
				end := min(high, at+s.step(at, r.change, from, to))
				if !(end > at) {
					end = high
				}
				for _, n := range r.nodes {
					s.places = append(s.places, place{at + (end-at)*n.at, (end - at) * n.weight})
				}
				at = end
			}
			if pieces == 1 && low == -0.5 && high == 0.5 {
				return i
			}
			return -1
		}
	}
	return -1
}

// gaussian returns the parts of a start's exponent, curve·(near-peak)²/2, at a decision time.
func (s *starts) gaussian(tau float64) (curve, peak float64) {
	return s.width / tau * s.width / (1 + s.sv*s.sv*tau), -s.drift * tau / s.width
}

// reach returns the smallest and the largest place outside which starts are negligible, for decision times between from and to.
func (s *starts) reach(from, to float64) (low, high float64) {
	low, high = 0.5, -0.5
	for _, tau := range [2]float64{from, to} {
		curve, peak := s.gaussian(tau)
		peak = (peak - s.near) / s.sz // as a place
		least := min(max(peak, -0.5), 0.5) - peak
		far := math.Sqrt(least*least + 2*negligible/curve/s.sz/s.sz)
		low, high = min(low, max(-0.5, peak-far)), max(high, min(0.5, peak+far))
	}
	return low, high
}

// step returns the length of an interval of starts that begins at a place and on which the exponent changes by at most change.
// Besides the Gaussian factor, the density contains, at late times, sines of frequency at most 2π and, at early times, a steep
// layer at the other boundary, in which the exponent's derivative is 2width²/τ. With the last rule, each step halves the distance
// to that boundary.
func (s *starts) step(at, change, from, to float64) float64 {
	near := s.near + at*s.sz
	slope, bend := 0.0, 0.0
	for _, tau := range [2]float64{from, to} {
		curve, peak := s.gaussian(tau)
		slope, bend = max(slope, curve*math.Abs(near-peak)*s.sz), max(bend, curve*s.sz*s.sz)
	}
	layer := change * max(1/(2*s.width/from*s.width+7), (1-near)/32) / s.sz
	return min(layer, 2*change/(slope+math.Sqrt(slope*slope+2*bend*change)))
}

// average evaluates decision times, in ascending order, with the quadrature rule in s.places. out[0] becomes the log of the mean density
// at each time. The other elements of out become its derivatives in drift, width, near, decision time, sv and sz.
func (s *starts) average(tau []float64, out [7][]float64) {
	for done := 0; done < len(tau); done += blockSize {
		n := min(blockSize, len(tau)-done)
		var part [7][]float64
		for j := range out {
			part[j] = out[j][done : done+n]
		}
		block := tau[done : done+n]
		for i, p := range s.places {
			s.add(p, block, i == 0)
		}
		s.finish(block, part)
	}
}

// add adds the density at the node p to the sums.
func (s *starts) add(p place, tau []float64, first bool) {
	g := passage{width: s.width, near: s.near + p.at*s.sz, far: s.far - p.at*s.sz}
	all := side{rt: tau}
	if all.extreme(&g, 0) {
		g.columns(&s.series, tau)
		s.weigh(&g, p, 0, len(tau), first)
		return
	}
	r := run{passage: g, distance: g.width * g.near, square: g.width * g.width}
	ends := r.spans(&all)
	if ends[1] < len(tau) {
		r.waves = newWaves(&g)
	}
	terms := [...]int{2, 4, largeTerms, fewWaves, 1}
	from := 0
	for span, end := range ends {
		if from == end {
			continue
		}
		if span < 2 {
			r.images(&s.series, tau[from:end], terms[span])
		} else {
			r.wavesAt(&s.series, tau[from:end], terms[span])
		}
		s.weigh(&g, p, from, end, first)
		from = end
	}
}

// columns fills a series by the formulas of passage, which are accurate everywhere: H is the log density for the drift -d/τ, with
// which the evidence would reach the boundary at τ without noise.
func (g *passage) columns(c *series, tau []float64) {
	for i, x := range tau {
		direct := *g
		direct.drift = -g.width * g.near / x
		p := direct.logDensity(x)
		c.tau[i], c.inverse[i] = x, 1/x
		c.value[i], c.byTime[i], c.byWidth[i], c.byNear[i] = p.value, p.time, p.width, p.near
	}
}

// weigh adds the densities of one start to the sums. Its series has been computed for the decision times with indices from, …, end-1.
func (s *starts) weigh(g *passage, p place, from, end int, first bool) {
	c, m, n := &s.series, &s.sums, end-from
	f := c.g[:n]
	square, distance := s.sv*s.sv, g.width*g.near
	for i := range f {
		root := distance + s.drift*c.tau[i]
		f[i] = c.value[i] - root*(root*c.inverse[i])/(2*(1+square*c.tau[i]))
	}
	if first {
		copy(m.scale[from:end], f)
		for _, sum := range [...]*column{&m.one, &m.root, &m.square, &m.placed, &m.byTime, &m.byWidth, &m.byNear, &m.placedByNear} {
			clear(sum[from:end])
		}
	}
	vec.Sub(f, f, m.scale[from:end])
	vec.Exp(f, f)
	one, roots, squares, placed := m.one[from:end], m.root[from:end], m.square[from:end], m.placed[from:end]
	time, wide, nearer, placedNearer := m.byTime[from:end], m.byWidth[from:end], m.byNear[from:end], m.placedByNear[from:end]
	for i, x := range f {
		x *= p.weight
		root := (distance + s.drift*c.tau[i]) * x
		near := c.byNear[i] * x
		one[i] += x
		roots[i] += root
		squares[i] += root * (distance + s.drift*c.tau[i])
		placed[i] += p.at * root
		time[i] += c.byTime[i] * x
		wide[i] += c.byWidth[i] * x
		nearer[i] += near
		placedNearer[i] += p.at * near
	}
}

// finish turns sums into the log of the mean and its derivatives.
func (s *starts) finish(tau []float64, out [7][]float64) {
	m, n, square := &s.sums, len(tau), s.sv*s.sv
	for i, x := range tau {
		m.spread[i] = 1 + square*x
	}
	vec.Log(m.logSpread[:n], m.spread[:n])
	vec.Log(m.logSum[:n], m.one[:n])
	for i, x := range tau {
		over, mean := 1/m.spread[i], 1/m.one[i]
		rate := over / x
		root, roots, placed := m.root[i]*mean, m.square[i]*mean, m.placed[i]*mean
		out[0][i] = m.scale[i] + m.logSum[i] - m.logSpread[i]/2
		out[1][i] = -root * over
		out[2][i] = m.byWidth[i]*mean - rate*(s.near*root+s.sz*placed)
		out[3][i] = m.byNear[i]*mean - rate*s.width*root
		out[4][i] = m.byTime[i]*mean + roots*rate*rate*(1+2*square*x)/2 - rate*s.drift*root - square*over/2
		out[5][i] = s.sv * over * (roots*over - x)
		out[6][i] = m.placedByNear[i]*mean - rate*s.width*placed
	}
}
