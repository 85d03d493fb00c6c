package evidence

import (
	"errors"
	"math"
	"math/rand/v2"

	"likc/compiler/expr"
	"likc/runtime/model/ssm"
)

// road holds the clock and boundaries of a stream at given parameters, at the nodes of panels. Panels are added as trials need
// them.
type road struct {
	stream *stream
	work   *work
	begin  beginning
	start  []float64
	edges  []float64
	path   *path
	step   float64
	most   float64
	met    bool
	one    []float64
}

// A panel of a road has steps of at most a fifth of its length. Steps are chosen as the bridge scheme chooses them.
const (
	panelSteps  = 5     // number of steps in a panel, an interval of time
	roadGrowth  = 0.125 // longest step as a share of the time since the start
	roadParts   = 256   // early in a trial, the longest step is the usual step divided by this
	roadSquare  = 0.5   // longest step in units of h²/σ², where h is a distance from the boundaries
	roadPanels  = 24    // number of panels that are added at a time
	roadTouches = 1e-6  // boundaries this close count as having met
)

// paths returns a function that draws trials: the time since the onset, and the index of the choice.
func (d *process) paths(values []float64, step, most float64) (func(r *rand.Rand) (float64, int), error) {
	var roads []*road
	for _, stream := range d.streams {
		w := &work{mem: &arena{}, set: usual, symbols: append(append([]float64{}, values...), 0)[:len(d.symbols)], calculus: calculus{}}
		w.calculus.mem = w.mem
		start, _ := stream.start.at(&w.tape, w.mem, len(stream.params), w.symbols)
		b, ok := stream.begin(w, start)
		if !ok {
			return nil, errors.New("evidence starts outside the boundaries")
		}
		b.f = [functions]dual{}
		rd := &road{stream: stream, work: w, begin: b, start: append([]float64{}, start...), edges: []float64{0}, step: step, most: most, one: make([]float64, 1)}
		rd.extend()
		roads = append(roads, rd)
	}
	return func(r *rand.Rand) (float64, int) {
		best, choice := math.Inf(1), 0
		for k, rd := range roads {
			tau, side := rd.walk(r, best)
			if tau < best {
				best, choice = tau, side
				if len(roads) > 1 {
					choice = k
				}
			}
		}
		if math.IsInf(best, 1) {
			best = most
		}
		return best, choice
	}, nil
}

// extend adds panels at the end.
func (rd *road) extend() {
	half := func(tau float64) (half, noise float64) {
		rd.one[0] = tau
		s, w := rd.stream, rd.work
		s.values.run(&w.tape, w.mem, rd.one, w.symbols)
		get := func(k int) float64 {
			x := []float64{0}
			s.values.root(&w.tape, k, x)
			return x[0]
		}
		half = get(fnUpper) - rd.begin.low
		if s.twoSided {
			half = (get(fnUpper) - get(fnLower)) / 2
		}
		return half, get(fnNoise)
	}
	rd.work.mem.reset()
	longest := func(tau float64) float64 {
		h, noise := half(tau)
		if !rd.stream.twoSided {
			h = max(h, 0.1*(rd.begin.upper-rd.begin.low))
		}
		if h < roadTouches {
			return 0
		}
		return panelSteps * min(rd.step, max(roadGrowth*tau, rd.step/roadParts), roadSquare*h*h/noise)
	}
	for range roadPanels {
		from := rd.edges[len(rd.edges)-1]
		length := longest(max(from, nearlyZero))
		for range 40 {
			if end := longest(from + length); end < length/2 {
				length = max(end, length/2)
			} else {
				break
			}
		}
		if !(length > 1e-12) {
			rd.met = true
			break
		}
		rd.edges = append(rd.edges, from+length)
	}
	rd.work.mem.reset()
	if len(rd.edges) > 1 {
		p := rd.stream.path(rd.work, rd.edges, 0)
		own := &path{tau: clone(p.tau), sides: p.sides, s: dual{v: clone(p.s.v)}}
		for k := range p.sides {
			own.bound[k].v = clone(p.bound[k].v)
		}
		rd.path = own
	}
}

