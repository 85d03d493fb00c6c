package evidence

import (
	"math"

	"likc/runtime/num/gemm"
	"likc/runtime/num/vec"
)

// smear is the density of a boundary after an onset that is normal: the convolution of both. Its own time begins at the mean of the onset.
type smear struct {
	edges []float64
	dim   int
	log   dual      // logarithms at the nodes of the panels
	bySDs []float64 // their derivatives by the standard deviation
	bySD  float64   // the derivative of the last log

	// Beyond end the density is continued in a straight line, which a normal curve hardly changes.
	sol      *solution
	boundary int
	end      float64
}

const (
	smearReach = 7.0 // standard deviations beyond which an onset does not lie
	smearStep  = 1.5 // longest panel where the density changes as fast as the normal curve does, in standard deviations
	smearPart  = 1.0 // longest part of a panel over which the product of both is integrated
)

// newSmear convolves the density of boundary k with a normal curve, up to a time.
func newSmear(w *work, sol *solution, k int, sd, most float64) *smear {
	at, weights, flux := sourcesOf(w, sol, k, sd)
	m := &w.smears[k]
	*m = smear{dim: w.dim, edges: smearEdges(m.edges[:0], sol, sd, most), sol: sol, boundary: k, end: math.Inf(1)}
	if last := min(sol.last[k], (len(sol.edges)-1)*order); sol.edges[len(sol.edges)-1] < most || last < (len(sol.edges)-1)*order {
		m.end = sol.tau[max(last-1, 0)] - smearReach*sd
	}
	n := (len(m.edges) - 1) * order
	m.log, m.bySDs = w.new(n), w.mem.take(n)
	row := w.mem.take(len(at))
	for e := 0; e+1 < len(m.edges); e++ {
		for j, x := range rule.x {
			i := e*order + j
			t := m.edges[e] + (m.edges[e+1]-m.edges[e])*x
			first, last := window(at, t-smearReach*sd-sd, t+smearReach*sd+sd)
			part := row[first:last]
			for q, s := range at[first:last] {
				z := (t - s) / sd
				part[q] = -0.5 * z * z
			}
			vec.Exp(part, part)
			value, bySD := 0.0, 0.0
			for q, s := range at[first:last] {
				z := (t - s) / sd
				part[q] *= weights[first+q] * rootTwoPi / sd
				value += part[q] * flux.v[first+q]
				bySD += part[q] * flux.v[first+q] * (z*z - 1) / sd
			}
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

// window returns the numbers of the sorted points from low to high: first, and one after the last.
func window(at []float64, low, high float64) (first, last int) {
	for first < len(at) && at[first] < low {
		first++
	}
	for last = first; last < len(at) && at[last] <= high; last++ {
	}
	return first, last
}

// sourcesOf are points at which the density of a boundary is evaluated, and their weights: Gauss's rule on the panels, or on parts that are short beside sd.
func sourcesOf(w *work, sol *solution, k int, sd float64) (at, weights []float64, flux dual) {
	total := 0
	parts := func(e int) int { return 1 + int((sol.edges[e+1]-sol.edges[e])/(smearPart*sd)) }
	for e := 0; e+1 < len(sol.edges); e++ {
		total += order * parts(e)
	}
	at, weights, flux = w.mem.take(total), w.mem.take(total), w.new(total)
	n := 0
	var l [order]float64
	for e := 0; e+1 < len(sol.edges); e++ {
		h, m := sol.edges[e+1]-sol.edges[e], parts(e)
		for part := range m {
			for q, x := range rule.own.X {
				share := (float64(part) + x) / float64(m)
				at[n], weights[n] = sol.edges[e]+h*share, h*rule.own.Weight[q]/float64(m)
				rule.lagrange(share, &l)
				for j := range order {
					node := e*order + j
					if node >= sol.last[k] {
						continue
					}
					flux.v[n] += l[j] * sol.flux[k].v[node]
					for p := range w.dim {
						flux.d[n*w.dim+p] += l[j] * sol.flux[k].d[node*w.dim+p]
					}
				}
				n++
			}
		}
	}
	return at, weights, flux
}

// smearEdges are the ends of panels, on each of which the convolution is close to the exponential of a polynomial.
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

// logAt returns the log density at a time after the mean onset, and its derivative by that time.
func (m *smear) logAt(t float64, grad []float64) (value, byTime float64) {
	last := len(m.edges) - 1
	if !(t > m.edges[0]) || last < 1 {
		clear(grad)
		return math.Inf(-1), 0
	}
	if t > m.end {
		m.bySD = 0
		return m.sol.logFlux(m.boundary, t, grad)
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
