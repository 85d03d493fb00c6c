package gate

import (
	"math"
	"slices"
	"sort"
)

// The grid of a profile has midpoints of equal steps up to the non-decision time t, then points at equal steps of log(rt - t). Sums
// over the second part converge fast, because the density falls off at both ends of that axis.
const (
	pointsBelow = 64    // number of grid points before the non-decision time
	pointsAbove = 401   // number of grid points after it
	earliest    = 1e-5  // the smallest rt - t after the non-decision time, in seconds
	latest      = 100.0 // the largest rt - t, in seconds
)

// profile is a density at one parameter set, for all choices, on a grid of response times.
type profile struct {
	choices    []float64
	rt         []float64   // the grid, in seconds, ascending
	cumulative [][]float64 // for each choice, the mass up to rt[i]
	below      float64     // the mass of all choices up to the non-decision time
}

// newProfile evaluates the density at theta on the grid; t is the non-decision time.
func newProfile(density Density, choices, theta []float64, t float64) *profile {
	p := &profile{choices: choices}
	n := pointsBelow + pointsAbove
	weights := make([]float64, 0, n) // the weight of each grid point in the integral
	for i := range pointsBelow {
		p.rt = append(p.rt, max(t, 1e-9)*(float64(i)+0.5)/pointsBelow)
		weights = append(weights, t/pointsBelow)
	}
	step := math.Log(latest/earliest) / (pointsAbove - 1)
	for i := range pointsAbove {
		tau := earliest * math.Exp(float64(i)*step)
		p.rt = append(p.rt, t+tau)
		weights = append(weights, tau*step)
	}
	logs, choice, thetas := make([]float64, n), make([]float64, n), make([][]float64, n)
	for side, of := range choices {
		for i := range choice {
			choice[i], thetas[i] = of, theta
		}
		density.LogDensity(logs, thetas, p.rt, choice)
		p.cumulative = append(p.cumulative, accumulate(logs, weights))
		p.below += p.cumulative[side][pointsBelow-1]
	}
	return p
}

// accumulate returns the integral of exp(logs) up to each grid point. Above the non-decision time, the integral ends in the middle
// of the point's own cell, so that cell counts half.
func accumulate(logs, weights []float64) []float64 {
	sums := make([]float64, len(logs))
	total := 0.0
	for i, l := range logs {
		cell := math.Exp(l) * weights[i]
		if i < pointsBelow {
			total += cell
			sums[i] = total
			continue
		}
		sums[i] = total + cell/2
		total += cell
	}
	return sums
}

// mass returns the mass of choice number k.
func (p *profile) mass(k int) float64 { return p.cumulative[k][len(p.rt)-1] }

// total returns the mass of all choices.
func (p *profile) total() float64 {
	sum := 0.0
	for k := range p.cumulative {
		sum += p.mass(k)
	}
	return sum
}

// probability returns the probability of choice number k.
func (p *profile) probability(k int) float64 { return p.mass(k) / p.total() }

// pit returns the probability integral transform of a response time given its choice.
func (p *profile) pit(rt, choice float64) float64 {
	sums := p.cumulative[slices.Index(p.choices, choice)]
	i := sort.SearchFloat64s(p.rt, rt)
	switch {
	case i == 0:
		return 0
	case i == len(p.rt):
		return 1
	}
	part := (rt - p.rt[i-1]) / (p.rt[i] - p.rt[i-1])
	return (sums[i-1] + part*(sums[i]-sums[i-1])) / sums[len(sums)-1]
}

// quantile returns the response time at which pit is u.
func (p *profile) quantile(u, choice float64) float64 {
	sums := p.cumulative[slices.Index(p.choices, choice)]
	u *= sums[len(sums)-1]
	i := sort.SearchFloat64s(sums, u)
	switch {
	case i == 0:
		return p.rt[0]
	case i == len(sums):
		return p.rt[i-1]
	}
	part := (u - sums[i-1]) / (sums[i] - sums[i-1])
	return p.rt[i-1] + part*(p.rt[i]-p.rt[i-1])
}