func clone(x []float64) []float64 { return append([]float64(nil), x...) }

// walk draws the time at which the stream reaches a boundary, and which boundary. The time is +Inf if it is after until.
func (rd *road) walk(r *rand.Rand, until float64) (tau float64, side int) {
	y := rd.stream.start.draw(r, rd.start)
	clock, from := 0.0, 0.0
	upper, lower := rd.begin.upper-y, y-rd.begin.lower
	for i := 0; ; i++ {
		if rd.path == nil || i == len(rd.path.tau) {
			if rd.met || from >= min(rd.most, until) {
				break
			}
			rd.extend()
			if rd.path == nil || i == len(rd.path.tau) {
				break
			}
		}
		p := rd.path
		h, to := p.s.v[i]-clock, p.tau[i]
		y += math.Sqrt(h) * r.NormFloat64()
		upperEnd, lowerEnd := p.bound[0].v[i]-y, math.Inf(1)
		if p.sides == 2 {
			lowerEnd = y - p.bound[1].v[i]
		}
		switch ssm.Crossed(r, h, upper, upperEnd, lower, lowerEnd) {
		case 1:
			return from + (to-from)*ssm.TouchTime(r, h, upper, upperEnd)/h, 0
		case -1:
			return from + (to-from)*ssm.TouchTime(r, h, lower, lowerEnd)/h, 1
		}
		clock, from, upper, lower = p.s.v[i], to, upperEnd, lowerEnd
		if from >= rd.most || from >= until {
			break
		}
	}
	if !rd.stream.twoSided {
		return math.Inf(1), 0
	}
	if upper < lower {
		return from, 0
	}
	return from, 1
}

// draw returns a random number from the law, whose values are v.
func (l *law) draw(r *rand.Rand, v []float64) float64 {
	switch l.kind {
	case expr.UniformLaw:
		return v[0] + (v[1]-v[0])*r.Float64()
	case expr.NormalLaw:
		return v[0] + v[1]*r.NormFloat64()
	case expr.BetaLaw:
		x, y := gammaDraw(r, v[0]), gammaDraw(r, v[1])
		return v[2] + (v[3]-v[2])*x/(x+y)
	}
	return v[0]
}

// gammaDraw draws a gamma variate of the given shape and scale 1, by the method of Marsaglia and Tsang (2000).
func gammaDraw(r *rand.Rand, shape float64) float64 {
	if shape < 1 {
		return gammaDraw(r, shape+1) * math.Pow(1-r.Float64(), 1/shape)
	}
	d := shape - 1.0/3
	c := 1 / math.Sqrt(9*d)
	for {
		x := r.NormFloat64()
		v := 1 + c*x
		if v <= 0 {
			continue
		}
		v = v * v * v
		if math.Log(1-r.Float64()) < 0.5*x*x+d-d*v+d*math.Log(v) {
			return d * v
		}
	}
}

// trials returns a function that draws trials: the response time and the choice. onset holds the values of the law, run draws the
// time since the onset and the index of the choice, and codes holds the choices, or nothing if there is no choice.
func (l *law) trials(onset []float64, run func(r *rand.Rand) (float64, int), codes []float64) func(r *rand.Rand) (rt, choice float64) {
	return func(r *rand.Rand) (rt, choice float64) {
		for range mostDraws {
			begin := l.draw(r, onset)
			tau, k := run(r)
			if rt = begin + tau; rt > 0 {
				rt = math.Max(rt, math.Nextafter(begin, math.Inf(1)))
				if choice = 1; codes != nil {
					choice = codes[k]
				}
				return rt, choice
			}
		}
		return math.NaN(), 0
	}
}

// mostDraws is the largest number of times that a trial is drawn again because its response would come before time 0.
const mostDraws = 1000
