package docs

import (
	"image/color"
	"math"
	"math/rand/v2"
	"slices"

	"likc/runtime/fit/figure"
	"likc/runtime/model/ssm"
)

// twoBoundaries draws a path to each boundary, the path without noise, and the densities beyond the boundaries.
func (p *picture) twoBoundaries(m *ssm.Model, theta, rt, choice []float64) {
	upper, shareUp := ofChoice(rt, choice, 1)
	lower, shareLow := ofChoice(rt, choice, -1)
	a := theta[m.Index("a")]
	above, below := kernel(upper, shareUp, m.Earliest(theta)), kernel(lower, shareLow, m.Earliest(theta))
	height := 0.9 * a / max(p.highest(above), p.highest(below))
	p.begin(m.Name, "evidence", -2*a, 2*a)
	p.hill(above, a, height, hues[0])
	p.hill(below, -a, -height, hues[1])
	for k, end := range []float64{1, -1} {
		p.untilEnd(m, theta, end, hues[k])
	}
	d := diffusionOf(m, theta, nil)
	for _, side := range []float64{1, -1} {
		p.curve(0, p.last, func(t float64) float64 { return side * d.Bound(max(0, t-d.Onset)) }, bound)
	}
	p.mean(d)
	p.Text(0.01*p.last, 0.88*a, ink, "a")
	p.Text(0.01*p.last, -0.84*a, ink, "−a")
}

// diffusionOf is a process between two boundaries: of a process with parameters that vary between trials one trial's, with the drift, start
// and onset that rng draws, or with their means.
func diffusionOf(m *ssm.Model, theta []float64, rng *rand.Rand) ssm.Diffusion {
	switch {
	case m.Diffusion != nil:
		return m.Diffusion(theta)
	case m.Flight != nil:
		f := m.Flight(theta)
		return ssm.Diffusion{Onset: f.Onset, Start: f.Start, Bound: func(float64) float64 { return f.Bound }, Drift: func(_, _ float64) float64 { return f.Drift }}
	}
	trial := slices.Clone(theta[:ssm.DDM.Dim()])
	if rng != nil {
		trial[m.Index("v")] += theta[m.Index("sv")] * rng.NormFloat64()
		for _, name := range []string{"z", "t"} {
			if width := m.Index("s" + name); width >= 0 {
				trial[m.Index(name)] += theta[width] * (rng.Float64() - 0.5)
			}
		}
	}
	return ssm.DDM.Diffusion(trial)
}

// untilEnd draws the first simulated path that ends at the given boundary within a middling time.
func (p *picture) untilEnd(m *ssm.Model, theta []float64, end float64, hue color.NRGBA) {
	for range 10_000 {
		d := diffusionOf(m, theta, p.rng)
		x, y, ended := p.walk(d, noiseOf(m, theta))
		if at := x[len(x)-1]; ended == end && at > 0.35*p.last && at < 0.8*p.last {
			y[len(y)-1] = end * d.Bound(at-d.Onset)
			p.Line(slices.Concat([]float64{0, d.Onset}, x), slices.Concat([]float64{d.Start, d.Start}, y), figure.Stroke{Colour: hue, Width: 0.9})
			return
		}
	}
}

// step is the time between two points of a path, in seconds.
func (p *picture) step() float64 { return p.last / 350 }

// noise draws what evidence moves by in a step without drift.
type noise func(r *rand.Rand, step float64) float64

func brownian(r *rand.Rand, step float64) float64 { return math.Sqrt(step) * r.NormFloat64() }
func none(*rand.Rand, float64) float64            { return 0 }

// noiseOf is the noise of a process: Brownian, or that of a Lévy flight, by Chambers, Mallows and Stuck (1976).
func noiseOf(m *ssm.Model, theta []float64) noise {
	if m.Flight == nil {
		return brownian
	}
	alpha := m.Flight(theta).Alpha
	return func(r *rand.Rand, step float64) float64 {
		u, w := math.Pi*(r.Float64()-0.5), r.ExpFloat64()
		return math.Pow(step, 1/alpha) * math.Sin(alpha*u) / math.Pow(math.Cos(u), 1/alpha) * math.Pow(math.Cos((1-alpha)*u)/w, (1-alpha)/alpha)
	}
}

// walk is a path of a process in small steps: its times and evidence, and the boundary at which it ends; 0 for none.
func (p *picture) walk(d ssm.Diffusion, move noise) (x, y []float64, ended float64) {
	v, step := d.Start, p.step()
	for k := range 2000 {
		tau := step * float64(k)
		x, y = append(x, d.Onset+tau), append(y, v)
		switch b := d.Bound(tau); {
		case v >= b:
			return x, y, 1
		case v <= -b:
			return x, y, -1
		}
		v += d.Drift(tau, v)*step + move(p.rng, step)
	}
	return x, y, 0
}

// mean draws where evidence goes without noise, and the non-decision time before it.
func (p *picture) mean(d ssm.Diffusion) {
	x, y, _ := p.walk(d, none)
	var thinX, thinY []float64
	for i := 0; i < len(x) && x[i] <= p.last; i += 8 {
		thinX, thinY = append(thinX, x[i]), append(thinY, y[i])
	}
	p.Line(thinX, thinY, dashed)
	p.Line([]float64{0, d.Onset}, []float64{d.Start, d.Start}, figure.Stroke{Colour: ink, Width: 1.6})
	if d.Onset > 0 {
		p.Text(d.Onset/2, d.Start-0.16*d.Bound(0), ink, "t")
	}
}
