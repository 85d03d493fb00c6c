package evidence

import (
	"math"
	"slices"

	"likc/compiler/expr"
	"likc/runtime/num/vec"
)

// work is the memory of one evaluation of a stream.
type work struct {
	mem           *arena    // memory that evaluations reuse
	set           settings  // limits of the width of panels
	symbols       []float64 // values of parameters and trial columns; the last is that of time, not used
	tape          tapeMemory
	first, second []float64 // ends of panels, which are intervals of time
	bad           []bool    // for each panel, whether it must be halved
	jumps         []float64 // the times at which functions of time may jump
	own           path      // the transformed process
	sol           solution  // the densities of both boundaries
	equations     volterra  // the equations that the densities solve
	origin        origin    // the starting points
	smears        [2]smear  // the densities convolved with a normal onset
	convolution   convolution
	blur          float64 // before this time since the start, densities are needed only in integrals
	calculus
}

// path is the process transformed to a Brownian motion in its clock (see the package comment), at the nodes of the panels.
type path struct {
	edges, tau []float64 // the ends of the panels, and the times of their nodes
	s, rate    dual      // the clock since the start, and its rate per second
	clock      dual      // the clock since the edge at which its rate is least, where differences of clocks have the most digits
	bound      [2]dual   // the transformed boundaries: upper, lower
	slope      [2]dual   // the derivatives of the boundaries in the clock
	sides      int       // the number of boundaries that end the process
	bounds     int       // the number of boundaries; one more than sides if the lower one is an image
	mirrored   bool      // whether the lower boundary is an image
	carried    dual      // for mirrored boundaries: the drift in the clock, one number
	jumps      []float64 // the edges at which functions of time may jump

	grid        []float64 // the edges of all panels, also of those on which only the age is known
	age, ageing dual      // the age since the start, in which late densities fall off evenly, and its rate per second
}

// path computes the transformed process at the nodes of the panels, and its age up to the time most.
func (s *stream) path(w *work, edges []float64, most float64) *path {
	p := &w.own
	*p = path{edges: edges, grid: edges, sides: 1, bounds: 1, mirrored: s.mirrored, jumps: w.jumps}
	if s.twoSided {
		p.sides, p.bounds, p.grid = 2, 2, w.extended(edges, most)
	}
	if s.mirrored {
		p.sides = 1
	}
	tau := w.mem.take((len(p.grid) - 1) * order)
	for e := 0; e+1 < len(p.grid); e++ {
		for j, x := range rule.x {
			tau[e*order+j] = p.grid[e] + (p.grid[e+1]-p.grid[e])*x
		}
	}
	f := s.functionsAt(w, tau)
	c := w.calculus
	if p.bounds == 2 {
		p.ageing = ageingOf(c, &f)
		p.cut(c)
		p.age = c.cumulative(p.ageing, p.grid, 0)
	}
	solved := (len(edges) - 1) * order
	p.tau = tau[:solved]
	for k := range f {
		f[k] = f[k].part(0, solved, c.dim)
	}
	rate, drift := f[fnNoise], f[fnAlpha]
	if s.zero[fnBeta] {
		p.rate = rate
	} else {
		grown := c.cumulative(f[fnBeta], edges, 0)
		scale := c.each(grown, grown, func(g, _ float64) (v, dx, dy float64) { e := math.Exp(-g); return e, -e, 0 })
		p.rate = c.times(rate, c.times(scale, scale))
		drift = c.times(drift, scale)
		for k := range p.bounds {
			b, slope := fnUpper+2*k, fnUpperSlope+2*k
			f[slope] = c.times(c.minus(f[slope], c.times(f[b], f[fnBeta])), scale)
			f[b] = c.times(f[b], scale)
		}
	}
	p.s = c.cumulative(p.rate, edges, 0)
	p.clock = p.s
	if slowest := p.slowest(); slowest > 0 {
		p.clock = c.cumulative(p.rate, edges, slowest)
	}
	moved := c.cumulative(drift, edges, 0)
	for k := range p.bounds {
		p.bound[k] = c.minus(f[fnUpper+2*k], moved)
		p.slope[k] = c.over(c.minus(f[fnUpperSlope+2*k], drift), p.rate)
	}
	if p.bounds == 1 {
		p.ageing, p.age = p.rate, p.s
	}
	if p.mirrored {
		p.carried = c.over(drift.part(0, 1, c.dim), rate.part(0, 1, c.dim))
	}
	return p
}

