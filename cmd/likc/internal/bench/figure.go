package bench

import (
	"image/color"
	"strings"

	"likc/runtime/figure"
	"likc/runtime/timing"
)

// Colours of the engines, which colour-blind readers can tell apart (Okabe and Ito).
var engineColours = map[string]color.Color{
	"portable": color.RGBA{0, 158, 115, 255},
	"vector":   color.RGBA{0, 114, 178, 255},
	"bound":    color.RGBA{213, 94, 0, 255},
	"gcc":      color.RGBA{120, 120, 120, 255},
	"exact":    color.Black,
	"lan":      color.RGBA{204, 121, 167, 255},
}

var benchScheme = figure.Scheme{Title: color.Black, Axis: color.Black, Grid: color.Gray{208}}

// figure draws time against trials, both logarithmic: first Expression 2, or the first model, beside the exact density and
// the network, then a panel a model. Solid lines are values, dashed ones come with the gradient.
func (b *benchmark) figure() (*figure.Figure, error) {
	peers := b.models[0].Name
	for _, m := range b.models {
		if m.Name == "expr2" {
			peers = m.Name
		}
	}
	fewest, most := b.sizes[0], b.sizes[len(b.sizes)-1]
	withPaper := peers == "expr2"
	if withPaper {
		fewest, most = min(fewest, paperTimes[0].n), max(most, paperTimes[len(paperTimes)-1].n)
	}
	first := b.panel(peers+", the exact density and a LAN", fewest, most)
	b.draw(first, peers, benchProcess.Name, benchProcess.Name+interpolated)
	if withPaper {
		drawPaper(first)
	}
	panels := []*figure.Chart{first}
	for _, m := range b.models {
		if m.Name != peers {
			p := b.panel(m.Name, b.sizes[0], b.sizes[len(b.sizes)-1])
			b.draw(p, m.Name)
			panels = append(panels, p)
		}
	}
	panels = append(panels, b.key(withPaper))
	return figure.Charts(panels, 3, 330, 270)
}

// panel is an empty panel for so many trials; all have the same axis of times.
func (b *benchmark) panel(title string, fewest, most int) *figure.Chart {
	x := figure.Axis{Label: "trials", Low: 0.9 * float64(fewest), High: 1.1 * float64(most), Log: true,
		Format: func(n float64) string { return thousands(int(n)) }}
	y := figure.Axis{Low: 10, High: 1e9, Log: true, Format: func(ns float64) string { return shortDecimals.Replace(duration(ns)) }}
	for _, r := range b.rows {
		y.Low, y.High = min(y.Low, r.NS/2), max(y.High, 2*r.NS)
	}
	return figure.NewChart(title, x, y, benchScheme)
}

// shortDecimals makes 10 ms of 10.0 ms.
var shortDecimals = strings.NewReplacer(".00 ", " ", ".0 ", " ")

// key is a panel that says what the lines of the others are.
func (b *benchmark) key(paper bool) *figure.Chart {
	var list []figure.Entry
	add := func(name, model, engine string, what timing.What) {
		line, spot := benchStyle(model, engine, what)
		list = append(list, figure.Entry{Name: name, Line: &line, Spot: &spot})
	}
	for _, engine := range benchEngines {
		if b.timed(engine) {
			add(engine, "", engine, timing.Value)
		}
	}
	if b.timed("lan") {
		add("lan, interpolated between trials", benchProcess.Name+interpolated, "lan", timing.Value)
	}
	add("dashed: value and gradient", "", "gcc", timing.Gradient)
	if paper {
		list = append(list, figure.Entry{Name: "the paper (Expression 2 in green)", Spot: paperSpot("gcc")})
	}
	return figure.Key("Time of one evaluation", list, benchScheme)
}

// draw adds the lines of some models; rows are sorted by size within a line.
func (b *benchmark) draw(p *figure.Chart, models ...string) {
	for _, model := range models {
		for _, engine := range benchEngines {
			for _, what := range []timing.What{timing.Value, timing.Gradient} {
				line, spot := benchStyle(model, engine, what)
				var x, y []float64
				for _, r := range b.rows {
					if r.Model == model && r.Engine == engine && r.What == what {
						x, y = append(x, float64(r.N)), append(y, r.NS)
						p.Spot(float64(r.N), r.NS, spot)
					}
				}
				p.Line(x, y, line)
			}
		}
	}
}

// benchStyle is how a model's times by an engine are drawn.
func benchStyle(model, engine string, what timing.What) (figure.Stroke, figure.Spot) {
	line := figure.Stroke{Colour: engineColours[engine], Width: 1}
	spot := figure.Spot{Colour: engineColours[engine], Radius: 1.5}
	if model == benchProcess.Name+interpolated {
		spot.Shape, spot.Radius = figure.Cross, 2.5
	}
	if what == timing.Gradient {
		line.Dashes = []float64{3, 2}
	}
	return line, spot
}

// drawPaper adds the paper's times as open squares.
func drawPaper(p *figure.Chart) {
	for _, t := range paperTimes {
		p.Spot(float64(t.n), 1e6*t.expr2, *paperSpot("portable"))
		p.Spot(float64(t.n), 1e6*t.exact, *paperSpot("exact"))
		p.Spot(float64(t.n), 1e6*t.peer, *paperSpot("lan"))
	}
}

func paperSpot(engine string) *figure.Spot {
	return &figure.Spot{Shape: figure.Square, Colour: engineColours[engine], Radius: 3}
}
