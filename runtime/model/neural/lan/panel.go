package lan

import (
	"fmt"
	"math"
)

// At a fixed theta and choice, a network is a function f of rt only. It is smooth except for the steep rise after the non-decision time.
// Where it is smooth, many trials can be summed by interpolation. Let x_k be the Chebyshev nodes on an interval, and ℓ_k the polynomials
// that interpolate there. Then
//
//	Σ_i f(rt_i) ≈ Σ_k ω_k f(x_k),  ω_k = Σ_i ℓ_k(rt_i),
//
// and the weights ω_k depend only on the trials. So one block of weighted nodes replaces all trials of the interval.

// panel is an interval of response times with its trials, which fill the blocks first to last-1 of a group; a group holds the trials of
// one choice. The two halves of a panel are separate panels.
type panel struct {
	first, last int
	rt          []float32 // nodes, descending; nil if interpolation is never used here
	weight      []float64 // weights ω of the nodes
	left, right *panel    // the halves; nil if interpolation is never used here
}

// directBlocks is the smallest number of blocks for which interpolation is tried. Interpolation costs one block, and may then prove
// inaccurate.
const directBlocks = 3

// newPanel divides the blocks first to last-1 of g into panels.
func newPanel(g *group, first, last int) *panel {
	p := &panel{first: first, last: last}
	low, high := float64(g.rt[first*lanes]), float64(g.rt[last*lanes-1])
	if last-first < directBlocks || low >= high {
		return p
	}
	p.interpolate(g, low, high)
	middle := first + 1
	for middle < last-1 && float64(g.rt[middle*lanes]) < (low+high)/2 {
		middle++
	}
	p.left, p.right = newPanel(g, first, middle), newPanel(g, middle, last)
	return p
}

// interpolate computes nodes and weights for the interval from low to high.
func (p *panel) interpolate(g *group, low, high float64) {
	var moments [lanes]float64 // Σ_i T_j(x_i), with x in [-1, 1]
	for i := p.first * lanes; i < p.last*lanes; i++ {
		x := (2*float64(g.rt[i]) - low - high) / (high - low)
		before, t := x, 1.0
		for j := range moments {
			moments[j] += g.weight[i] * t
			before, t = t, 2*x*t-before
		}
	}
	p.rt, p.weight = make([]float32, lanes), make([]float64, lanes)
	for k := range lanes {
		p.rt[k] = float32((low + high + (high-low)*chebyshev(1, k)) / 2)
		p.weight[k] = moments[0] / lanes
		for j := 1; j < lanes; j++ {
			p.weight[k] += 2.0 / lanes * moments[j] * chebyshev(j, k)
		}
	}
}

// chebyshev returns T_j at the k-th zero of T_lanes.
func chebyshev(j, k int) float64 {
	return math.Cos(float64(j) * (float64(k) + 0.5) * math.Pi / lanes)
}

// tail holds, for the four highest degrees j, the factors of the values at the nodes in Chebyshev coefficient j.
var tail = func() (t [4][lanes]float64) {
	for j := range t {
		for k := range t[j] {
			t[j][k] = 2.0 / lanes * chebyshev(lanes-len(t)+j, k)
		}
	}
	return t
}()

// smooth reports whether interpolation represents the values at a panel's nodes: their last Chebyshev coefficients are below
// tolerance.
func smooth(values []float32, tolerance float64) bool {
	for j := range tail {
		coefficient := 0.0
		for k, t := range tail[j] {
			coefficient += t * float64(values[k])
		}
		if !(math.Abs(coefficient) <= tolerance) {
			return false
		}
	}
	return true
}

// Tabulate binds trials as Bind does, for large datasets: intervals of rt on
// which the network is smooth at the theta in question are summed by Chebyshev
// interpolation of degree 31, all other intervals are halved or summed trial by trial. So the
// cost grows with the network's roughness and not with the number of trials.
//
// tolerance bounds the last four Chebyshev coefficients of the output on an interval that is interpolated. So it roughly bounds the error
// of each trial. 1e-5 is the single-precision error of the networks themselves. The gradient is that of the interpolated sum. Where the
// network is steep in a parameter, the error of the gradient is larger by the steepness.
func (n *Network) Tabulate(rt, choice []float64, tolerance float64) (*Bound, error) {
	if !(tolerance > 0) {
		return nil, fmt.Errorf("tabulate: tolerance %v is not positive", tolerance)
	}
	b, err := n.Bind(rt, choice)
	if err != nil {
		return nil, err
	}
	b.tolerance = tolerance
	for i := range b.groups {
		g := &b.groups[i]
		if blocks := len(g.rt) / lanes; blocks > 0 {
			g.root = newPanel(g, 0, blocks)
		}
	}
	return b, nil
}
