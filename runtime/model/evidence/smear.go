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
	smearReach  = 7.0  // onsets farther from their mean than this many standard deviations are neglected
	smearStep   = 1.5  // longest panel where the density changes as fast as the normal density, in standard deviations
	smearShared = 0.25 // longest interval of panels that share the nodes of one, in standard deviations
	smearPart   = 1.0  // longest part of a panel over which the product of the two densities is integrated, in standard deviations
)

// newSmear convolves the density of boundary k, which is known up to the time most, with a normal density of standard deviation sd, as far as
// that is possible.
func newSmear(w *work, sol *solution, k int, sd, most float64) *smear {
	at, weights, flux := sourcesOf(w, sol, k, sd, most)
	m := &w.smears[k]
	end := math.Inf(1)
	if solved := sol.edges[sol.whole(k)]; solved < most {
		end = solved + smearReach*sd
	}
	*m = smear{dim: w.dim, edges: smearEdges(m.edges[:0], sol, sd, min(most-smearReach*sd, end)), sol: sol, boundary: k, end: end, spare: w.mem.take(w.dim)}
	n := (len(m.edges) - 1) * order
	m.log, m.bySDs = w.new(n), w.mem.take(n)
	for q := range weights {
		weights[q] *= perRootTwoPi / sd
	}
	c := &w.convolution
	*c = convolution{work: w, at: at, weights: weights, flux: flux, sd: sd}
	c.normal, c.squares = w.mem.take(order*len(at)), w.mem.take(order*len(at))
	first, last := 0, 0
	for e := 0; e+1 < len(m.edges); e++ {
		first, last = window(at, first, last, m.edges[e]-smearReach*sd-sd, m.edges[e+1]+smearReach*sd+sd)
		c.panel(m, e, first, last)
	}
	return m
}

// convolution holds the points of a density and the memory of its convolution with a normal density.
type convolution struct {
	*work
	at, weights     []float64 // the points, and their weights times the constant factor of the normal density
	flux            dual      // the density at the points
	sd              float64
	value, spread   [order]float64
	normal, squares []float64 // for each node and point: the weighted normal density, and that times minus half the squared distance from its mean
}

