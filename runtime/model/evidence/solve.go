package evidence

import (
	"math"

	"likc/compiler/expr"
	"likc/runtime/num/gauss"
	"likc/runtime/num/gemm"
	"likc/runtime/num/vec"
)

// solution is a solved stream: the densities of first passage through the upper and the lower boundary at the nodes of its panels.
type solution struct {
	*path
	dim   int
	flux  [2]dual
	log   [2]dual      // logarithm of flux, plus lead/τ + 1.5·log τ, which is smooth at small τ
	lead  [2]float64   // half the squared distance of the boundary from the start, by the noise
	turn  [2][]float64 // the derivatives of lead
	ended bool         // the process is over before the time up to which it was asked for
	meet  float64      // when the boundaries meet; +Inf for never, as far as was looked
	last  [2]int       // nodes from this on are not reliable: their density is a small difference of large numbers
}

// solve returns the solution up to the time most; nil where the start is not between the boundaries.
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
	away  [2]float64 // distances of the boundaries from the start, at first
	live  int        // first node whose density is not negligible

	weighted  [2][]float64 // flux times the weight of its node
	dweighted [2][]float64 // its derivatives
	minus     [2][]float64 // minus the derivatives of the boundaries
	minusS    []float64    // minus those of the clock

	// Of the panel under way, by row: rows of a boundary are its nodes, and the upper boundary's come first.
	sums      [2 * order]sums
	slopes    []float64 // of the sums, without what depends on the node itself
	inverse   []float64
	scale     []float64
	rows      row
	system    [2 * order][2 * order]float64
	pivot     [2 * order]int
	same      [2]row // kernels of the panel's own nodes, row-major
	acrossOwn bool   // whether flux that leaves in the panel counts at the other boundary in it
	across    [2]row // those of the points below each node, of the other boundary
}

// sums are over sources: of kernels times fluxes, and of their derivatives by the distance, the clock and the slope of the boundary.
type sums struct{ k, distance, clock, each float64 }

// signs of the equations of both boundaries.
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
	for i, x := range v.s.d {
		v.minusS[i] = -x
	}
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

// over reports whether nothing that matters comes after the panel that begins at node first.
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

// reached reports whether by node at a free motion without drift has had time to come to boundary k.
func (v *volterra) reached(k, at int) bool { return 4*v.s.v[at] > v.away[k]*v.away[k] }

// leads sets how the density of a boundary behaves at small times.
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

// panel solves for the fluxes at the nodes of panel e.
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

// quiet reports whether nothing has arrived anywhere by the end of the panel that begins at node first.
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

// silent reports whether a free motion reaches boundary k by node at with a density below exp(-exponent).
func (v *volterra) silent(k, at int, exponent float64) bool {
	d := v.from.distance(k, v.bound[k].v[at])
	return d > 0 && d*d > 2*exponent*v.s.v[at]
}

// sources are points at which flux leaves: where, when by the clock, how much, and the derivatives of all three, the first two with another sign.
type sources struct {
	at, clock, flux          []float64
	minus, minusClock, dflux []float64
}

// add adds to the sums of boundary k what comes from sources; v.inverse and v.scale have a row for each node.
func (v *volterra) add(k, first int, of *sources) {
	n := len(of.at)
	for i := range order {
		at := first + i
		r := row{v.rows.k[i*n : (i+1)*n], v.rows.distance[i*n : (i+1)*n], v.rows.clock[i*n : (i+1)*n], v.rows.each[i*n : (i+1)*n]}
		r.kernels(v.bound[k].v[at], v.slope[k].v[at], v.rate.v[at], of.at, v.inverse[i*n:(i+1)*n], v.scale[i*n:(i+1)*n])
		v.sums[k*order+i].add(&r, of.flux, v.dim > 0)
	}
	if v.dim > 0 {
		slopes := v.slopes[k*order*v.dim : (k+1)*order*v.dim]
		gemm.AddRows(slopes, v.rows.k[:order*n], of.dflux, n, v.dim)
		gemm.AddRows(slopes, v.rows.distance[:order*n], of.minus, n, v.dim)
		gemm.AddRows(slopes, v.rows.clock[:order*n], of.minusClock, n, v.dim)
	}
}

