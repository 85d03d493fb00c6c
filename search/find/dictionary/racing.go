package dictionary

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"likc/compiler/expr"
	"likc/runtime/num/gauss"
)

// OfWrittenRace makes the library of a race that the header declares (its Evidence). A term is a function of the winning
// accumulator, or a function summed over the losing ones. Two terms are nearly the whole log density: the log of the flow of
// probability over the winner's boundary, and the log of the probability that a loser has not arrived. They assume boundaries
// that continue straight with their slopes at the response, and are averaged over uniform starts. They are exact for boundaries
// and drifts that are constant or linear.
//
// The returned header is for the formulas that a search finds.
func OfWrittenRace(header *expr.Model) ([]*Library, *expr.Model, error) {
	e := header.Evidence
	if e == nil || len(e.Accumulators) < 2 || e.Interacts() || e.Onset.Kind != expr.PointLaw {
		return nil, nil, fmt.Errorf("model %s: %w", header.Name, ErrProcess)
	}
	own := *header
	own.Evidence = nil
	p := &process{header: header, probe: newProbe(header), side: expr.Num(1), integrals: fine}
	p.setTime(e)
	w := &writtenRace{process: p, race: race{library: &Library{Shared: true}, header: header, tau: p.tau}}
	onset, _ := onsetOf(header)
	moved := ""
	if onset != nil && onset.Op == expr.Sym {
		moved = onset.Name
	}
	w.race.sort(moved)
	for k := range e.Accumulators {
		r, err := w.racer(&e.Accumulators[k], strconv.Itoa(k))
		if err != nil {
			return nil, nil, err
		}
		w.racers = append(w.racers, r)
	}
	w.terms()
	w.library.write(p.bases, p.names())
	return []*Library{w.library}, &own, nil
}

// writtenRace is a race that a header declares, with the atoms that follow from it.
type writtenRace struct {
	*process
	race
	racers []*racer
}

// racer is one accumulator, in the coordinates of Brownian motion.
type racer struct {
	time, rate    *expr.Expr // s, the integral of the squared noise, and its derivative in time
	gap           *expr.Expr // distance from the expected evidence to the boundary
	speed         *expr.Expr // speed of the evidence relative to the boundary, divided by the squared noise
	moved         *expr.Expr // the integral of the drift
	half          *expr.Expr // half width of the starts; nil for a single start
	height, clock *expr.Expr // distance of the boundary from the reflecting barrier, and the integral of (noise/distance)²; nil without a barrier
	at            *expr.Expr // distance of the start from the barrier, divided by the distance `up` at the onset; nil without a barrier
}

// racer derives the quantities of an accumulator.
func (w *writtenRace) racer(a *expr.Accumulator, number string) (*racer, error) {
	refused := fmt.Errorf("model %s: %w", w.process.header.Name, ErrProcess)
	if slices.Contains(expr.Symbols(a.Drift), a.Evidence) {
		return nil, refused
	}
	r := &racer{}
	start := a.Start.A
	switch a.Start.Kind {
	case expr.PointLaw:
	case expr.UniformLaw:
		start = mul(expr.Num(0.5), add(a.Start.A, a.Start.B))
		r.half = simple(mul(expr.Num(0.5), sub(a.Start.B, a.Start.A)))
	default:
		return nil, refused
	}
	squared := simple(expr.New(expr.Square, a.Noise))
	r.time = w.base("s"+number, w.integral(squared))
	r.rate = w.now(squared)
	r.moved = w.integral(a.Drift)
	r.gap = w.base("d"+number, sub(sub(w.now(a.Upper), r.moved), start))
	r.speed = w.base("g"+number, w.now(simple(div(sub(a.Drift, slope(a.Upper)), squared))))
	if a.Reflect != nil {
		height := simple(sub(a.Upper, a.Reflect))
		first := w.process.first(height)
		if !w.probe.positive(w.written(height)) || !w.probe.positive(w.written(sub(at(height, expr.Num(lateTime)), mul(expr.Num(lateShare), first)))) {
			height = floored(height, first)
		}
		r.height = w.base("h"+number, w.now(height))
		w.half0, w.half, w.atRate = first, r.height, simple(div(squared, expr.New(expr.Square, height)))
		r.clock = w.base("u"+number, w.clockOf(squared))
		r.at = w.base("y"+number, simple(div(sub(start, w.process.first(a.Reflect)), first)))
	}
	return r, nil
}

