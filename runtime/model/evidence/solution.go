package evidence

import (
	"math"
	"slices"
)

// panelAt returns the index of the panel, an interval between two edges, that contains τ, or of the first or last panel if τ is outside.
func (s *solution) panelAt(tau float64) int {
	e, _ := slices.BinarySearch(s.edges, tau) // an edge is the last node of the panel before it
	return min(max(e-1, 0), len(s.edges)-2)
}

// logFlux returns the logarithm of the density of first passage through boundary k at τ, and its derivative in τ. If grad is
// not nil, it is set to the derivatives in the parameters.
func (s *solution) logFlux(k int, tau float64, grad []float64) (value, byTime float64) {
	e := s.panelAt(tau)
	if last := s.last[k]; (e+1)*order > last || tau > s.edges[len(s.edges)-1] {
		if from := min(last, len(s.tau)) - 1; from >= 0 && tau > s.tau[from] {
			return s.beyond(k, from, tau, grad)
		}
	}
	h := s.edges[e+1] - s.edges[e]
	var f factors
	l, slope := rule.interpolate((tau-s.edges[e])/h, s.joined(e), &f)
	first, log := (e+1)*order-len(l), s.log[k]
	for j, y := range log.v[first : first+len(l)] {
		value += l[j] * y
		byTime += slope[j] / h * y
	}
	if grad != nil {
		for p := range grad {
			grad[p] = -s.turn[k][p] / tau
		}
		for j, w := range l {
			for p, d := range log.d[(first+j)*s.dim : (first+j+1)*s.dim] {
				grad[p] += w * d
			}
		}
	}
	return value - s.lead[k]/tau - 1.5*math.Log(tau), byTime + s.lead[k]/(tau*tau) - 1.5/tau
}

// beyond continues the logarithm of a density after node from, the last reliable one, as a straight line. The line is one in the age of the
// process, a time in which late densities fall off evenly. After the boundaries have met, it returns -Inf.
func (s *solution) beyond(k, from int, tau float64, grad []float64) (value, byTime float64) {
	if tau >= s.meet {
		clear(grad)
		return math.Inf(-1), 0
	}
	now, rate := s.since(tau, grad)
	if !(now < math.MaxFloat64) {
		clear(grad)
		return math.Inf(-1), 0
	}
	first, later, after := s.settled(k, from)
	older := now - s.age.v[from]
	fall := s.fall(k, later)
	if first < later {
		fall += after * (fall - s.fall(k, first))
	}
	fall = min(0, fall)
	for p, byNow := range grad {
		grad[p] = s.derivative(k, from, p)
		if fall < 0 {
			steeper := s.fallSlope(k, later, p)
			if first < later {
				steeper += after*(steeper-s.fallSlope(k, first, p)) + s.afterSlope(first, later, from, p)*(s.fall(k, later)-s.fall(k, first))
			}
			grad[p] += fall*(byNow-s.age.d[from*s.dim+p]) + older*steeper
		}
	}
	return s.density(k, from) + fall*older, fall * rate
}

// fall returns the slope of a log density in the age, at the end of the nodes of a panel before node at; 0 at the first node.
func (s *solution) fall(k, at int) float64 {
	before := max(at-order, 0)
	if at == before {
		return 0
	}
	return (s.density(k, at) - s.density(k, before)) / (s.age.v[at] - s.age.v[before])
}

// fallSlope returns the derivative of fall in parameter p.
func (s *solution) fallSlope(k, at, p int) float64 {
	before := max(at-order, 0)
	if at == before {
		return 0
	}
	fallen := s.derivative(k, at, p) - s.derivative(k, before, p)
	aged := s.age.d[at*s.dim+p] - s.age.d[before*s.dim+p]
	return (fallen - s.fall(k, at)*aged) / (s.age.v[at] - s.age.v[before])
}

// A late density between two boundaries has few digits, and a tail is many times longer than the interval on which its slope is taken. So slopes
// are taken where the density is these shares of the largest one, and the change between them is taken to go on.
const (
	distinct = 1e-7
	plain    = 1e-5
)