// joined reports whether densities go on smoothly into panel e from the one before.
func (p *path) joined(e int) bool { return e > 0 && !slices.Contains(p.jumps, p.edges[e]) }

// ageingOf returns the rate per second at which late densities between two boundaries fall off. It is the sum of two rates. One is that
// of the slowest mode between boundaries at their distance w, π²σ²/(2w²). The other is u²/(2σ²), where u is the mean speed of the
// boundaries relative to evidence that drifts.
func ageingOf(c calculus, f *[functions]dual) dual {
	var speed [2]dual
	for k := range speed {
		b := fnUpper + 2*k
		speed[k] = c.minus(c.minus(f[fnUpperSlope+2*k], f[fnAlpha]), c.times(f[b], f[fnBeta]))
	}
	width := c.minus(f[fnUpper], f[fnUpper+2])
	mode := c.each(f[fnNoise], width, func(noise, w float64) (v, dn, dw float64) {
		v = math.Pi * math.Pi / 2 / (w * w)
		return noise * v, v, -2 * noise * v / w
	})
	mean := c.each(speed[0], speed[1], func(x, y float64) (v, dx, dy float64) { return (x + y) / 2, 0.5, 0.5 })
	carried := c.each(mean, f[fnNoise], func(u, noise float64) (v, du, dn float64) {
		return u * u / (2 * noise), u / noise, -u * u / (2 * noise * noise)
	})
	return c.each(mode, carried, func(x, y float64) (v, dx, dy float64) { return x + y, 1, 1 })
}

// extended returns the edges, followed by those of panels up to the time most on which only the age is computed.
func (w *work) extended(edges []float64, most float64) []float64 {
	all := append(w.mem.take(len(edges) + mostExtended)[:0], edges...)
	for at := all[len(all)-1]; at < most && len(all) < cap(all); all = append(all, at) {
		at = min(at*w.set.ratio, most)
	}
	return all
}

// mostQuickening is the largest ratio of the rates of ageing on a panel: polynomials hold rates that change more only roughly, so that the
// age would not grow all the time. Boundaries that collapse as a power of an exponential quicken without end.
const mostQuickening = 150

// cut leaves out the panels from the first one on of those beyond the solution on which the rate of ageing changes too much. The rate is
// constant after the last panel.
func (p *path) cut(c calculus) {
	for e := len(p.edges) - 1; e+1 < len(p.grid); e++ {
		rates := p.ageing.v[e*order : (e+1)*order]
		if most := slices.Max(rates); !(most <= mostQuickening*slices.Min(rates)) {
			p.grid, p.ageing = p.grid[:e+1], p.ageing.part(0, e*order, c.dim)
			return
		}
	}
}

// fading returns the rate, in the clock, at which late densities between two boundaries fall off. It is the sum of that of the slowest
// mode, π²/2 over the square of the boundaries' distance, and of half the square of the speed at which their middle moves.
func (p *path) fading(c calculus) dual {
	width := c.minus(p.bound[0], p.bound[1])
	speed := c.each(p.slope[0], p.slope[1], func(x, y float64) (v, dx, dy float64) { return (x + y) / 2, 0.5, 0.5 })
	return c.each(width, speed, func(w, s float64) (v, dw, ds float64) {
		rate := math.Pi * math.Pi / (2 * w * w)
		return rate + s*s/2, -2 * rate / w, s
	})
}

// since returns the age at τ and its rate per second. If grad is not nil, it is set to the derivatives of the age in the
// parameters. After the last panel the rate is constant.
func (p *path) since(tau float64, grad []float64) (age, rate float64) {
	last, dim := len(p.age.v)-1, len(grad)
	if after := tau - p.grid[len(p.grid)-1]; after >= 0 {
		for q := range grad {
			grad[q] = p.age.d[last*dim+q] + after*p.ageing.d[last*dim+q]
		}
		return p.age.v[last] + after*p.ageing.v[last], p.ageing.v[last]
	}
	e, _ := slices.BinarySearch(p.grid, tau)
	e = min(max(e-1, 0), len(p.grid)-2)
	var l [order]float64
	rule.lagrange((tau-p.grid[e])/(p.grid[e+1]-p.grid[e]), &l)
	clear(grad)
	for j, w := range l {
		age += w * p.age.v[e*order+j]
		rate += w * p.ageing.v[e*order+j]
		for q := range grad {
			grad[q] += w * p.age.d[(e*order+j)*dim+q]
		}
	}
	return age, rate
}

