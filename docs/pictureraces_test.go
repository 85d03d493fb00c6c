package docs

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"likc/runtime/fit/figure"
	"likc/runtime/model/ssm"
)

// race draws the accumulators of one trial, the bound that ends it, and the densities of the choices above the bound.
func (p *picture) race(m *ssm.Model, theta, rt, choice []float64) {
	densities, most := make([]func(t float64) float64, 3), 0.0
	for k := range densities {
		times, share := ofChoice(rt, choice, float64(k))
		densities[k] = kernel(times, share, m.Earliest(theta))
		most = max(most, p.highest(densities[k]))
	}
	paths, top := p.accumulate(m, theta)
	p.begin(fmt.Sprintf("%s: three choices", pictureOf(m)), map[bool]string{true: "evidence", false: "density"}[top > 0], 0, max(2*top, 1))
	if top == 0 {
		for k, density := range densities {
			p.hill(density, 0, 0.95/most, hues[k])
		}
		return
	}
	for k, density := range densities {
		p.hill(density, top, 0.9*top/most, hues[k])
	}
	onset := theta[m.OnsetIndex()]
	for k, path := range paths {
		p.Line(path.x, path.y, figure.Stroke{Colour: hues[k], Width: 0.9})
	}
	p.Line([]float64{0, onset}, []float64{0.02 * top, 0.02 * top}, figure.Stroke{Colour: ink, Width: 1.6})
	p.Text(onset/2, 0.1*top, ink, "t")
	b := func(t float64) float64 { return top }
	if m.Accumulators != nil {
		own := m.Accumulators(theta)
		b = func(t float64) float64 { return own.Bound(max(0, t-own.Onset)) }
	}
	p.curve(0, p.last, b, bound)
}

// path is one line of evidence.
type path struct{ x, y []float64 }

// end is the last point.
func (p path) end() (x, y float64) { return p.x[len(p.x)-1], p.y[len(p.y)-1] }

// accumulate simulates one trial of a race whose end is in the middle of the picture. top is the bound, 0 for a race that has no evidence.
func (p *picture) accumulate(m *ssm.Model, theta []float64) (paths []path, top float64) {
	const n = 3
	if m.Accumulators != nil {
		a := m.Accumulators(theta)
		return p.middling(func() []path { return p.together(a, true) }), a.Bound(0)
	}
	if m.Index("A") < 0 {
		return nil, 0
	}
	spread, above, onset := theta[m.Index("A")], theta[m.Index("B")], theta[m.OnsetIndex()]
	top = spread + above
	starts := func() []float64 {
		s := make([]float64, n)
		for k := range s {
			s[k] = spread * p.rng.Float64()
		}
		return s
	}
	if strings.HasPrefix(m.Name, "lba") {
		return p.middling(func() []path { return ballistic(starts(), theta[:n], onset, top, p.rng) }), top
	}
	return p.middling(func() []path {
		return p.together(ssm.Accumulators{Onset: onset, Start: starts(), Bound: func(float64) float64 { return top },
			Drift: func(dst, _ []float64) { copy(dst, theta[:n]) }}, false)
	}), top
}

// middling draws trials until the first accumulator wins at a time in the middle of the picture.
func (p *picture) middling(trial func() []path) (paths []path) {
	for range 10_000 {
		paths = trial()
		at, top := paths[0].end()
		wins := !slices.ContainsFunc(paths, func(q path) bool { _, y := q.end(); return y > top })
		if wins && at > 0.4*p.last && at < 0.7*p.last {
			return paths
		}
	}
	return paths
}

// together are paths of accumulators in small steps, until the first one is at the bound.
func (p *picture) together(a ssm.Accumulators, reflects bool) []path {
	step := p.step()
	paths, x, drift := make([]path, len(a.Start)), slices.Clone(a.Start), make([]float64, len(a.Start))
	for k := range 2000 {
		tau := step * float64(k)
		b := a.Bound(tau)
		for i := range x {
			paths[i].x, paths[i].y = append(paths[i].x, a.Onset+tau), append(paths[i].y, min(x[i], b))
		}
		if slices.Max(x) >= b {
			return paths
		}
		a.Drift(drift, x)
		for i := range x {
			if x[i] += drift[i]*step + math.Sqrt(step)*p.rng.NormFloat64(); reflects {
				x[i] = math.Abs(x[i])
			}
		}
	}
	return paths
}

// ballistic are the straight lines of accumulators whose rates have the standard deviation 1, until the first one is at the bound.
func ballistic(starts, rates []float64, onset, top float64, rng *rand.Rand) []path {
	first, own := math.Inf(1), make([]float64, len(starts))
	for k := range starts {
		for own[k] <= 0 {
			own[k] = rates[k] + rng.NormFloat64()
		}
		first = min(first, (top-starts[k])/own[k])
	}
	paths := make([]path, len(starts))
	for k, at := range starts {
		paths[k] = path{[]float64{onset, onset + first}, []float64{at, at + own[k]*first}}
	}
	return paths
}
