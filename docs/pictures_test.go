package docs

import (
	"bytes"
	"cmp"
	"fmt"
	"image/color"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"likc/runtime/figure"
	"likc/runtime/ssm"
	"likc/runtime/statistic"
)

// mostBytes is the size of the largest picture, in bytes.
const mostBytes = 15_000

// TestPictures: docs/models.md shows a picture of every process, which is drawn from the process itself; -update draws them again.
func TestPictures(t *testing.T) {
	page, err := os.ReadFile("models.md")
	if err != nil {
		t.Fatal(err)
	}
	drawn := map[string]bool{"recovery": true}
	check := func(name string, svg []byte) {
		file := filepath.Join("pictures", name+".svg")
		drawn[name] = true
		if !strings.Contains(string(page), "]("+filepath.ToSlash(file)+")") {
			t.Errorf("models.md does not show %s", file)
		}
		if len(svg) > mostBytes {
			t.Errorf("%s: %d bytes, want at most %d", file, len(svg), mostBytes)
		}
		if *update {
			if err := os.WriteFile(file, svg, 0o644); err != nil {
				t.Fatal(err)
			}
		} else if old, err := os.ReadFile(file); err != nil || runtime.GOARCH == "amd64" && !bytes.Equal(old, svg) { // others round otherwise
			t.Errorf("%s is not the picture of the process (%v): draw it again with -update", file, err)
		}
	}
	for _, m := range ssm.Models() {
		if name := pictureOf(m); !drawn[name] {
			check(name, draw(t, m).svg(t, name))
		}
	}
	check("stop_signal", stopSignal().svg(t, "stop_signal"))
	files, err := filepath.Glob("pictures/*.svg")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if !drawn[strings.TrimSuffix(filepath.Base(file), ".svg")] {
			t.Errorf("%s is a picture of no process", file)
		}
	}
}

// pictureOf is the name of a process's picture; races of all sizes share one.
func pictureOf(m *ssm.Model) string {
	if m.Numbered() {
		return strings.TrimRight(m.Name, "234")
	}
	return m.Name
}

// ofPicture are the parameters of a picture, where the example's would hide what the process is.
var ofPicture = map[string][]float64{
	"ddm":                 {0.8, 1, 0.5, 0.2},
	"ddm_sdv":             {0.8, 1, 0.5, 0.2, 1},
	"full_ddm":            {0.8, 1, 0.5, 0.3, 1, 0.4, 0.2},
	"angle":               {0.8, 1.2, 0.5, 0.2, 0.6},
	"gamma_drift":         {0.5, 1.2, 0.5, 0.2, 2.5, 0.25, 3},
	"hyperbolic":          {0.8, 1.4, 0.5, 0.2, 0.9, 0.5},
	"levy":                {0.8, 1, 0.5, 1.3, 0.2},
	"ornstein":            {1, 1, 0.5, 0.9, 0.2},
	"race_angle3":         {1.5, 1, 0.5, 1.5, 0.3, 0.3, 0.9},
	"shrinking_spotlight": {1, 0.5, 0.2, 3, -3, -3, 1.5, 4},
	"weibull":             {0.8, 1.3, 0.5, 0.2, 3, 1},
}

// picture is a chart under way: its marks, and what they are drawn from.
type picture struct {
	*figure.Chart
	last float64 // the end of the time axis, in seconds
	rng  *rand.Rand
}

var (
	ink    = color.RGBA{40, 40, 40, 255}
	pale   = color.RGBA{140, 140, 140, 255}
	scheme = figure.Scheme{Title: ink, Axis: pale, Grid: color.RGBA{}}
	hues   = []color.NRGBA{{0, 114, 178, 255}, {213, 94, 0, 255}, {0, 158, 115, 255}}
)

func faint(c color.NRGBA) color.NRGBA { return color.NRGBA{c.R, c.G, c.B, 70} }

