package evidence

import (
	"math"
	"slices"
)

// logFlux returns the logarithm of the density of first passage through boundary k at τ, and sets grad, unless it is nil, to its derivatives by the
// parameters; the derivative by τ is returned too.
func (s *solution) logFlux(k int, tau float64, grad []float64) (value, byTime float64) {
	e, found := slices.BinarySearch(s.edges, tau)
	if !found {
		e--
	}
	e = min(max(e, 0), len(s.edges)-2)
	if last := s.last[k]; (e+1)*order > last || tau > s.edges[len(s.edges)-1] {
		if from := min(last, len(s.tau)) - 1; from >= 0 && tau > s.tau[from] {
			return s.beyond(k, from, tau, grad)
		}
	}
	h := s.edges[e+1] - s.edges[e]
	var l, slope [order]float64
	x := (tau - s.edges[e]) / h
	rule.lagrange(x, &l)
	rule.lagrangeSlope(x, &l, &slope)
	log := s.log[k]
	for j := range order {
		value += l[j] * log.v[e*order+j]
		byTime += slope[j] / h * log.v[e*order+j]
	}
	if grad != nil {
		for p := range grad {
			grad[p] = -s.turn[k][p] / tau
		}
		for j, w := range l {
			for p, d := range log.d[(e*order+j)*s.dim : (e*order+j+1)*s.dim] {
				grad[p] += w * d
			}
		}
	}
	return value - s.lead[k]/tau, byTime + s.lead[k]/(tau*tau)
}

// beyond continues the logarithm of a density in a straight line after the last node that is reliable.
func (s *solution) beyond(k, from int, tau float64, grad []float64) (value, byTime float64) {
	to := max(from-order, 0)
	log := s.log[k]
	at := func(i int) float64 { return log.v[i] - s.lead[k]/s.tau[i] }
	share := 0.0
	if from > to {
		share = (tau - s.tau[from]) / (s.tau[from] - s.tau[to])
		byTime = min(0, (at(from)-at(to))/(s.tau[from]-s.tau[to]))
	}
	for p := range grad {
		slope := func(i int) float64 { return log.d[i*s.dim+p] - s.turn[k][p]/s.tau[i] }
		grad[p] = slope(from)
		if byTime < 0 {
			grad[p] += share * (slope(from) - slope(to))
		}
	}
	return at(from) + byTime*(tau-s.tau[from]), byTime
}

// mass returns the integrals of the densities over the panels.
func (s *solution) mass() (total float64) {
	for k := range s.sides {
		for e := 0; e+1 < len(s.edges); e++ {
			for j, w := range rule.weight {
				if at := e*order + j; at < s.last[k] {
					total += (s.edges[e+1] - s.edges[e]) * w * s.flux[k].v[at]
				}
			}
		}
	}
	return total
}

var _ = math.Inf
