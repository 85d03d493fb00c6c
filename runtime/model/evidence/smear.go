package evidence

import (
	"math"

	"likc/runtime/num/gemm"
	"likc/runtime/num/vec"
)

// smear is the density of a boundary for an onset with a normal distribution: the convolution of the two. Its time begins at
// the mean onset.
type smear struct {
	edges []float64 // the ends of the panels, which are intervals of time
	dim   int       // number of parameters
	log   dual      // the log density at the nodes of the panels
	bySDs []float64 // the derivatives of log in the standard deviation of the onset
	bySD  float64   // the last of these derivatives

	// After the time end, the log density changes in the same way as the density before convolution.
	sol      *solution
	spare    []float64
	boundary int
	end      float64
}

const (
	smearReach = 7.0 // onsets farther from their mean than this many standard deviations are neglected
	smearStep  = 1.5 // longest panel where the density changes as fast as the normal density, in standard deviations
	smearPart  = 1.0 // longest part of a panel over which the product of the two densities is integrated, in standard deviations
)

// newSmear convolves the density of boundary k with a normal density of standard deviation sd, up to the time most.
func newSmear(w *work, sol *solution, k int, sd, most float64) *smear {
	at, weights, flux := sourcesOf(w, sol, k, sd, most)
	m := &w.smears[k]
	end := math.Inf(1)
	if solved := sol.edges[sol.whole(k)]; solved < most {
		end = solved + smearReach*sd
	}
	*m = smear{dim: w.dim, edges: smearEdges(m.edges[:0], sol, sd, min(most, end)), sol: sol, boundary: k, end: end, spare: w.mem.take(w.dim)}
	n := (len(m.edges) - 1) * order
	m.log, m.bySDs = w.new(n), w.mem.take(n)
	row, exponents := w.mem.take(len(at)), w.mem.take(len(at))
	first, last, inverse := 0, 0, 1/sd
	for q := range weights {
		weights[q] *= perRootTwoPi * inverse
	}
	for e := 0; e+1 < len(m.edges); e++ {
		for j, x := range rule.x {
			i := e*order + j
			t := m.edges[e] + (m.edges[e+1]-m.edges[e])*x
			first, last = window(at, first, last, t-smearReach*sd-sd, t+smearReach*sd+sd)
			part := row[first:last]
			for q, s := range at[first:last] {
				z := (t - s) * inverse
				part[q] = -0.5 * z * z
			}
			copy(exponents[first:last], part)
			vec.Exp(part, part)
			value, spread := smeared(part, weights[first:last], flux.v[first:last], exponents[first:last])
			bySD := (spread - value) * inverse
			if !(value > 1e-290) {
				m.log.v[i] = math.NaN()
				continue
			}
			m.log.v[i], m.bySDs[i] = math.Log(value), bySD/value
			if w.dim > 0 && last > first {
				slopes := m.log.d[i*w.dim : (i+1)*w.dim]
				gemm.AddRow(slopes, part, flux.d[first*w.dim:last*w.dim])
				for p := range slopes {
					slopes[p] /= value
				}
			}
		}
	}
	return m
}

// smeared multiplies the normal densities in part, which lack their constant factor, by weights. It returns the sums of the products with fluxes,
// and of these times the squared distance from the mean in standard deviations. exponents are minus half these squares.
func smeared(part, weights, flux, exponents []float64) (value, spread float64) {
	weights, flux, exponents = weights[:len(part)], flux[:len(part)], exponents[:len(part)]
	for q, x := range part {
		x *= weights[q]
		part[q] = x
		x *= flux[q]
		value += x
		spread -= 2 * x * exponents[q]
	}
	return value, spread
}

// window moves a range of indexes of the sorted points forward to those from low to high: the first one, and the one after the last.
func window(at []float64, first, last int, low, high float64) (int, int) {
	for first < len(at) && at[first] < low {
		first++
	}
	for last = max(first, last); last < len(at) && at[last] <= high; last++ {
	}
	return first, last
}

// whole returns the number of panels on which the density of boundary k is reliable at all nodes.
func (s *solution) whole(k int) int { return min(s.last[k]/order, len(s.edges)-1) }

