package evidence

import (
	"math"
	"slices"
)

// solution is a solved stream: the densities of first passage through the upper and the lower boundary at the nodes of its panels.
type solution struct {
	*path
	dim   int          // number of parameters
	flux  [2]dual      // the densities at the nodes
	log   [2]dual      // log flux + lead/τ + 1.5·log τ, which is smooth at small τ
	lead  [2]float64   // half the squared distance of the boundary from the start, divided by σ²
	turn  [2][]float64 // the derivatives of lead in the parameters
	ended bool         // whether the process is over before the last time that was asked for
	meet  float64      // the time at which the boundaries meet; +Inf if they do not meet within the panels
	late  []float64    // derivatives that [solution.lateSurvival] needs
	last  [2]int       // the first unreliable node: from it on, the density is a small difference of large numbers
}

// solve returns the solution up to the time most, or nil if the start is not between the boundaries.
func (s *stream) solve(w *work, most float64) *solution {
	start, slopes := s.start.at(&w.tape, w.mem, len(s.params), w.symbols)
	b, ok := s.begin(w, start)
	if !ok {
		return nil
	}
	edges, meet := s.grid(w, b, most)
	aged := most
	if !math.IsInf(meet, 1) {
		aged = 0
	}
	from := w.originOf(&s.start, start, slopes, b)
	for round, solved := 0, 0; ; round++ {
		last, known := w.equations, w.sol
		p := s.path(w, edges, aged)
		w.sol = solution{path: p, dim: w.dim, meet: meet}
		w.equations = volterra{work: w, path: p, sides: p.sides, sol: &w.sol, from: from, far: last.far}
		w.equations.prepare(b)
		w.equations.take(&last, &known, solved)
		w.equations.run(solved)
		if round == len(unseen) {
			return &w.sol
		}
		if edges, solved = w.equations.refine(edges, round); solved < 0 {
			return &w.sol
		}
	}
}

// refine halves panels on which the solution is not close enough to the exponential of a polynomial. It returns the new edges and the
// number of panels before the first halved one, or -1 if none was halved.
func (v *volterra) refine(edges []float64, round int) (finer []float64, good int) {
	good = -1
	finer = append(v.second[:0], edges[0])
	for e := range len(edges) - 1 {
		if v.blur < edges[e] && e+1 < len(v.edges) && v.rough(e, unseen[round]) && len(finer) < mostPanels {
			if good < 0 {
				good = e
			}
			finer = append(finer, middle(edges[e], edges[e+1]))
		}
		finer = append(finer, edges[e+1])
	}
	v.first, v.second = finer, v.first
	return finer, good
}

// rough reports whether the logarithm of a density on panel e differs too much from its polynomial. The error is taken to be the next
// coefficient of a series in Legendre's polynomials, whose coefficients fall as the last four do. The error of the slope is some 30
// times as large, divided by the length of the panel. It may be 3e-5 of the slope.
func (v *volterra) rough(e int, unseen float64) bool {
	first, h := e*order, v.edges[e+1]-v.edges[e]
	for k := range v.sides {
		if first+order > v.sol.last[k] || slices.Max(v.sol.flux[k].v[first:first+order]) < unseen*v.peak {
			continue
		}
		var c [4]float64
		log := v.sol.log[k].v[first : first+order]
		for i := range c {
			for j, y := range log {
				c[i] += rule.series[(order-1-i)*order+j] * y
			}
			c[i] = math.Abs(c[i])
		}
		fall := min(1, math.Sqrt(max(c[0], c[1])/max(c[2], c[3], 1e-300))) // the ratio of a coefficient to the one before it
		next := max(c[0], c[1]*fall) * fall
		from, to := v.sol.density(k, first), v.sol.density(k, first+order-1)
		if next > v.set.rough || next > v.set.rough*max(h, math.Abs(to-from)) {
			return true
		}
	}
	return false
}

// density returns the log density of boundary k at a node.
func (s *solution) density(k, at int) float64 {
	return s.log[k].v[at] - s.lead[k]/s.tau[at] - 1.5*math.Log(s.tau[at])
}

// derivative returns the derivative of density in parameter p.
func (s *solution) derivative(k, at, p int) float64 {
	return s.log[k].d[at*s.dim+p] - s.turn[k][p]/s.tau[at]
}

// unseen holds a share of a density's peak for each time that panels may be halved after a solution. Below it, the density need not
// be close to the exponential of a polynomial. Later shares are larger: on ever shorter panels the noise of small late densities
// would be taken for their shape.
var unseen = [3]float64{2e-8, 1e-6, 1e-6}