// settled returns the nodes at which slopes of the tail that follows node from are taken, and how far the slope changes after the later one, as a
// share of its change between them. They are the same node where the slope is taken only once.
func (s *solution) settled(k, from int) (first, later int, after float64) {
	peak := 0.0
	for b := range s.sides {
		peak = max(peak, slices.Max(s.flux[b].v[:from+1]))
	}
	later = s.lastAbove(k, from, distinct*peak)
	first = s.lastAbove(k, later, plain*peak)
	if s.bounds == 1 || first == later || first < order {
		return from, from, 0
	}
	age := s.age.v
	return first, later, (age[from] - age[later]) / (age[later] - age[first])
}

// afterSlope returns the derivative in parameter p of the third number that settled returns.
func (s *solution) afterSlope(first, later, from, p int) float64 {
	d, age := s.age.d[p:], s.age.v
	since, between := age[from]-age[later], age[later]-age[first]
	last, middle, begin := d[from*s.dim], d[later*s.dim], d[first*s.dim]
	return (last - middle - since/between*(middle-begin)) / between
}

// lastAbove returns the last node up to node from at which the density of boundary k is at least as large as a number; node from if there is none.
func (s *solution) lastAbove(k, from int, least float64) int {
	for at := from; at >= order; at-- {
		if s.flux[k].v[at] >= least {
			return at
		}
	}
	return from
}

// between returns the integral of the density of boundary k from one time to another. If grad is not nil, it adds the
// derivatives to grad.
func (s *solution) between(k int, from, to float64, grad []float64) (total float64) {
	to = min(to, s.edges[len(s.edges)-1])
	if !(from < to) {
		return 0
	}
	var low, high [order]float64
	for e := s.panelAt(from); e+1 < len(s.edges) && s.edges[e] < to; e++ {
		h := s.edges[e+1] - s.edges[e]
		rule.integral((max(from, s.edges[e])-s.edges[e])/h, &low)
		rule.integral((min(to, s.edges[e+1])-s.edges[e])/h, &high)
		for j := range order {
			at, w := e*order+j, h*(high[j]-low[j])
			if at >= s.last[k] {
				return total
			}
			total += w * s.flux[k].v[at]
			for p := range grad {
				grad[p] += w * s.flux[k].d[at*s.dim+p]
			}
		}
	}
	return total
}

// logSurvival returns the logarithm of the probability that the upper boundary has not been reached by τ, and its derivative in
// τ.
func (s *solution) logSurvival(tau float64, grad []float64) (value, byTime float64) {
	if end := s.edges[len(s.edges)-1]; s.mirrored && tau > end && !s.ended {
		return s.lateSurvival(end, tau, grad)
	}
	clear(grad)
	left := max(1-s.between(0, 0, tau, grad), 1e-12)
	for p := range grad {
		grad[p] /= -left
	}
	return math.Log(left), -math.Exp(s.logAt(0, tau)) / left
}

// lateSurvival returns what logSurvival does, after the last panel: reflected evidence then leaves at a rate that changes no more.
func (s *solution) lateSurvival(end, tau float64, grad []float64) (value, byTime float64) {
	value, byTime = s.logSurvival(end, grad)
	var own []float64
	if grad != nil {
		own = s.late[:len(grad)]
	}
	last, _ := s.logFlux(0, end, own)
	if !(last > math.Inf(-1)) { // nothing leaves
		return value, byTime
	}
	for p := range grad {
		grad[p] -= own[p]
	}
	now, byTime := s.logFlux(0, tau, own)
	for p := range grad {
		grad[p] += own[p]
	}
	if !(now > math.Inf(-1)) { // the boundary has met the barrier
		clear(grad)
		return math.Log(1e-12), 0
	}
	return value + now - last, byTime
}

// mass returns the sum of the integrals of the densities over all panels.
func (s *solution) mass() (total float64) {
	for k := range s.sides {
		total += s.between(k, 0, s.edges[len(s.edges)-1], nil)
	}
	return total
}
