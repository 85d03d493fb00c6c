package evidence

import (
	"fmt"
	"math"
	"math/rand/v2"

	"likc/compiler/expr"
	"likc/runtime/model/ssm"
)

// Simulator draws trials of a process that a model declares. If the drift of an accumulator is linear in its own evidence, and
// depends on no other, the evidence is a Brownian motion in a clock. It is then drawn without error at successive nodes of
// time. Between two nodes it is a Brownian bridge, which crosses the nearly straight boundaries with a known probability and at
// a time of known distribution. All other evidence is simulated by Heun's method in small steps.
type Simulator struct {
	model   *expr.Model
	density *Density  // nil if evidence is simulated by Heun's method
	symbols []string  // parameters, then trial columns, then time, then evidence
	walkers []*walker // the accumulators for Heun's method
	onset   law       // the distribution of the non-decision time
}

// walker is an accumulator whose evidence is simulated by Heun's method.
type walker struct {
	start   law
	drift   *expr.Tape
	bounds  *tape // computes σ², the upper boundary, the lower one and the reflecting one
	lower   bool  // whether there is a lower boundary
	reflect bool  // whether there is a reflecting boundary
}

// NewSimulator returns a simulator of a model's process.
func NewSimulator(m *expr.Model) (*Simulator, error) {
	s := &Simulator{model: m}
	d, err := newDensity(m, false)
	if err == nil {
		s.density, s.symbols, s.onset = d, d.symbols, d.onset
		return s, nil
	}
	for _, name := range append(m.ParamNames(), m.Trials...) {
		s.symbols = append(s.symbols, name)
	}
	s.symbols = append(s.symbols, expr.Tau)
	s.onset = newLaw(m.Evidence.Onset, s.symbols, 0)
	all := s.symbols
	for _, a := range m.Evidence.Accumulators {
		all = append(all, a.Evidence)
	}
	for _, a := range m.Evidence.Accumulators {
		w := &walker{start: newLaw(a.Start, s.symbols, 0), drift: expr.NewTape(all, a.Drift), lower: a.Lower != nil, reflect: a.Reflect != nil}
		w.bounds = newTape(s.symbols, []*expr.Expr{expr.New(expr.Square, a.Noise), a.Upper, orZero(a.Lower), orZero(a.Reflect)})
		s.walkers = append(s.walkers, w)
	}
	return s, nil
}

// orZero returns 0 in place of a nil expression.
func orZero(e *expr.Expr) *expr.Expr {
	if e == nil {
		return expr.Num(0)
	}
	return e
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

// Sampler returns a sampler of trials. values holds the parameters, then the trial columns on which the process depends. Steps
// are at most step seconds long. If no boundary is reached within most seconds after the onset, the trial gets the choice of
// the nearest boundary. The sampler is not safe for concurrent use.
func (s *Simulator) Sampler(values []float64, step, most float64) (ssm.Sampler, error) {
	mem := &arena{}
	var t tapeMemory
	onset, _ := s.onset.at(&t, mem, 0, values)
	if s.onset.kind == expr.UniformLaw && onset[1] < onset[0] || s.onset.kind == expr.NormalLaw && !(onset[1] >= 0) {
		return nil, fmt.Errorf("model %s: the onset has no distribution at %v", s.model.Name, onset)
	}
	var run func(r *rand.Rand) (tau float64, choice int)
	var err error
	if s.density != nil {
		run, err = s.density.paths(values, step, most)
	} else {
		run, err = s.heun(values, step, most)
	}
	if err != nil {
		return nil, err
	}
	codes := s.model.Codes()
	return func(r *rand.Rand) (rt, choice float64) {
		for range mostDraws {
			begin := s.onset.draw(r, onset)
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
	}, nil
}

// mostDraws is the largest number of times that a trial is drawn again because its response would come before time 0.
const mostDraws = 1000

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

func (d *Density) paths(values []float64, step, most float64) (func(r *rand.Rand) (float64, int), error) {
	var roads []*road
	for _, stream := range d.streams {
		w := &work{mem: &arena{}, set: usual, symbols: append(append([]float64{}, values...), 0)[:len(d.symbols)], calculus: calculus{}}
		w.calculus.mem = w.mem
		start, _ := stream.start.at(&w.tape, w.mem, stream.dim, w.symbols)
		b, ok := stream.begin(w, start)
		if !ok {
			return nil, fmt.Errorf("model %s: evidence starts outside the boundaries", d.Model.Name)
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