// volterra solves the equations panel by panel.
type volterra struct {
	*work
	*path
	sides       int        // number of boundaries that end the process
	sol         *solution  // the densities that solve the equations
	from        *origin    // the starting points
	peak        float64    // the largest density so far
	away        [2]float64 // the distances of the boundaries from the start at time 0
	firstActive int        // the first node whose density is not negligible

	weighted              [2][]float64               // flux times the weight of its node
	dweighted             [2][]float64               // the derivatives of weighted in the parameters
	minus                 [2][]float64               // minus the derivatives of the boundaries in the parameters
	minusClock            []float64                  // minus the derivatives of the clock in the parameters
	far                   blocks                     // early panels as later ones see them
	points, moments, back [order * 2 * order]float64 // see matrices
	joining, bending      []float64                  // memory of joinTwo and bends
	largest               [3][]float64               // the largest derivatives of the clock and of the boundaries, by parameter
	pull                  [2][]float64               // see pulls
	inward                [2][]float64               // slopes of the boundaries, less pull
	fixedClock            bool                       // no parameter changes the clock

	// The following fields belong to the panel that is being solved. A row is a node at a boundary; the upper boundary's rows come
	// first.
	sums          [2 * order]sums
	slopes        []float64 // derivatives of the sums, without the term that depends on the node itself
	inverse       []float64
	scale         []float64
	rows          row
	system        [2 * order][2 * order]float64
	pivot         [2 * order]int
	right         [2 * order]float64     // the right-hand side of the system
	same          [2]row                 // kernels of the panel's own nodes, row-major
	acrossOwn     bool                   // whether flux at one boundary matters at the other boundary within the same panel
	reflector     reflector              // images of flux, where evidence is reflected
	across        [2]row                 // kernels between each node and earlier points of the panel at the other boundary
	byNode, roots [order * order]float64 // see atNodes and nearSame
}

// sums holds sums over sources: of kernels times fluxes (k), and of the derivatives of this in the distance, the clock and the
// boundary's slope.
type sums struct{ k, distance, clock, slope float64 }

// signs holds the sign of the equation of each boundary.
var signs = [2]float64{1, -1}

// prepare takes the memory of all panels.
func (v *volterra) prepare(b beginning) {
	n, sol := len(v.tau), v.sol
	for k := range v.bounds {
		v.minus[k] = v.mem.take(n * v.dim)
		for i, x := range v.bound[k].d {
			v.minus[k][i] = -x
		}
	}
	for k := range v.sides {
		sol.flux[k], sol.log[k], sol.last[k] = v.new(n), v.new(n), n
		v.weighted[k], v.dweighted[k] = v.mem.take(n), v.mem.take(n*v.dim)
		v.same[k], v.across[k] = newRow(v.mem, order*order), newRow(v.mem, order*inner)
		v.leads(k, b)
	}
	v.minusClock = v.mem.take(n * v.dim)
	v.fixedClock = true
	for i, x := range v.clock.d {
		v.minusClock[i] = -x
		v.fixedClock = v.fixedClock && x == 0
	}
	v.pulls(n)
	v.prepareReflector(b)
	most := order * max(n, inner)
	v.inverse, v.scale, v.rows = v.mem.take(most), v.mem.take(most), newRow(v.mem, most)
	v.slopes = v.mem.take(2 * order * v.dim)
	v.prepareBlocks(n)
}

// take copies the first panels of other equations and of their solution.
func (v *volterra) take(of *volterra, sol *solution, panels int) {
	n := panels * order
	if n == 0 {
		return
	}
	v.firstActive, v.peak = min(of.firstActive, n), of.peak
	for k := range v.sides {
		if last := sol.last[k]; last < n {
			v.sol.last[k] = last
		}
		v.sol.flux[k].take(sol.flux[k], n, v.dim)
		v.sol.log[k].take(sol.log[k], n, v.dim)
		copy(v.weighted[k], of.weighted[k][:n])
		copy(v.dweighted[k], of.dweighted[k][:n*v.dim])
	}
}

// run solves the panels from one on.
func (v *volterra) run(from int) {
	for e := from; e+1 < len(v.edges); e++ {
		v.panel(e)
		v.forget(e * order)
		if v.over(e * order) {
			v.edges = v.edges[:e+2]
			v.sol.ended = true
			for k := range v.sides {
				v.sol.last[k] = min(v.sol.last[k], (e+1)*order)
			}
			break
		}
	}
}

// pulling is the multiple of the second equation (see pulls) late in the process, divided by the half-distance of the boundaries.
// Errors are smallest from 4 to 8.
const pulling = 6

// pulls sets the multiples of a second equation that are added to the first. This only changes the slopes in the first. The second
// equation says that the free density at a boundary comes from all earlier flux, so that any multiple leaves the solution unchanged.
// Without it, too little flux at one boundary is made up for at the other. Such an error never fades, while densities do. At small times
// the second equation has fewer digits.
func (v *volterra) pulls(n int) {
	for k := range v.sides {
		v.inward[k], v.pull[k] = v.path.slope[k].v, v.mem.take(n)
	}
	if v.bounds == 1 {
		return
	}
	for k := range v.sides {
		v.inward[k] = v.mem.take(n)
		for i := range n {
			half := (v.bound[0].v[i] - v.bound[1].v[i]) / 2
			x := v.s.v[i] / (half * half)
			v.pull[k][i] = pulling * signs[k] / half * x * x / (1 + x*x)
			v.inward[k][i] = v.path.slope[k].v[i] - v.pull[k][i]
		}
	}
}