// panel sets the density of m on panel e, from the points first to last-1.
func (c *convolution) panel(m *smear, e, first, last int) {
	n, dim := last-first, c.dim
	for j, x := range rule.x {
		normal, squares := c.normal[j*n:(j+1)*n], c.squares[j*n:(j+1)*n]
		vec.AddScalar(squares, c.at[first:last], -m.edges[e]-(m.edges[e+1]-m.edges[e])*x)
		vec.MulScalar(squares, squares, math.Sqrt2/2/c.sd)
		vec.Square(squares, squares)
		vec.Neg(squares, squares)
		vec.Exp(normal, squares)
		vec.Mul(normal, normal, c.weights[first:last])
		vec.Mul(squares, squares, normal)
	}
	value, spread := c.value[:], c.spread[:]
	clear(value)
	clear(spread)
	gemm.AddRows(value, c.normal[:order*n], c.flux.v[first:last], n, 1)
	gemm.AddRows(spread, c.squares[:order*n], c.flux.v[first:last], n, 1)
	slopes := m.log.d[e*order*dim : (e+1)*order*dim]
	gemm.AddRows(slopes, c.normal[:order*n], c.flux.d[first*dim:last*dim], n, dim)
	for j, v := range value {
		i := e*order + j
		if !(v > 1e-290) {
			m.log.v[i] = math.NaN()
			continue
		}
		m.log.v[i], m.bySDs[i] = math.Log(v), (-2*spread[j]-v)/(c.sd*v)
		for p := range dim {
			slopes[j*dim+p] /= v
		}
	}
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
// parts of panels that are short compared with sd. Panels that are much shorter than sd share the nodes of one panel. If the panels end
// before most, the density is continued as far as a normal onset can carry it into the wanted times.
func sourcesOf(w *work, sol *solution, k int, sd, most float64) (at, weights []float64, flux dual) {
	whole, tail := sol.whole(k), 0
	if whole > 0 && sol.edges[whole] < most {
		tail = int(2 * smearReach / smearPart)
	}
	total := tail * order
	for e := range whole {
		total += order * sol.parts(e, sd)
	}
	at, weights, flux = w.mem.take(total), w.mem.take(total), w.new(total)
	n := 0
	for e := 0; e < whole; {
		to := e + 1
		for to < whole && sol.edges[to+1]-sol.edges[e] < smearShared*sd {
			to++
		}
		if to > e+1 {
			w.share(sol, k, e, to, at[n:], weights[n:], flux.part(n, order, w.dim))
			n, e = n+order, to
			continue
		}
		h, m := sol.edges[e+1]-sol.edges[e], sol.parts(e, sd)
		values := w.at(sol.flux[k], e, rule.inParts(m))
		copy(flux.v[n:], values.v)
		copy(flux.d[n*w.dim:], values.d)
		for part := range m {
			for q, x := range rule.own.X {
				at[n], weights[n] = sol.edges[e]+h*(float64(part)+x)/float64(m), h*rule.own.Weight[q]/float64(m)
				n++
			}
		}
		e = to
	}
	total = n + tail*order
	at, weights, flux = at[:total], weights[:total], flux.part(0, total, w.dim)
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

// parts returns into how many parts panel e is divided, because it is long compared with sd.
func (s *solution) parts(e int, sd float64) int {
	return 1 + int((s.edges[e+1]-s.edges[e])/(smearPart*sd))
}

// share sets the nodes of the interval from edge `from` to edge `to` as points of weight 1, with the fluxes that give polynomials on the interval
// the same integrals as the density of boundary k on its panels.
func (w *work) share(sol *solution, k, from, to int, at, weights []float64, flux dual) {
	begin, h, n := sol.edges[from], sol.edges[to]-sol.edges[from], (to-from)*order
	moments := w.mem.take(order * n)
	var l [order]float64
	for j := range n {
		e := from + j/order
		rule.lagrange((sol.tau[e*order+j%order]-begin)/h, &l)
		weight := (sol.edges[e+1] - sol.edges[e]) * rule.weight[j%order]
		for q, y := range l {
			moments[q*n+j] = weight * y
		}
	}
	for q, x := range rule.x {
		at[q], weights[q] = begin+h*x, 1
	}
	gemm.AddRows(flux.v, moments, sol.flux[k].v[from*order:to*order], n, 1)
	gemm.AddRows(flux.d, moments, sol.flux[k].d[from*order*w.dim:to*order*w.dim], n, w.dim)
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
	value, _ = m.logAt(m.end, grad)
	from := m.sol.whole(m.boundary)*order - 1
	if from < 0 || math.IsInf(value, -1) {
		clear(grad)
		return math.Inf(-1), 0
	}
	spare := m.spare[:len(grad)]
	then, _ := m.sol.beyond(m.boundary, from, m.end, spare)
	for p := range grad {
		grad[p] -= spare[p]
	}
	now, slope := m.sol.beyond(m.boundary, from, t, spare)
	for p := range grad {
		grad[p] += spare[p]
	}
	if math.IsInf(then, -1) || math.IsInf(now, -1) {
		clear(grad)
		return math.Inf(-1), 0
	}
	return value - then + now, slope
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
	var f factors
	joined := e > 0 && !math.IsNaN(m.log.v[e*order-1])
	l, slope := rule.interpolate((t-m.edges[e])/h, joined, &f)
	first := (e+1)*order - len(l)
	clear(grad)
	m.bySD = 0
	for j, w := range l {
		at := first + j
		value += w * m.log.v[at]
		byTime += slope[j] / h * m.log.v[at]
		m.bySD += w * m.bySDs[at]
		for p := range grad {
			grad[p] += w * m.log.d[at*m.dim+p]
		}
	}
	if math.IsNaN(value) {
		clear(grad)
		return math.Inf(-1), 0
	}
	return value, byTime
}
