package evidence

import "math"

// solution is a solved stream: the densities of first passage through the upper and the lower boundary at the nodes of its panels.
type solution struct {
	*path
	dim   int
	flux  [2]dual
	log   [2]dual      // log flux + lead/τ + 1.5·log τ, which is smooth at small τ; flux is the density at the nodes
	lead  [2]float64   // half the squared distance of the boundary from the start, divided by σ²
	turn  [2][]float64 // the derivatives of lead in the parameters
	ended bool         // whether the process is over before the last time that was asked for
	meet  float64      // the time at which the boundaries meet; +Inf if they do not meet within the panels
	last  [2]int       // the first unreliable node: from it on, the density is a small difference of large numbers
}

// solve returns the solution up to the time most, or nil if the start is not between the boundaries.
func (s *stream) solve(w *work, most float64) *solution {
	start, slopes := s.start.at(&w.tape, w.mem, s.dim, w.symbols)
	b, ok := s.begin(w, start)
	if !ok {
		return nil
	}
	edges, meet := s.grid(w, b, most)
	p := s.path(w, edges)
	w.sol = solution{path: p, dim: w.dim, meet: meet}
	w.equations = volterra{work: w, path: p, sides: p.sides, sol: &w.sol, from: w.originOf(&s.start, start, slopes, b)}
	w.equations.run(b)
	return &w.sol
}

// volterra solves the equations panel by panel.
type volterra struct {
	*work
	*path
	sides int
	sol   *solution
	from  *origin
	peak  float64
	away  [2]float64 // the distances of the boundaries from the start at time 0
	live  int        // the first node whose density is not negligible

	weighted  [2][]float64 // flux times the weight of its node
	dweighted [2][]float64 // the derivatives of weighted in the parameters
	minus     [2][]float64 // minus the derivatives of the boundaries in the parameters
	minusS    []float64    // minus the derivatives of the clock in the parameters
	pull      [2][]float64 // see pulls
	inward    [2][]float64 // slopes of the boundaries, less pull
	still     bool         // no parameter changes the clock

	// The following fields belong to the panel that is being solved. A row is a node at a boundary; the upper boundary's rows come
	// first.
	sums      [2 * order]sums
	slopes    []float64 // derivatives of the sums, without the term that depends on the node itself
	inverse   []float64
	scale     []float64
	rows      row
	system    [2 * order][2 * order]float64
	pivot     [2 * order]int
	same      [2]row // kernels of the panel's own nodes, row-major
	acrossOwn bool   // whether flux at one boundary matters at the other boundary within the same panel
	across    [2]row // kernels between each node and earlier points of the panel at the other boundary
}

// sums holds sums over sources: of kernels times fluxes (k), and of the derivatives of this in the distance, the clock and the
// boundary's slope (each).
type sums struct{ k, distance, clock, each float64 }

// signs holds the sign of the equation of each boundary.
var signs = [2]float64{1, -1}

func (v *volterra) run(b beginning) {
	n, sol := len(v.tau), v.sol
	for k := range v.sides {
		sol.flux[k], sol.log[k], sol.last[k] = v.new(n), v.new(n), n
		v.weighted[k], v.dweighted[k], v.minus[k] = v.mem.take(n), v.mem.take(n*v.dim), v.mem.take(n*v.dim)
		for i, x := range v.bound[k].d {
			v.minus[k][i] = -x
		}
		v.same[k], v.across[k] = newRow(v.mem, order*order), newRow(v.mem, order*inner)
		v.leads(k, b)
	}
	v.minusS = v.mem.take(n * v.dim)
	v.still = true
	for i, x := range v.clock.d {
		v.minusS[i] = -x
		v.still = v.still && x == 0
	}
	v.pulls(n)
	most := order * max(n, inner)
	v.inverse, v.scale, v.rows = v.mem.take(most), v.mem.take(most), newRow(v.mem, most)
	v.slopes = v.mem.take(2 * order * v.dim)
	for e := 0; e+1 < len(v.edges); e++ {
		if v.panel(e); v.over(e * order) {
			v.edges = v.edges[:e+2]
			sol.ended = true
			for k := range v.sides {
				sol.last[k] = min(sol.last[k], (e+1)*order)
			}
			break
		}
	}
}

// pulling is the multiple of the second equation late in the process, over the half-distance of the boundaries. Errors are smallest from 4 to 8.
const pulling = 6