// flow returns the log of the flow of probability over the boundary.
func (r *racer) flow() *expr.Expr {
	log := func(x *expr.Expr) *expr.Expr {
		if x.IsNum(1) {
			return expr.Num(0)
		}
		return expr.New(expr.Log, x)
	}
	if r.half != nil {
		return add(image(r.gap, expr.New(expr.Sqrt, r.time), r.half, r.time, r.speed), log(r.rate))
	}
	straight := expr.New(expr.Max, add(div(r.gap, r.time), r.speed), expr.Num(1e-6))
	return add(sub(sub(log(straight), mul(expr.Num(0.5), log(r.time))), div(expr.New(expr.Square, r.gap), mul(expr.Num(2), r.time))), log(r.rate))
}

// starts is the number of points of the Gauss–Legendre rule by which a function is averaged over uniform starts.
const starts = 3

// survivor returns the log of the probability that the boundary has not been reached.
func (r *racer) survivor() *expr.Expr {
	if r.half == nil {
		return r.survivorFrom(r.gap)
	}
	rule := gauss.New(starts)
	var sum *expr.Expr
	for i, x := range rule.X {
		part := r.survivorFrom(add(r.gap, mul(expr.Num(expr.Rounded(2*x-1, ruleDigits)), r.half)))
		part = add(part, expr.Num(expr.Rounded(math.Log(rule.Weight[i]), ruleDigits)))
		if sum == nil {
			sum = part
		} else {
			sum = expr.New(expr.LogAddExp, sum, part)
		}
	}
	return sum
}

// survivorFrom returns the survivor function for a single start: Φ(d/√s) − exp(2g(d + gs)) Φ(−(d + 2gs)/√s), with the distance
// d and the speed g.
func (r *racer) survivorFrom(gap *expr.Expr) *expr.Expr {
	of := func(op expr.Op, x ...*expr.Expr) *expr.Expr { return expr.New(op, x...) }
	root := of(expr.Sqrt, r.time)
	gained := mul(r.speed, r.time)
	below := of(expr.LogNormCDF, div(gap, root))
	back := add(mul(mul(expr.Num(2), r.speed), add(gap, gained)), of(expr.LogNormCDF, of(expr.Neg, div(add(gap, mul(expr.Num(2), gained)), root))))
	return add(below, of(expr.Log1mExp, of(expr.Min, sub(back, below), expr.Num(-1e-7))))
}

// driftless returns logs of the flow of probability over the boundary and of the survivor function, as functions of the accumulator's
// clock. They are those of a process without drift between the reflecting barrier and a constant boundary. Early in the clock they
// are sums of images, later sums of two waves that decay exponentially.
func (r *racer) driftless() (flow, survivor *expr.Expr) {
	of := func(op expr.Op, x ...*expr.Expr) *expr.Expr { return expr.New(op, x...) }
	num, u, y := expr.Num, r.clock, r.at
	rest, far := sub(num(1), y), add(num(1), y)
	exp := func(x *expr.Expr) *expr.Expr { return of(expr.Exp, x) }
	cos := func(k float64) *expr.Expr { return of(expr.Cos, mul(num(expr.Rounded(k*math.Pi/2, 9)), y)) }
	images := add(rest, mul(far, exp(div(mul(num(-2), y), u))))
	early := sub(sub(of(expr.Log, images), div(of(expr.Square, rest), mul(num(2), u))), mul(num(1.5), of(expr.Log, u)))
	wave := mul(num(expr.Rounded(math.Pi*math.Pi/8, 9)), u)
	second := exp(mul(num(expr.Rounded(-math.Pi*math.Pi, 9)), u))
	// The early series lacks the factor 1/√(2π) and the late one the factor π/2: the late one gets the ratio of both.
	late := add(sub(of(expr.Log, of(expr.Max, sub(cos(1), mul(mul(num(3), cos(3)), second)), num(1e-9))), wave), num(expr.Rounded(math.Log(math.Pi/2)+math.Log(2*math.Pi)/2, 9)))
	flow = sub(of(expr.If, of(expr.Less, u, num(0.5)), early, late), mul(num(2), of(expr.Log, r.height)))

	root := of(expr.Sqrt, u)
	hit := func(x *expr.Expr) *expr.Expr { return mul(num(2), of(expr.NormCDF, of(expr.Neg, div(x, root)))) }
	soon := of(expr.Log, of(expr.Max, sub(num(1), add(hit(rest), hit(far))), num(1e-9)))
	later := sub(of(expr.Log, of(expr.Max, sub(cos(1), mul(num(expr.Rounded(1./3, 9)), mul(cos(3), second))), num(1e-9))), wave)
	later = add(later, num(expr.Rounded(math.Log(4/math.Pi), 9)))
	return flow, of(expr.If, of(expr.Less, u, num(0.3)), soon, later)
}