// slowest returns the edge at which the clock is slowest; 0 unless it is slower there than at the start.
func (p *path) slowest() (edge int) {
	least := p.rate.v[0] / 2
	for e := range len(p.edges) - 1 {
		if rate := p.rate.v[(e+1)*order-1]; rate < least {
			edge, least = e+1, rate
		}
	}
	return edge
}

// functionsAt evaluates the functions of time, with derivatives in the parameters if w.dim is not 0.
func (s *stream) functionsAt(w *work, tau []float64) (f [functions]dual) {
	t := s.values
	if w.dim > 0 {
		t = s.slopes
	}
	t.run(&w.tape, w.mem, tau, w.symbols)
	column := w.mem.take(len(tau))
	for k := range f {
		f[k] = w.new(len(tau))
		t.root(&w.tape, k, f[k].v)
		for q, root := range s.slope[k] {
			if root < 0 || w.dim == 0 {
				continue
			}
			t.root(&w.tape, root, column)
			for i, x := range column {
				f[k].d[i*w.dim+q] = x
			}
		}
	}
	return f
}

// row holds the kernel K for one node and many sources, which are earlier points at a boundary. It also holds the derivatives of K in
// the distance from the source, in the clock since it, and in the boundary's slope.
type row struct{ k, distance, clock, slope []float64 }

func newRow(mem *arena, n int) row {
	return row{mem.take(n), mem.take(n), mem.take(n), mem.take(n)}
}

// kernels sets the kernels of sources at a boundary that is at b with the given slope, where the clock has the given rate.
// inverse holds 1/Δs for each source, and scale the factor before the exponential, including weights. fixedClock
// says that no parameter changes the clock; then the derivative in the clock is left out.
func (r *row) kernels(b, slope, rate float64, fixedClock bool, sources, inverse, scale []float64) {
	n := len(sources)
	k, da, db, bySlope := r.k[:n], r.distance[:n], r.clock[:n], r.slope[:n]
	inverse, scale = inverse[:n], scale[:n]
	for j, y := range sources {
		d := b - y
		bySlope[j] = -0.5 * d * d * inverse[j]
	}
	vec.Exp(bySlope, bySlope)
	for j, y := range sources {
		inv := inverse[j]
		speed := (b - y) * inv
		e := rate * scale[j] * bySlope[j]
		q := slope - speed
		k[j] = e * q
		da[j] = -e * (q*speed + inv)
		if !fixedClock {
			db[j] = e * (0.5*q*(speed*speed-inv) + speed*inv)
		}
		bySlope[j] = e
	}
}

// begin computes the beginning of the process, and reports whether all starting points are between the boundaries.
func (s *stream) begin(w *work, start []float64) (b beginning, ok bool) {
	b = beginning{low: start[0], high: start[0], touch: 1e-4}
	zero := w.mem.take(1)
	zero[0] = nearlyZero
	f := s.functionsAt(w, zero)
	b.f = f
	b.upper, b.lower, b.noise = f[fnUpper].v[0], f[fnLower].v[0], f[fnNoise].v[0]
	spread := false
	switch s.start.kind {
	case expr.UniformLaw:
		b.low, b.high, spread = start[0], start[1], start[0] < start[1]
	case expr.BetaLaw:
		b.low, b.high, spread = start[2], start[3], start[0] > 0 && start[1] > 0 && start[2] < start[3]
		b.touch = min(max(b.touch, 10*math.Pow(1e-7, 1/min(start[0], start[1]))), 0.1) // closer starts are less than 1e-7 of all
		if !spread {
			return b, false
		}
	}
	if !s.twoSided {
		b.lower = math.Inf(-1)
	}
	inside := b.lower < b.low && b.high < b.upper
	if s.mirrored { // the barrier is known up to rounding
		inside = inside && b.low >= (b.lower+b.upper)/2-1e-12*(b.upper-b.lower)
	}
	if spread {
		slack := 1e-9 * (b.high - b.low)
		inside = b.lower <= b.low+slack && b.high <= b.upper+slack
	}
	return b, inside && b.low <= b.high && b.noise > 0
}