// draw is the picture of a process; of a race, of that with three choices.
func draw(t *testing.T, m *ssm.Model) *picture {
	t.Helper()
	if m.Numbered() {
		m, _ = ssm.Lookup(pictureOf(m) + "3")
	}
	theta := m.Example
	if own, ok := ofPicture[m.Name]; ok {
		theta = own
	}
	p := &picture{rng: ssm.NewRand(1, 1)}
	rt, choice := make([]float64, 3000), make([]float64, 3000)
	scheme, _, err := m.Scheme("")
	if err == nil {
		err = m.Simulate(p.rng, theta, scheme, rt, choice)
	}
	if err != nil {
		t.Fatal(err)
	}
	p.last = math.Ceil(10*statistic.Quantile(slices.Sorted(slices.Values(rt)), 0.95)) / 10
	switch {
	case !m.HasChoice():
		p.oneResponse(m, theta, rt)
	case m.Numbered():
		p.race(m, theta, rt, choice)
	default:
		p.twoBoundaries(m, theta, rt, choice)
	}
	return p
}

// svg is the picture as a file.
func (p *picture) svg(t *testing.T, name string) []byte {
	t.Helper()
	fig, err := figure.Charts([]*figure.Chart{p.Chart}, 1, 250, 180)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := fig.WriteAlone(&b); err != nil {
		t.Fatal(err)
	}
	if dir := os.Getenv("LIKC_PNG"); dir != "" { // a folder in which to look at them
		f, err := os.Create(filepath.Join(dir, name+".png"))
		if err == nil {
			err = cmp.Or(fig.WritePNG(f), f.Close())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return b.Bytes()
}

// begin makes the chart.
func (p *picture) begin(name, label string, low, high float64) {
	p.Chart = figure.NewChart(name, figure.Axis{Label: "time (s)", Low: 0, High: p.last}, figure.Axis{Label: label, Low: low, High: high, Names: []string{}}, scheme)
}

// places is the number of points of a curve.
const places = 70

// kernel is the density of the simulated response times that are share of all trials, none before earliest.
func kernel(times []float64, share, earliest float64) func(t float64) float64 {
	known := map[float64]float64{} // every place is asked for twice
	return func(t float64) float64 {
		d, ok := known[t]
		if !ok {
			d = share * statistic.Kernel(times, t, earliest, math.Inf(1))
			known[t] = d
		}
		return d
	}
}

// hill draws a density from base upwards or, with a negative height, downwards.
func (p *picture) hill(density func(t float64) float64, base, height float64, hue color.NRGBA) {
	var x, y []float64
	for i := range places {
		at := p.last * float64(i) / (places - 1)
		if d := density(at); d > 0.01 || len(x) > 0 {
			x, y = append(x, at), append(y, base+height*d)
		}
	}
	p.Area(x, y, base, faint(hue))
	p.Line(x, y, figure.Stroke{Colour: hue, Width: 1})
}

// highest is the largest value of a density.
func (p *picture) highest(density func(t float64) float64) (most float64) {
	for i := range places {
		most = max(most, density(p.last*float64(i)/(places-1)))
	}
	return most
}

// ofChoice are the response times of a choice, and their share of all.
func ofChoice(rt, choice []float64, of float64) (times []float64, share float64) {
	for i, c := range choice {
		if c == of {
			times = append(times, rt[i])
		}
	}
	return times, float64(len(times)) / float64(len(rt))
}

// curve draws a function of time from one time to another.
func (p *picture) curve(from, to float64, f func(t float64) float64, s figure.Stroke) {
	var x, y []float64
	for i := range places {
		at := from + (to-from)*float64(i)/(places-1)
		x, y = append(x, at), append(y, f(at))
	}
	p.Line(x, y, s)
}

var (
	bound  = figure.Stroke{Colour: ink, Width: 1.6}
	dashed = figure.Stroke{Colour: pale, Width: 1, Dashes: []float64{3, 2}}
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
		if end := paths[0].x[len(paths[0].x)-1]; end > 0.4*p.last && end < 0.7*p.last && paths[0].y[len(paths[0].y)-1] >= paths[1].y[len(paths[1].y)-1] &&
			paths[0].y[len(paths[0].y)-1] >= paths[2].y[len(paths[2].y)-1] {
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

// oneResponse draws the density of a response, and of what its time is made of.
func (p *picture) oneResponse(m *ssm.Model, theta, rt []float64) {
	of := func(name string) float64 { return theta[m.Index(name)] }
	density := kernel(rt, 1, m.Earliest(theta))
	if m.Index("b") >= 0 {
		p.firstPassage(m, theta, density)
		return
	}
	var parts []func(x float64) float64
	switch m.Name {
	case "exgaussian":
		parts = append(parts, func(x float64) float64 { return 0.4 * p.highest(density) * bell((x-of("mu"))/of("sigma")) / bell(0) })
	case "lognormal_mixture":
		for k, weight := range []float64{1 - of("p"), of("p")} {
			parts = append(parts, func(x float64) float64 {
				x = max(1e-6, x-of("t"))
				return weight * bell((math.Log(x)-of("m")-float64(k)*of("d"))/of("s")) / (of("s") * x)
			})
		}
		density = func(x float64) float64 { return parts[0](x) + parts[1](x) }
	}
	height := 0.95 / p.highest(density)
	p.begin(m.Name, "density", 0, 1)
	p.hill(density, 0, height, hues[0])
	for _, part := range parts {
		p.curve(0, p.last, func(x float64) float64 { return height * part(x) }, dashed)
	}
	if m.Name == "exgaussian" {
		p.Text(0.01*p.last, 0.3, ink, "normal part")
	}
	if m.Onset != "" {
		p.Line([]float64{of("t"), of("t")}, []float64{0, 1}, dashed)
		p.Text(of("t")+0.01*p.last, 0.93, ink, "t")
	}
}

// bell is the density of a standard normal.
func bell(x float64) float64 { return math.Exp(-x*x/2) / math.Sqrt(2*math.Pi) }

// firstPassage draws a path to one boundary, what comes after it, and the density above the boundary.
func (p *picture) firstPassage(m *ssm.Model, theta []float64, density func(t float64) float64) {
	v, b, onset := theta[m.Index("v")], theta[m.Index("b")], m.Earliest(theta)
	p.begin(m.Name, "evidence", -0.3*b, 2*b)
	p.hill(density, b, 0.9*b/p.highest(density), hues[0])
	d := ssm.Diffusion{Onset: onset, Bound: func(float64) float64 { return b }, Drift: func(_, _ float64) float64 { return v }}
	for range 10_000 {
		x, y, _ := p.walk(d, brownian)
		if at := x[len(x)-1]; y[len(y)-1] >= b && slices.Min(y) > -0.3*b && at > 0.35*p.last && at < 0.7*p.last {
			y[len(y)-1] = b
			p.Line(x, y, figure.Stroke{Colour: hues[0], Width: 0.9})
			if k := m.Index("tau"); k >= 0 {
				p.Line([]float64{at, at + theta[k]}, []float64{1.04 * b, 1.04 * b}, figure.Stroke{Colour: hues[1], Width: 1.6})
				p.Text(at+theta[k]+0.01*p.last, 1.1*b, ink, "tau")
			}
			break
		}
	}
	p.curve(0, p.last, func(float64) float64 { return b }, bound)
	p.mean(d)
	p.Text(0.01*p.last, 0.88*b, ink, "b")
}

// stopSignal is the picture of the stop-signal race: the go process's finishing times, a dashed line, those of them that come before the stop
// process's, which are responses, and those of the stop process, which begins at the signal.
func stopSignal() *picture {
	const delay = 0.25 // of the signal, in seconds
	p := &picture{last: 1.1}
	exgaussian := func(x, mu, sigma, tau float64) float64 {
		q, k := (x-mu)/sigma, sigma/tau
		return math.Exp(k*k/2-k*q) * math.Erfc(-(q-k)/math.Sqrt2) / (2 * tau)
	}
	start := func(x float64) float64 { return exgaussian(x, 0.4, 0.06, 0.15) }
	stop := func(x float64) float64 { return exgaussian(x-delay, 0.18, 0.04, 0.05) }
	notYet := func(x float64) float64 { // the probability that the stop process finishes after x
		const steps = 400
		sum := 0.0
		for i := range steps {
			sum += stop(x * (float64(i) + 0.5) / steps)
		}
		return 1 - sum*x/steps
	}
	height := 0.95 / p.highest(stop)
	p.begin("stop_signal", "density", 0, 1)
	p.hill(stop, 0, height, hues[1])
	p.hill(func(x float64) float64 { return start(x) * notYet(x) }, 0, height, hues[0])
	p.curve(0, p.last, func(x float64) float64 { return height * start(x) }, dashed)
	p.Line([]float64{delay, delay}, []float64{0, 1}, dashed)
	p.Text(delay-0.09, 0.93, ink, "ssd")
	p.Text(0.5, 0.8, ink, "stop process")
	p.Text(0.6, 0.4, ink, "go process")
	return p
}
