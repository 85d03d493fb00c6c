package docs

import (
	"bytes"
	"cmp"
	"image/color"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"likc/runtime/fit/figure"
	"likc/runtime/model/ssm"
	"likc/runtime/num/statistic"
)

// mostBytes is the size of the largest picture, in bytes.
const mostBytes = 15_000

// TestPictures: the pages of models show a picture of every process, which is drawn from the process itself; -update draws them again.
func TestPictures(t *testing.T) {
	pages := readAll(t, "reference/models*.md") + readAll(t, "how-to/stop-signal.md")
	drawn := map[string]bool{}
	check := func(name string, svg []byte) {
		file := filepath.Join("pictures", name+".svg")
		drawn[name] = true
		if !strings.Contains(pages, "](../"+filepath.ToSlash(file)+")") {
			t.Errorf("no page of models shows %s", file)
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
	if err := fig.WriteStandalone(&b); err != nil {
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
	return themed(b.Bytes())
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