// add adds kernels times fluxes; it leaves the derivatives in the row multiplied by the fluxes.
func (s *sums) add(r *row, flux []float64, slopes bool) {
	n := len(flux)
	k, distance, clock, each := r.k[:n], r.distance[:n], r.clock[:n], r.each[:n]
	var sum sums
	if !slopes {
		for j, g := range flux {
			sum.k += k[j] * g
		}
		s.k += sum.k
		return
	}
	for j, g := range flux {
		sum.k += k[j] * g
		distance[j] *= g
		sum.distance += distance[j]
		clock[j] *= g
		sum.clock += clock[j]
		sum.each += each[j] * g
	}
	s.k, s.distance, s.clock, s.each = s.k+sum.k, s.distance+sum.distance, s.clock+sum.clock, s.each+sum.each
}

// apart sets the inverse and the scale for sources at the given clocks.
func (v *volterra) apart(first int, clock []float64, weight func(j int) float64) {
	n := len(clock)
	for i := range order {
		now := v.s.v[first+i]
		inverse, scale := v.inverse[i*n:(i+1)*n], v.scale[i*n:(i+1)*n]
		for j, s := range clock {
			inverse[j] = 1 / (now - s)
			scale[j] = math.Sqrt(inverse[j]) * rootTwoPi
		}
		if weight != nil {
			for j := range clock {
				scale[j] *= weight(j)
			}
		}
	}
}

// rootTwoPi is 1/√(2π).
const rootTwoPi = 0.39894228040143267794

// distant adds what comes from the nodes before number far.
func (v *volterra) distant(first, far int) {
	from, dim := v.live, v.dim
	v.apart(first, v.s.v[from:far], nil)
	across := v.sides == 2 && v.crosses(first, v.s.v[from])
	for b := range v.sides {
		of := &sources{v.bound[b].v[from:far], v.s.v[from:far], v.weighted[b][from:far],
			v.minus[b][from*dim : far*dim], v.minusS[from*dim : far*dim], v.dweighted[b][from*dim : far*dim]}
		for k := range v.sides {
			if k == b || across {
				v.add(k, first, of)
			}
		}
	}
}

// crosses reports whether flux that left one boundary since the clock was at from counts at the other one, in the panel that begins at node first.
func (v *volterra) crosses(first int, from float64) bool {
	gap := math.Inf(1)
	for i := max(first-order, 0); i < first+order; i++ {
		gap = min(gap, v.bound[0].v[i]-v.bound[1].v[i])
	}
	return gap*gap < 2*crossExponent*(v.s.v[first+order-1]-from)
}

// nearSame adds what comes from the panel before e at the same boundary: kernels go as the root of the time since then.
func (v *volterra) nearSame(e int) {
	var weights [order][order]float64
	rule.rootsOver(v.edges[e]-v.edges[e-1], v.edges[e+1]-v.edges[e], &weights)
	first, from, dim := e*order, (e-1)*order, v.dim
	for i := range order {
		for j := range order {
			inverse := 1 / (v.s.v[first+i] - v.s.v[from+j])
			v.inverse[i*order+j] = inverse
			v.scale[i*order+j] = math.Sqrt((v.tau[first+i]-v.tau[from+j])*inverse) * rootTwoPi * weights[i][j]
		}
	}
	for k := range v.sides {
		flux := v.sol.flux[k]
		v.add(k, first, &sources{v.bound[k].v[from:first], v.s.v[from:first], flux.v[from:first],
			v.minus[k][from*dim : first*dim], v.minusS[from*dim : first*dim], flux.d[from*dim : first*dim]})
	}
}

// nearAcross adds what comes from the panel before e at the other boundary, at more points than its nodes.
func (v *volterra) nearAcross(e int) {
	first := e * order
	if v.sides == 1 || !v.crosses(first, v.s.v[first-order]) {
		return
	}
	clock := v.at(v.s, e-1, rule.between)
	h := v.edges[e] - v.edges[e-1]
	v.apart(first, clock.v, func(j int) float64 { return h * rule.gauss.Weight[j] })
	for b := range v.sides {
		at, flux := v.at(v.bound[b], e-1, rule.between), v.at(v.sol.flux[b], e-1, rule.between)
		v.add(1-b, first, &sources{at.v, clock.v, flux.v, negative(at.d), negative(clock.d), flux.d})
		negative(clock.d)
	}
}

// negative changes the signs of x.
func negative(x []float64) []float64 {
	for i := range x {
		x[i] = -x[i]
	}
	return x
}