// forgotten is the share of its peak below which a density at first no longer counts once it has risen so far: what it adds to a late density of
// 1e-9 of the peak is 1e-9 of that.
const forgotten = 1e-18

// forget moves v.firstActive past panels before node first whose densities are tiny beside the peak.
func (v *volterra) forget(first int) {
	for ; v.firstActive < first; v.firstActive += order {
		for k := range v.sides {
			if slices.Max(v.sol.flux[k].v[v.firstActive:v.firstActive+order]) > forgotten*v.peak {
				return
			}
		}
	}
}

// over reports whether densities are negligible after the panel that begins at node first.
func (v *volterra) over(first int) bool {
	most := 0.0
	for k := range v.sides {
		for i, g := range v.sol.flux[k].v[first : first+order] {
			if g > v.peak { // a density is NaN where the clock has come to its end
				v.peak = g
			}
			if first+i < v.sol.last[k] {
				most = max(most, g)
			}
		}
	}
	if v.mirrored {
		return most < negligible*v.peak && !v.stays(first)
	}
	for k := range v.sides {
		if !v.reached(k, first) {
			return false
		}
	}
	return v.peak > 0 && most < negligible*v.peak
}

// stays reports whether some of the reflected evidence has not reached the boundary by the end of the panel that begins at node first. It comes later,
// however small the density is beside its peak.
func (v *volterra) stays(first int) bool {
	left := 1.0
	for _, x := range v.weighted[0][:first+order] {
		left -= x
	}
	return left > 1e-6
}

// negligible is the share of its peak below which a density is not solved for but continued: see [solution.beyond].
const negligible = 1e-9

// reached reports whether a Brownian motion without drift has had enough time, by node at, to reach boundary k.
func (v *volterra) reached(k, at int) bool { return 4*v.s.v[at] > v.away[k]*v.away[k] }

// leads sets lead and turn, which give the behaviour of the density of boundary k at small times.
func (v *volterra) leads(k int, b beginning) {
	bound, noise := b.f[fnUpper+2*k], b.f[fnNoise]
	at, slopes := v.from.low, v.from.dlow
	if k == 0 {
		at, slopes = v.from.high, v.from.dhigh
	}
	d := bound.v[0] - at
	v.away[k] = math.Abs(d)
	v.sol.lead[k] = d * d / (2 * noise.v[0])
	v.sol.turn[k] = v.mem.take(v.dim)
	for p := range v.sol.turn[k] {
		v.sol.turn[k][p] = d*(bound.d[p]-slopes[p])/noise.v[0] - v.sol.lead[k]*noise.d[p]/noise.v[0]
	}
}

// closest is the least distance between two panels at which kernels are polynomials on the earlier one. It is a share of the earlier
// panel's length.
const closest = 0.45

// panel computes the fluxes at the nodes of panel e.
func (v *volterra) panel(e int) {
	first := e * order
	if v.quiet(first) {
		v.firstActive = first + order
		for k := range v.sides {
			for i := range order {
				v.asymptote(k, first+i)
			}
		}
		return
	}
	v.sums = [2 * order]sums{}
	clear(v.slopes)
	v.beginning(first)
	start := v.initial()
	close := e - 1 // the first of the panels whose kernels change fast on this one
	for close > 0 && v.edges[e]-v.edges[close] < closest*(v.edges[close]-v.edges[close-1]) {
		close--
	}
	close = max(close, v.firstActive/order)
	if close*order > v.firstActive {
		v.distant(e, close)
	}
	for before := close; before < e; before++ {
		v.nearSame(e, before)
		v.nearAcross(e, before)
		if v.mirrored {
			v.nearImages(e, before)
		}
	}
	v.own(e)
	v.factor()
	v.fluxes(first, start)
	if v.dim > 0 {
		v.ownSlopes(e)
		v.derivatives(first)
	}
	h := v.edges[e+1] - v.edges[e]
	for k := range v.sides {
		for i := range order {
			at := first + i
			v.weighted[k][at] = h * rule.weight[i] * v.sol.flux[k].v[at]
			for p, d := range v.sol.flux[k].d[at*v.dim : (at+1)*v.dim] {
				v.dweighted[k][at*v.dim+p] = h * rule.weight[i] * d
			}
		}
	}
	v.logarithms(first)
}

// quiet reports whether all densities are negligible up to the end of the panel that begins at node first, since the start.
func (v *volterra) quiet(first int) bool {
	if v.firstActive < first {
		return false
	}
	for i := first; i < first+order; i++ {
		for k := range v.sides {
			if !v.silent(k, i, quietExponent) {
				return false
			}
		}
	}
	return true
}

// silent reports whether the density at which a free Brownian motion reaches boundary k by node at is below exp(-exponent).
func (v *volterra) silent(k, at int, exponent float64) bool {
	d := v.from.distance(k, v.bound[k].v[at])
	if v.mirrored { // evidence that drifts away is held back by the barrier
		d = min(d, v.reflector.height.v[at]-(v.from.high-v.reflector.barrier.v[0]))
	}
	return d > 0 && d*d > 2*exponent*v.s.v[at]
}
