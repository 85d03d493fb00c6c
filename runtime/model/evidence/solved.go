package evidence

import (
	"math"
	"sync"

	"likc/compiler/expr"
)

// process is a process that is prepared for evaluation.
type process struct {
	dim        int       // number of parameters
	symbols    []string  // parameters, then trial columns except that of response times, then time
	streams    []*stream // the accumulators; a process with two boundaries has one
	onset      law       // the distribution of the non-decision time
	tilt       *tilt     // applies the drift to densities computed without it; nil if the streams have the drift
	late       []bool    // for each parameter, whether solutions do not depend on it
	lateColumn []bool    // for each column in symbols, whether solutions do not depend on it
	pool       sync.Pool // memory of evaluations: [space]
}

// Dim is the number of parameters.
func (d *process) Dim() int { return d.dim }

// space is the working memory of evaluations, for one goroutine.
type space struct {
	mem  arena
	work []*work
	solved
	order []int     // the rows, sorted so that rows with the same solution are neighbours
	one   []float64 // the gradient of a row
}

func (d *process) newSpace(set settings) *space {
	s := &space{}
	s.own = make([]float64, d.dim)
	s.values = make([]float64, len(d.symbols))
	for range d.streams {
		s.work = append(s.work, &work{mem: &s.mem, set: set, symbols: s.values, calculus: calculus{mem: &s.mem}})
	}
	return s
}

// solved is the density of the process at one parameter vector and one set of trial columns.
type solved struct {
	process   *process
	solutions []*solution // by accumulator; nil where the start is outside the boundaries
	outside   bool
	undefined bool      // whether a parameter is no finite number
	onset     []float64 // the values of the onset's law
	dOnset    []float64 // the derivatives of these values in the parameters, value by value
	smeared   []*smear  // for a normal onset: the density of each accumulator or boundary, convolved with the onset
	values    []float64 // values of the symbols
	terms     []float64 // memory of a tilt
	own       []float64 // memory of derivatives in the parameters of one accumulator
}

// earliest returns the earliest onset, without a negligible share of the distribution.
func (l *law) earliest(values []float64) float64 {
	if l.kind == expr.NormalLaw {
		return values[0] - smearReach*values[1]
	}
	return values[0]
}

// blurred says which changes of a density a normal onset hides: those that take less than this share of its standard deviation.
const blurred = 0.2

// solve computes the densities of the process up to the response time most. s.values holds the parameters and columns. With
// slopes it also computes derivatives.
func (d *process) solve(s *space, most float64, slopes bool) {
	s.mem.reset()
	s.process, s.outside, s.solutions, s.smeared = d, false, s.solutions[:0], s.smeared[:0]
	s.undefined = false
	for _, x := range s.values[:len(s.values)-1] {
		s.undefined = s.undefined || x-x != 0
	}
	if s.undefined {
		return
	}
	s.onset, s.dOnset = d.onset.at(&s.work[0].tape, &s.mem, d.dim, s.values)
	if d.onset.kind == expr.UniformLaw && s.onset[1] < s.onset[0] || d.onset.kind == expr.NormalLaw && !(s.onset[1] >= 0) {
		s.outside = true
		return
	}
	until := most - d.onset.earliest(s.onset)
	for k, stream := range d.streams {
		w := s.work[k]
		w.dim, w.blur = 0, 0
		if d.onset.kind == expr.NormalLaw {
			w.blur = blurred * s.onset[1]
		}
		if slopes {
			w.dim = len(stream.params)
		}
		sol := stream.solve(w, max(until, nearlyZero))
		if sol == nil {
			s.outside = true
			return
		}
		s.solutions = append(s.solutions, sol)
	}
	if d.onset.kind == expr.NormalLaw && s.onset[1] > 0 {
		for k, sol := range s.solutions {
			for b := range sol.sides {
				s.smeared = append(s.smeared, newSmear(s.work[k], sol, b, s.onset[1], until))
			}
		}
	}
}