// own sets the system of the panel's own fluxes.
func (v *volterra) own(e int) {
	first, m := e*order, v.sides*order
	for r := range m {
		v.system[r] = [2 * order]float64{}
		v.system[r][r] = 1
	}
	v.ownSame(e)
	for k := range v.sides {
		for i := range order {
			for j := range order {
				v.system[k*order+i][k*order+j] -= signs[k] * v.same[k].k[i*order+j]
			}
		}
	}
	if v.acrossOwn = v.sides == 2 && v.crosses(first, v.s.v[max(first-1, 0)]); !v.acrossOwn {
		return
	}
	v.ownAcross(first, e)
	for k := range v.sides {
		for i := range order {
			for q := range inner {
				x := signs[k] * v.across[k].k[i*inner+q]
				for j, l := range rule.below[(i*inner+q)*order : (i*inner+q+1)*order] {
					v.system[k*order+i][(1-k)*order+j] -= x * l
				}
			}
		}
	}
}

// ownSame sets the kernels between nodes of panel e at one boundary. Where a boundary is smooth they vanish at a distance of 0.
func (v *volterra) ownSame(e int) {
	first, h := e*order, v.edges[e+1]-v.edges[e]
	for i := range order {
		inverse, scale := v.inverse[:order], v.scale[:order]
		for j := range order {
			inverse[j], scale[j] = 0, 0
			if j != i {
				inverse[j] = 1 / (v.s.v[first+i] - v.s.v[first+j])
				scale[j] = math.Sqrt((v.tau[first+i]-v.tau[first+j])*inverse[j]) * rootTwoPi * math.Sqrt(h) * rule.root[i][j]
			}
		}
		for k := range v.sides {
			r := v.same[k].part(i*order, order)
			r.kernels(v.bound[k].v[first+i], v.slope[k].v[first+i], v.rate.v[first+i], v.bound[k].v[first:first+order], inverse, scale)
		}
	}
}

func (r *row) part(from, n int) row {
	to := from + n
	return row{r.k[from:to], r.distance[from:to], r.clock[from:to], r.each[from:to]}
}

// ownAcross sets the kernels between nodes of panel e and points below them at the other boundary.
func (v *volterra) ownAcross(first, e int) {
	h := v.edges[e+1] - v.edges[e]
	clock := v.at(v.s, e, rule.below)
	at := [2]dual{v.at(v.bound[0], e, rule.below), v.at(v.bound[1], e, rule.below)}
	for i := range order {
		inverse, scale := v.inverse[:inner], v.scale[:inner]
		for q := range inner {
			gap := at[0].v[i*inner+q] - at[1].v[i*inner+q]
			inverse[q] = 1 / max(v.s.v[first+i]-clock.v[i*inner+q], 1e-4*gap*gap)
			scale[q] = math.Sqrt(inverse[q]) * rootTwoPi * h * rule.x[i] * rule.gauss.Weight[q]
		}
		for k := range v.sides {
			r := v.across[k].part(i*inner, inner)
			r.kernels(v.bound[k].v[first+i], v.slope[k].v[first+i], v.rate.v[first+i], at[1-k].v[i*inner:(i+1)*inner], inverse, scale)
		}
	}
}

// ownSlopes adds what the panel's own fluxes contribute to derivatives by way of the kernels.
func (v *volterra) ownSlopes(e int) {
	first, dim := e*order, v.dim
	for k := range v.sides {
		for i := range order {
			r, slopes := v.same[k].part(i*order, order), v.slopes[(k*order+i)*dim:(k*order+i+1)*dim]
			v.sums[k*order+i].add(&r, v.sol.flux[k].v[first:first+order], true)
			gemm.AddRow(slopes, r.distance, v.minus[k][first*dim:(first+order)*dim])
			gemm.AddRow(slopes, r.clock, v.minusS[first*dim:(first+order)*dim])
		}
	}
	if !v.acrossOwn {
		return
	}
	clock := v.at(v.s, e, rule.below)
	negative(clock.d)
	for k := range v.sides {
		at, flux := v.at(v.bound[1-k], e, rule.below), v.at(v.sol.flux[1-k], e, rule.below)
		negative(at.d)
		for i := range order {
			r, slopes := v.across[k].part(i*inner, inner), v.slopes[(k*order+i)*dim:(k*order+i+1)*dim]
			v.sums[k*order+i].add(&r, flux.v[i*inner:(i+1)*inner], true)
			gemm.AddRow(slopes, r.distance, at.d[i*inner*dim:(i+1)*inner*dim])
			gemm.AddRow(slopes, r.clock, clock.d[i*inner*dim:(i+1)*inner*dim])
		}
	}
}