// pulls sets the multiples of a second equation that are added to the first, which only makes its slopes other ones. The free density at a boundary is that of
// all flux since, so that any multiple has the same solution. Without it an error of what has left at one boundary is made up for at the other and
// never fades, while densities do. At small times the second equation has fewer digits.
func (v *volterra) pulls(n int) {
	for k := range v.sides {
		v.inward[k], v.pull[k] = v.path.slope[k].v, v.mem.take(n)
	}
	if v.sides == 1 {
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

// over reports whether densities are negligible after the panel that begins at node first.
func (v *volterra) over(first int) bool {
	most := 0.0
	for k := range v.sides {
		for i, g := range v.sol.flux[k].v[first : first+order] {
			v.peak = max(v.peak, g)
			if first+i < v.sol.last[k] {
				most = max(most, g)
			}
		}
	}
	for k := range v.sides {
		if !v.reached(k, first) {
			return false
		}
	}
	return v.peak > 0 && most < negligible*v.peak
}

// negligible is the share of its peak below which a density is continued as a straight line.
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

// panel computes the fluxes at the nodes of panel e.
func (v *volterra) panel(e int) {
	first := e * order
	if v.quiet(first) {
		v.live = first + order
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
	far, near := max(first-order, v.live), e > 0 && first-order >= v.live
	if far > v.live {
		v.distant(first, far)
	}
	if near {
		v.nearSame(e)
		v.nearAcross(e)
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
	if v.live < first {
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
	return d > 0 && d*d > 2*exponent*v.s.v[at]
}

// initial returns the absolute contribution of the start to each row.
func (v *volterra) initial() (size [2 * order]float64) {
	for r := range size {
		size[r] = math.Abs(v.sums[r].k)
	}
	return size
}

// reliable is the smallest share of what it is the difference of that a density may be, once it has come down from its peak. A start that is spread up to
// a boundary has next to no density at first.
const reliable = 1e-10

// lateExponent is that of a free motion's density, from which on a boundary's density may have come down from its peak.
const lateExponent = 20

// fluxes solves the linear system of a panel for the fluxes. start holds the contributions of the start.
func (v *volterra) fluxes(first int, start [2 * order]float64) {
	var g [2 * order]float64
	m := v.sides * order
	for r := range m {
		g[r] = signs[r/order] * v.sums[r].k
	}
	v.substitute(g[:m])
	for r := range m {
		k, at := r/order, first+r%order
		v.sol.flux[k].v[at] = g[r]
		late := !v.silent(k, at, lateExponent)
		if late && v.peak > 0 && g[r] < 1e-3*v.peak && !(g[r] > reliable*start[r]) && v.sol.last[k] > at {
			v.sol.last[k] = at
		}
	}
}

// derivatives solves the linear systems for the derivatives of the fluxes.
func (v *volterra) derivatives(first int) {
	m, dim := v.sides*order, v.dim
	var g [2 * order]float64
	for r := range m {
		k, at := r/order, first+r%order
		s, slopes := &v.sums[r], v.slopes[r*dim:(r+1)*dim]
		bound, clock := v.bound[k].d[at*dim:(at+1)*dim], v.clock.d[at*dim:(at+1)*dim]
		rate, slope, by := v.rate.d[at*dim:(at+1)*dim], v.path.slope[k].d[at*dim:(at+1)*dim], s.k/v.rate.v[at]
		for p := range slopes {
			slopes[p] = signs[k] * (slopes[p] + s.distance*bound[p] + s.clock*clock[p] + by*rate[p] + s.each*slope[p])
		}
	}
	for p := range dim {
		for r := range m {
			g[r] = v.slopes[r*dim+p]
		}
		v.substitute(g[:m])
		for r := range m {
			v.sol.flux[r/order].d[(first+r%order)*dim+p] = g[r]
		}
	}
}

// logarithms sets the logarithms of the fluxes of a panel.
func (v *volterra) logarithms(first int) {
	for k := range v.sides {
		flux, log := v.sol.flux[k], v.sol.log[k]
		for at := first; at < first+order; at++ {
			if v.silent(k, at, quietExponent) || !(flux.v[at] > 0) {
				v.asymptote(k, at)
				continue
			}
			log.v[at] = math.Log(flux.v[at]) + v.sol.lead[k]/v.tau[at] + 1.5*math.Log(v.tau[at])
			for p := range v.dim {
				log.d[at*v.dim+p] = flux.d[at*v.dim+p]/flux.v[at] + v.sol.turn[k][p]/v.tau[at]
			}
		}
	}
}

// asymptote sets the logarithm of a flux to that of a free Brownian motion from the nearest starting point.
func (v *volterra) asymptote(k, at int) {
	y, dy := v.from.low, v.from.dlow
	if k == 0 {
		y, dy = v.from.high, v.from.dhigh
	}
	d, s, rate := v.bound[k].v[at]-y, v.s.v[at], v.rate.v[at]
	speed := d / s
	q := speed - v.path.slope[k].v[at]
	log := v.sol.log[k]
	log.v[at] = -d*speed/2 - 0.5*math.Log(2*math.Pi*s) + math.Log(math.Abs(q)*rate) + v.sol.lead[k]/v.tau[at] + 1.5*math.Log(v.tau[at])
	for p := range v.dim {
		i := at*v.dim + p
		dd, ds := v.bound[k].d[i]-dy[p], v.s.d[i]
		dspeed := (dd - speed*ds) / s
		log.d[i] = -speed*dd + (speed*speed/2-1/(2*s))*ds + v.rate.d[i]/rate + (dspeed-v.path.slope[k].d[i])/q + v.sol.turn[k][p]/v.tau[at]
	}
}