// log returns the log density of a response at rt, where choice is the index of the choice. If grad is not nil, it is set to the
// derivatives.
func (s *solved) log(rt float64, choice int, grad []float64) float64 {
	if s.outside || s.undefined {
		clear(grad)
		if s.undefined {
			return math.NaN()
		}
		return math.Inf(-1)
	}
	d := s.process
	value, byTime := math.Inf(-1), 0.0
	switch {
	case len(s.smeared) > 0:
		own := s.ownOf(0, grad)
		value, byTime = s.smeared[choice].logAt(rt-s.onset[0], own)
		s.spreadOut(0, own, grad)
	case d.onset.kind == expr.UniformLaw && s.onset[0] < s.onset[1]:
		return s.spread(rt, choice, grad)
	case rt > s.onset[0]:
		value, byTime = s.after(rt-s.onset[0], choice, grad)
		if d.tilt != nil {
			value, byTime = s.tilted(rt-s.onset[0], choice, grad, value, byTime)
		}
	}
	if !(value > math.Inf(-1)) {
		clear(grad)
		return value
	}
	for p := range grad {
		grad[p] -= byTime * s.dOnset[p]
		if len(s.smeared) > 0 {
			grad[p] += s.smeared[choice].bySD * s.dOnset[d.dim+p]
		}
	}
	return value
}

// tilted adds the effect of the drift to a log density at time tau after the onset, and to its derivatives.
func (s *solved) tilted(tau float64, choice int, grad []float64, log, slope float64) (value, byTime float64) {
	s.values[len(s.values)-1] = tau
	log, slope, s.terms = s.process.tilt.add(choice, s.values, s.terms, grad, log, slope)
	return log, slope
}

// after returns the log density at time tau after the onset, and its derivative in tau.
func (s *solved) after(tau float64, choice int, grad []float64) (value, byTime float64) {
	winner, side := choice, 0
	if len(s.solutions) == 1 {
		winner, side = 0, choice
	}
	own := s.ownOf(winner, grad)
	value, byTime = s.solutions[winner].logFlux(side, tau, own)
	s.spreadOut(winner, own, grad)
	for j, other := range s.solutions {
		if j == winner {
			continue
		}
		own := s.ownOf(j, grad)
		survival, slope := other.logSurvival(tau, own)
		value, byTime = value+survival, byTime+slope
		for q, d := range own {
			grad[s.process.streams[j].params[q]] += d
		}
	}
	return value, byTime
}

// ownOf returns memory for derivatives in the parameters of accumulator k, or nil if grad is nil.
func (s *solved) ownOf(k int, grad []float64) []float64 {
	if grad == nil {
		return nil
	}
	return s.own[:len(s.process.streams[k].params)]
}

// spreadOut sets grad to the derivatives in all parameters, where own are those in the parameters of accumulator k.
func (s *solved) spreadOut(k int, own, grad []float64) {
	clear(grad)
	for q, d := range own {
		grad[s.process.streams[k].params[q]] = d
	}
}

// spread returns the log density for a uniform onset: the log of the mean density over the onsets.
func (s *solved) spread(rt float64, choice int, grad []float64) float64 {
	low, high := s.onset[0], s.onset[1]
	d := s.process
	from, to := max(rt-high, 0), rt-low
	own := s.ownOf(0, grad)
	clear(own)
	clear(grad)
	if !(to > 0) || len(s.solutions) > 1 {
		return math.Inf(-1)
	}
	sol := s.solutions[0]
	total := sol.between(choice, from, to, own)
	s.spreadOut(0, own, grad)
	if !(total > 0) {
		clear(grad)
		return math.Inf(-1)
	}
	first, last := 0.0, math.Exp(sol.logAt(choice, to))
	if rt > high {
		first = math.Exp(sol.logAt(choice, from))
	}
	for p := range grad {
		dLow, dHigh := s.dOnset[p], s.dOnset[d.dim+p]
		grad[p] = (grad[p]-last*dLow+first*dHigh)/total - (dHigh-dLow)/(high-low)
	}
	return math.Log(total / (high - low))
}

// logAt returns the log density of boundary k at time tau.
func (s *solution) logAt(k int, tau float64) float64 { v, _ := s.logFlux(k, tau, nil); return v }