// initial are the magnitudes of what comes from the start, by row.
func (v *volterra) initial() (size [2 * order]float64) {
	for r := range size {
		size[r] = math.Abs(v.sums[r].k)
	}
	return size
}

// reliable is the smallest share of what it is the difference of that a density may be, once it has come down from its peak. A start that is spread up to
// a boundary has next to no density at first.
const reliable = 1e-10

// fluxes solves for the fluxes.
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
		if v.reached(k, at) && v.peak > 0 && g[r] < 1e-3*v.peak && !(g[r] > reliable*start[r]) && v.sol.last[k] > at {
			v.sol.last[k] = at
		}
	}
}

// derivatives solves for the derivatives of the fluxes.
func (v *volterra) derivatives(first int) {
	m, dim := v.sides*order, v.dim
	var g [2 * order]float64
	for r := range m {
		k, at := r/order, first+r%order
		s, slopes := &v.sums[r], v.slopes[r*dim:(r+1)*dim]
		bound, clock := v.bound[k].d[at*dim:(at+1)*dim], v.s.d[at*dim:(at+1)*dim]
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

// logarithms sets the logarithms of the fluxes.
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

// asymptote sets the logarithm of a flux to that of a free motion from the nearest start.
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

// factor is Gauss's elimination with partial pivots.
func (v *volterra) factor() {
	m, a := v.sides*order, &v.system
	for c := range m {
		best := c
		for r := c + 1; r < m; r++ {
			if math.Abs(a[r][c]) > math.Abs(a[best][c]) {
				best = r
			}
		}
		v.pivot[c] = best
		a[c], a[best] = a[best], a[c]
		for r := c + 1; r < m; r++ {
			f := a[r][c] / a[c][c]
			a[r][c] = f
			if f == 0 {
				continue
			}
			for j := c + 1; j < m; j++ {
				a[r][j] -= f * a[c][j]
			}
		}
	}
}

// substitute solves the factored system.
func (v *volterra) substitute(g []float64) {
	for c := range g {
		g[c], g[v.pivot[c]] = g[v.pivot[c]], g[c]
	}
	for r := range g {
		for j := range r {
			g[r] -= v.system[r][j] * g[j]
		}
	}
	for r := len(g) - 1; r >= 0; r-- {
		for j := r + 1; j < len(g); j++ {
			g[r] -= v.system[r][j] * g[j]
		}
		g[r] /= v.system[r][r]
	}
}

// origin is where the process begins.
type origin struct {
	low, high   float64 // a point where they are equal
	dlow, dhigh []float64
	kind        expr.LawKind
	shape       [2]float64 // of a beta distribution
	dshape      [2][]float64
	norm        float64    // log B(shape)
	dnorm       [2]float64 // its derivatives by both shapes

	y, inverse, scale []float64
	dy                []float64

	// Of a spread start: how far points are from the lowest to the highest, and the logarithms of that and of what is left.
	share, logX, log1X []float64
	row                row
}

const (
	crossExponent = 45 // kernels between boundaries below exp(-45) of what they could be do not count

	startPoints = 32
	reach       = 8.5 // standard deviations
	nearlyZero  = 1e-12
)

var startRule = gauss.New(startPoints)

func (w *work) originOf(l *law, values, slopes []float64, b beginning) *origin {
	dim := w.dim
	slope := func(k int) []float64 {
		if dim == 0 {
			return nil
		}
		return slopes[k*dim : (k+1)*dim]
	}
	o := &w.origin
	*o = origin{low: b.low, high: b.high, kind: l.kind, dlow: slope(0), dhigh: slope(0)}
	n := 1
	switch l.kind {
	case expr.UniformLaw:
		o.dhigh, n = slope(1), startPoints
	case expr.BetaLaw:
		o.dlow, o.dhigh, n = slope(2), slope(3), startPoints
		o.shape, o.dshape = [2]float64{values[0], values[1]}, [2][]float64{slope(0), slope(1)}
		o.norms()
	}
	o.y, o.inverse, o.scale, o.dy, o.row = w.mem.take(n), w.mem.take(n), w.mem.take(n), w.mem.take(n*dim), newRow(w.mem, n)
	o.share, o.logX, o.log1X = w.mem.take(n), w.mem.take(n), w.mem.take(n)
	return o
}

func (o *origin) norms() {
	a, b := o.shape[0], o.shape[1]
	lgamma := func(x float64) float64 { y, _ := math.Lgamma(x); return y }
	digamma := func(x float64) float64 { return expr.Digamma.Info().Eval([3]float64{x}) }
	o.norm = lgamma(a) + lgamma(b) - lgamma(a+b)
	o.dnorm = [2]float64{digamma(a) - digamma(a+b), digamma(b) - digamma(a+b)}
}

// densities multiplies the scales by the beta densities of the shares.
func (o *origin) densities() {
	vec.Log(o.logX, o.share)
	vec.Neg(o.log1X, o.share)
	vec.Log1p(o.log1X, o.log1X)
	density := o.row.k
	for j := range density {
		density[j] = (o.shape[0]-1)*o.logX[j] + (o.shape[1]-1)*o.log1X[j] - o.norm
	}
	vec.Exp(density, density)
	vec.Mul(o.scale, o.scale, density)
}

// distance is that of boundary k, at b, from the nearest start.
func (o *origin) distance(k int, b float64) float64 {
	if k == 0 {
		return b - o.high
	}
	return o.low - b
}

// beginning adds what comes from the start.
func (v *volterra) beginning(first int) {
	for k := range v.sides {
		for i := range order {
			v.fromStart(k, first+i, &v.sums[k*order+i], v.slopes[(k*order+i)*v.dim:(k*order+i+1)*v.dim])
		}
	}
}

func (v *volterra) fromStart(k, at int, sum *sums, slopes []float64) {
	o, dim := v.from, v.dim
	inverse := 1 / v.s.v[at]
	scale := -math.Sqrt(inverse) * rootTwoPi // what comes from the start counts with another sign than fluxes
	if len(o.y) == 1 {
		o.y[0], o.inverse[0], o.scale[0] = o.low, inverse, scale
		o.row.kernels(v.bound[k].v[at], v.path.slope[k].v[at], v.rate.v[at], o.y, o.inverse, o.scale)
		*sum = sums{o.row.k[0], o.row.distance[0], o.row.clock[0], o.row.each[0]}
		for p := range slopes {
			slopes[p] = -sum.distance * o.dlow[p]
		}
		return
	}
	// Only starts within reach of the boundary count: from x low to x high, as shares of the way from the lowest to the highest start.
	low, high, width := 0.0, 1.0, o.high-o.low
	if width > 0 {
		far, b := reach*math.Sqrt(v.s.v[at]), v.bound[k].v[at]
		low, high = max(0, min((b-far-o.low)/width, 0.999)), min(1, max((b+far-o.low)/width, 0.001))
	}
	for j, u := range startRule.X {
		step, density := u, 1.0
		if o.kind == expr.BetaLaw { // smooth at both ends
			step, density = u*u*(3-2*u), 6*u*(1-u)
		}
		x := low + (high-low)*step
		o.share[j], o.scale[j] = x, scale*startRule.Weight[j]*(high-low)*density
		o.y[j], o.inverse[j] = o.low+width*x, inverse
		for p := range dim {
			o.dy[j*dim+p] = o.dlow[p]*(1-x) + o.dhigh[p]*x
		}
	}
	if o.kind == expr.BetaLaw {
		o.densities()
	}
	o.row.kernels(v.bound[k].v[at], v.path.slope[k].v[at], v.rate.v[at], o.y, o.inverse, o.scale)
	*sum = sums{}
	for j := range o.y {
		sum.k += o.row.k[j]
		sum.distance += o.row.distance[j]
		sum.clock += o.row.clock[j]
		sum.each += o.row.each[j]
		for p := range slopes {
			slopes[p] -= o.row.distance[j] * o.dy[j*dim+p]
		}
		if o.kind == expr.BetaLaw {
			by0, by1 := o.logX[j]-o.dnorm[0], o.log1X[j]-o.dnorm[1]
			for p := range slopes {
				slopes[p] += o.row.k[j] * (by0*o.dshape[0][p] + by1*o.dshape[1][p])
			}
		}
	}
}
