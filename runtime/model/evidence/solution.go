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

// beyond continues the logarithm of a density after the last reliable node, as a straight line with the slope of the last nodes. The
// line is one in the age of the process, a time in which late densities fall off evenly. After the boundaries have met, it returns -Inf.
func (s *solution) beyond(k, from int, tau float64, grad []float64) (value, byTime float64) {
	if tau >= s.meet {
		clear(grad)
		return math.Inf(-1), 0
	}
	to := max(from-order, 0)
	age := s.age
	now, rate := s.since(tau, grad)
	if !(now < math.MaxFloat64) {
		clear(grad)
		return math.Inf(-1), 0
	}
	older, span, fall := now-age.v[from], age.v[from]-age.v[to], 0.0
	if from > to {
		fall = min(0, (s.density(k, from)-s.density(k, to))/span)
	}
	for p, byNow := range grad {
		last := s.derivative(k, from, p)
		grad[p] = last
		if fall < 0 {
			then, before := age.d[from*s.dim+p], age.d[to*s.dim+p]
			grad[p] += fall*(byNow-then) + older/span*(last-s.derivative(k, to, p)-fall*(then-before))
		}
	}
	return s.density(k, from) + fall*older, fall * rate
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
	clear(grad)
	left := max(1-s.between(0, 0, tau, grad), 1e-12)
	for p := range grad {
		grad[p] /= -left
	}
	return math.Log(left), -math.Exp(s.logAt(0, tau)) / left
}

// mass returns the sum of the integrals of the densities over all panels.
func (s *solution) mass() (total float64) {
	for k := range s.sides {
		total += s.between(k, 0, s.edges[len(s.edges)-1], nil)
	}
	return total
}
