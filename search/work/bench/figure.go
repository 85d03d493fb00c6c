package bench

import (
	"image/color"
	"slices"
	"strings"

	"likc/runtime/fit/figure"
	"likc/runtime/model/timing"
)

// colours are the engines' colours, which colour-blind readers can tell apart (Okabe and Ito).
var colours = map[string]color.Color{
	Portable: color.RGBA{0, 158, 115, 255},
	Vector:   color.RGBA{0, 114, 178, 255},
	Bound:    color.RGBA{213, 94, 0, 255},
	GCC:      color.RGBA{120, 120, 120, 255},
	Exact:    color.Black,
	LAN:      color.RGBA{204, 121, 167, 255},
}

var scheme = figure.Scheme{Title: color.Black, Axis: color.Black, Grid: color.Gray{208}}

// Figure draws time against trials, both logarithmic. The first panel has Expression 2, or the first model, with the exact density
// and the network; then each model has a panel. Solid lines are values, dashed lines value and gradient.
func (r *Result) Figure() (*figure.Figure, error) {
	fewest, most := r.Sizes[0], r.Sizes[len(r.Sizes)-1]
	compared, low, high := r.Models[0], fewest, most
	withPaper := slices.Contains(r.Models, PaperModel)
	if withPaper {
		times := PaperTimes()
		compared, low, high = PaperModel, min(fewest, times[0].N), max(most, times[len(times)-1].N)
	}
	first := r.panel(compared+", the exact density and a LAN", low, high)
	r.draw(first, compared, Process, Interpolated)
	if withPaper {
		drawPaper(first)
	}
	panels := []*figure.Chart{first}
	for _, m := range r.Models {
		if m != compared {
			p := r.panel(m, fewest, most)
			r.draw(p, m)
			panels = append(panels, p)
		}
	}
	panels = append(panels, r.key(withPaper))
	return figure.Charts(panels, 3, 330, 270)
}

// panel returns an empty panel for a range of numbers of trials. All panels have the same axis of times.
func (r *Result) panel(title string, fewest, most int) *figure.Chart {
	x := figure.Axis{Label: "trials", Low: 0.9 * float64(fewest), High: 1.1 * float64(most), Log: true,
		Format: func(n float64) string { return timing.Thousands(int(n)) }}
	y := figure.Axis{Low: 10, High: 1e9, Log: true, Format: func(ns float64) string { return shortDecimals.Replace(timing.Duration(ns)) }}
	for _, row := range r.Rows {
		y.Low, y.High = min(y.Low, row.NS/2), max(y.High, 2*row.NS)
	}
	return figure.NewChart(title, x, y, scheme)
}

// shortDecimals shortens 10.0 ms to 10 ms.
var shortDecimals = strings.NewReplacer(".00 ", " ", ".0 ", " ")

// key returns a panel that explains the lines of the other panels.
func (r *Result) key(paper bool) *figure.Chart {
	var list []figure.Entry
	add := func(name, model, engine string, what timing.What) {
		line, spot := style(model, engine, what)
		list = append(list, figure.Entry{Name: name, Line: &line, Spot: &spot})
	}
	for _, engine := range Engines() {
		if r.Timed(engine) {
			add(engine, "", engine, timing.Value)
		}
	}
	if r.Timed(LAN) {
		add("lan, interpolated between trials", Interpolated, LAN, timing.Value)
	}
	add("dashed: value and gradient", "", GCC, timing.Gradient)
	if paper {
		list = append(list, figure.Entry{Name: "the paper (Expression 2 in green)", Spot: paperSpot(GCC)})
	}
	return figure.Key("Time of one evaluation", list, scheme)
}

// draw adds the lines of some models. Rows must be sorted by size within a line.
func (r *Result) draw(p *figure.Chart, models ...string) {
	for _, model := range models {
		for _, engine := range Engines() {
			for _, what := range []timing.What{timing.Value, timing.Gradient} {
				line, spot := style(model, engine, what)
				var x, y []float64
				for _, row := range r.Rows {
					if row.Model == model && row.Engine == engine && row.What == what {
						x, y = append(x, float64(row.N)), append(y, row.NS)
						p.Spot(float64(row.N), row.NS, spot)
					}
				}
				p.Line(x, y, line)
			}
		}
	}
}

// style returns how the times of a model with an engine are drawn.
func style(model, engine string, what timing.What) (figure.Stroke, figure.Spot) {
	line := figure.Stroke{Colour: colours[engine], Width: 1}
	spot := figure.Spot{Colour: colours[engine], Radius: 1.5}
	if model == Interpolated {
		spot.Shape, spot.Radius = figure.Cross, 2.5
	}
	if what == timing.Gradient {
		line.Dashes = []float64{3, 2}
	}
	return line, spot
}

// drawPaper adds the paper's times as open squares.
func drawPaper(p *figure.Chart) {
	for _, t := range PaperTimes() {
		p.Spot(float64(t.N), t.Expr2, *paperSpot(Portable))
		p.Spot(float64(t.N), t.Exact, *paperSpot(Exact))
		p.Spot(float64(t.N), t.LAN, *paperSpot(LAN))
	}
}

func paperSpot(engine string) *figure.Spot {
	return &figure.Spot{Shape: figure.Square, Colour: colours[engine], Radius: 3}
}