// sourcesOf returns points at which the density of a boundary is evaluated, with weights: a Gauss rule on each panel, or on
// parts of panels that are short compared with sd. If the panels end before most, the density is continued as far as a normal
// onset can carry it into the wanted times.
func sourcesOf(w *work, sol *solution, k int, sd, most float64) (at, weights []float64, flux dual) {
	whole, tail := sol.whole(k), 0
	if whole > 0 && sol.edges[whole] < most {
		tail = int(2 * smearReach / smearPart)
	}
	total := tail * order
	parts := func(e int) int { return 1 + int((sol.edges[e+1]-sol.edges[e])/(smearPart*sd)) }
	for e := range whole {
		total += order * parts(e)
	}
	at, weights, flux = w.mem.take(total), w.mem.take(total), w.new(total)
	n := 0
	var l [order]float64
	for e := range whole {
		h, m := sol.edges[e+1]-sol.edges[e], parts(e)
		for part := range m {
			for q, x := range rule.own.X {
				share := (float64(part) + x) / float64(m)
				at[n], weights[n] = sol.edges[e]+h*share, h*rule.own.Weight[q]/float64(m)
				rule.lagrange(share, &l)
				for j := range order {
					node := e*order + j
					flux.v[n] += l[j] * sol.flux[k].v[node]
					for p := range w.dim {
						flux.d[n*w.dim+p] += l[j] * sol.flux[k].d[node*w.dim+p]
					}
				}
				n++
			}
		}
	}
	for part := range tail {
		for q, x := range rule.own.X {
			at[n], weights[n] = sol.edges[whole]+smearPart*sd*(float64(part)+x), smearPart*sd*rule.own.Weight[q]
			slopes := flux.d[n*w.dim : (n+1)*w.dim]
			log, _ := sol.beyond(k, whole*order-1, at[n], slopes)
			flux.v[n] = math.Exp(log)
			for p := range slopes {
				slopes[p] *= flux.v[n]
			}
			n++
		}
	}
	return at, weights, flux
}

// smearEdges returns the ends of panels. On each panel the convolution is close to the exponential of a polynomial.
func smearEdges(edges []float64, sol *solution, sd, most float64) []float64 {
	edges = append(edges, -smearReach*sd)
	for edges[len(edges)-1] < most {
		from := edges[len(edges)-1]
		step := smearStep * sd
		if from > 4*sd {
			e := sol.panelAt(from - 4*sd)
			step = max(step, 0.8*(sol.edges[e+1]-sol.edges[e]))
		}
		edges = append(edges, min(from+step, most))
	}
	return edges
}

// beyond returns the log density at a time t after end: its value at end, plus the change of the density before convolution
// since then.
func (m *smear) beyond(t float64, grad []float64) (value, byTime float64) {
	spare := m.spare
	if grad == nil {
		spare = nil
	}
	from := m.sol.whole(m.boundary)*order - 1
	if from < 0 {
		clear(grad)
		return math.Inf(-1), 0
	}
	add := func(sign, at float64) float64 {
		log, slope := m.sol.beyond(m.boundary, from, at, spare)
		value, byTime = value+sign*log, slope
		for p := range grad {
			grad[p] += sign * spare[p]
		}
		return log
	}
	if value, _ = m.logAt(m.end, grad); math.IsInf(value, -1) || math.IsInf(add(-1, m.end), -1) || math.IsInf(add(1, t), -1) {
		clear(grad)
		return math.Inf(-1), 0
	}
	return value, byTime
}

// logAt returns the log density at time t after the mean onset, and its derivative in t.
func (m *smear) logAt(t float64, grad []float64) (value, byTime float64) {
	last := len(m.edges) - 1
	if !(t > m.edges[0]) || last < 1 {
		clear(grad)
		return math.Inf(-1), 0
	}
	if t > m.end {
		return m.beyond(t, grad)
	}
	t = min(t, m.edges[last])
	e := 0
	for e+1 < last && m.edges[e+1] < t {
		e++
	}
	h := m.edges[e+1] - m.edges[e]
	var l, slope [order]float64
	x := (t - m.edges[e]) / h
	rule.lagrange(x, &l)
	rule.lagrangeSlope(x, &l, &slope)
	clear(grad)
	m.bySD = 0
	for j := range order {
		at := e*order + j
		value += l[j] * m.log.v[at]
		byTime += slope[j] / h * m.log.v[at]
		m.bySD += l[j] * m.bySDs[at]
		for p := range grad {
			grad[p] += l[j] * m.log.d[at*m.dim+p]
		}
	}
	if math.IsNaN(value) {
		clear(grad)
		return math.Inf(-1), 0
	}
	return value, byTime
}