// functions returns functions of an accumulator. Flow and survivor, with which a search begins, come first.
func (r *racer) functions() (all []*expr.Expr) {
	sq := func(x *expr.Expr) *expr.Expr { return expr.New(expr.Square, x) }
	root := expr.New(expr.Sqrt, r.time)
	x := div(r.gap, root)
	all = []*expr.Expr{r.flow(), r.survivor(), x, expr.New(expr.LogNormCDF, x), expr.New(expr.LogNormCDF, expr.New(expr.Neg, x)), sq(x), r.gap, r.speed,
		mul(r.speed, r.gap), mul(sq(r.speed), r.time), r.moved, mul(r.moved, r.speed)}
	if r.half != nil {
		all = append(all, div(sub(r.gap, r.half), root), expr.New(expr.LogNormCDF, div(sub(r.gap, r.half), root)), div(r.half, root), sq(div(r.half, root)))
	}
	if r.clock != nil {
		flow, survivor := r.driftless()
		slower := sub(flow, mul(mul(expr.Num(0.5), sq(r.speed)), r.time))
		all = append(all, flow, survivor, expr.New(expr.LogAddExp, r.flow(), slower), r.clock, div(sq(r.height), r.time), mul(r.speed, r.height), sq(mul(r.speed, r.height)), r.at)
		for _, a := range ofClock(r.clock) {
			if !a.Under {
				all = append(all, a.Expr)
			}
		}
	}
	return all
}

// terms adds the terms: products of a function of the winner, or of a sum over the losers, with a factor that all accumulators
// share.
func (w *writtenRace) terms() {
	of := make([][]*expr.Expr, len(w.racers)) // the functions of each accumulator
	for k, r := range w.racers {
		of[k] = r.functions()
		if n := len(of[k]); r.clock != nil {
			for i := range n {
				for j := range i {
					of[k] = append(of[k], mul(of[k][i], of[k][j]))
				}
			}
		}
	}
	l := w.library
	var won, lost []int
	for i := range of[0] {
		f := make([]*expr.Expr, len(of))
		for k := range of {
			f[k] = of[k][i]
		}
		won, lost = append(won, l.add(Atom{Expr: w.won(f)})...), append(lost, l.add(Atom{Expr: w.lost(f)})...)
	}
	log, root := expr.New(expr.Log, w.process.tau), expr.New(expr.Sqrt, w.process.tau)
	factors := w.race.factors(log, root)
	flow, survivor := won[0], lost[1]
	won = append(won, l.add(Atom{Expr: w.process.tau}, Atom{Expr: log}, Atom{Expr: w.process.tau, Under: true}, Atom{Expr: root, Under: true})...)
	l.addProducts([][]int{won, factors}, 2)
	l.addProducts([][]int{lost, factors}, 2)
	l.unique()
	l.startAt(map[int]float64{flow: 1, survivor: 1})
}
