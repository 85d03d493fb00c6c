package main

import (
	"image/color"
	"io"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"likc/runtime/timing"
)

// Colours of the engines, which colour-blind readers can tell apart (Okabe and Ito).
var engineColours = map[string]color.RGBA{
	"portable": {0, 158, 115, 255},
	"vector":   {0, 114, 178, 255},
	"bound":    {213, 94, 0, 255},
	"gcc":      {120, 120, 120, 255},
	"exact":    {0, 0, 0, 255},
	"lan":      {204, 121, 167, 255},
}

// benchFigure is a page of panels with the same axes, in rows.
type benchFigure struct{ rows [][]*plot.Plot }

const (
	panelWidth, panelHeight = 3.4 * vg.Inch, 2.8 * vg.Inch
	panelColumns            = 3
)

// figure draws time against trials, both logarithmic: first Expression 2, or the first model, beside the exact density and
// the network, then a panel a model. Solid lines are values, dashed ones come with the gradient.
func (b *benchmark) figure() (*benchFigure, error) {
	peers := b.models[0].Name
	for _, m := range b.models {
		if m.Name == "expr2" {
			peers = m.Name
		}
	}
	panels := []*plot.Plot{b.panel(peers + ", the exact density and a LAN")}
	if err := b.draw(panels[0], peers, benchProcess.Name, benchProcess.Name+interpolated); err != nil {
		return nil, err
	}
	if peers == "expr2" {
		if err := drawPaper(panels[0]); err != nil {
			return nil, err
		}
	}
	for _, m := range b.models {
		if m.Name == peers {
			continue
		}
		p := b.panel(m.Name)
		if err := b.draw(p, m.Name); err != nil {
			return nil, err
		}
		panels = append(panels, p)
	}
	key, err := b.key(peers == "expr2")
	if err != nil {
		return nil, err
	}
	panels = append(panels, key)
	f := &benchFigure{}
	for len(panels) > 0 {
		row := make([]*plot.Plot, panelColumns)
		panels = panels[copy(row, panels):]
		f.rows = append(f.rows, row)
	}
	return f, nil
}

// panel is an empty panel; all have the same axes.
func (b *benchmark) panel(title string) *plot.Plot {
	p := plot.New()
	p.Title.Text, p.X.Label.Text = title, "trials"
	p.Title.Padding = 4
	p.X.Scale, p.Y.Scale = plot.LogScale{}, plot.LogScale{}
	p.X.Tick.Marker = decades(func(n float64) string { return thousands(int(n)) })
	p.Y.Tick.Marker = decades(func(ns float64) string { return shortDecimals.Replace(duration(ns)) })
	p.X.Tick.Label.Font.Size, p.Y.Tick.Label.Font.Size = 8, 8
	p.X.Min, p.X.Max = 0.9*float64(b.sizes[0]), 1.1*float64(b.sizes[len(b.sizes)-1])
	p.Y.Min, p.Y.Max = 10, 1e9
	for _, r := range b.rows {
		p.Y.Min, p.Y.Max = min(p.Y.Min, r.NS/2), max(p.Y.Max, 2*r.NS)
	}
	p.Add(plotter.NewGrid())
	return p
}

// shortDecimals makes 10 ms of 10.0 ms.
var shortDecimals = strings.NewReplacer(".00 ", " ", ".0 ", " ")

// decades are the ticks of a logarithmic axis, powers of ten labelled.
type decades func(x float64) string

// Ticks implements plot.Ticker. Ticks outside the axis are left out: room would be made for their labels.
func (label decades) Ticks(low, high float64) []plot.Tick {
	var ticks []plot.Tick
	for _, t := range (plot.LogTicks{}).Ticks(low, high) {
		if t.Value < low || t.Value > high {
			continue
		}
		if !t.IsMinor() {
			t.Label = label(t.Value)
		}
		ticks = append(ticks, t)
	}
	return ticks
}

// key is a panel that says what the lines of the others are.
func (b *benchmark) key(paper bool) (*plot.Plot, error) {
	type keyed struct {
		name, model, engine string
		what                timing.What
	}
	var list []keyed
	for _, engine := range benchEngines {
		if b.timed(engine) {
			list = append(list, keyed{engine, "", engine, timing.Value})
		}
	}
	if b.timed("lan") {
		list = append(list, keyed{"lan, interpolated between trials", benchProcess.Name + interpolated, "lan", timing.Value})
	}
	list = append(list, keyed{"dashed: value and gradient", "", "gcc", timing.Gradient})
	p := plot.New()
	p.Title.Text, p.Title.Padding = "Time of one evaluation", 4 // a label of the axis itself would cost the panels height
	p.HideAxes()
	p.Legend.Top, p.Legend.Left = true, true
	p.Legend.TextStyle.Font.Size, p.Legend.Padding = 10, 2
	for _, k := range list {
		line, points, err := newLine(plotter.XYs{{}}, k.model, k.engine, k.what)
		if err != nil {
			return nil, err
		}
		p.Legend.Add(k.name, line, points)
	}
	if !paper {
		return p, nil
	}
	s, err := newSquares(plotter.XYs{{}}, engineColours["gcc"])
	if err == nil {
		p.Legend.Add("the paper (Expression 2 in green)", s)
	}
	return p, err
}

// draw adds the lines of some models; rows are sorted by size within a line.
func (b *benchmark) draw(p *plot.Plot, models ...string) error {
	for _, model := range models {
		for _, engine := range benchEngines {
			for _, what := range []timing.What{timing.Value, timing.Gradient} {
				var xy plotter.XYs
				for _, r := range b.rows {
					if r.Model == model && r.Engine == engine && r.What == what {
						xy = append(xy, plotter.XY{X: float64(r.N), Y: r.NS})
					}
				}
				if err := addLine(p, xy, model, engine, what); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func addLine(p *plot.Plot, xy plotter.XYs, model, engine string, what timing.What) error {
	if len(xy) == 0 {
		return nil
	}
	line, points, err := newLine(xy, model, engine, what)
	if err == nil {
		p.Add(line, points)
	}
	return err
}

// newLine is drawn in the engine's colour.
func newLine(xy plotter.XYs, model, engine string, what timing.What) (*plotter.Line, *plotter.Scatter, error) {
	line, points, err := plotter.NewLinePoints(xy)
	if err != nil {
		return nil, nil, err
	}
	line.Color, points.Color = engineColours[engine], engineColours[engine]
	points.Shape, points.Radius = draw.CircleGlyph{}, 1.5
	if model == benchProcess.Name+interpolated {
		points.Shape, points.Radius = draw.CrossGlyph{}, 2.5
	}
	if what == timing.Gradient {
		line.Dashes = []vg.Length{3, 2}
	}
	return line, points, nil
}

// drawPaper adds the paper's times as open squares.
func drawPaper(p *plot.Plot) error {
	var times [3]plotter.XYs
	for _, t := range paperTimes {
		for i, ms := range []float64{t.expr2, t.exact, t.peer} {
			times[i] = append(times[i], plotter.XY{X: float64(t.n), Y: 1e6 * ms})
		}
	}
	for i, engine := range []string{"portable", "exact", "lan"} {
		s, err := newSquares(times[i], engineColours[engine])
		if err != nil {
			return err
		}
		p.Add(s)
	}
	return nil
}

func newSquares(xy plotter.XYs, c color.RGBA) (*plotter.Scatter, error) {
	s, err := plotter.NewScatter(xy)
	if err == nil {
		s.Color, s.Shape, s.Radius = c, draw.SquareGlyph{}, 3
	}
	return s, err
}

// WriteSVG writes the figure.
func (f *benchFigure) WriteSVG(w io.Writer) error {
	canvas := vgsvg.New(panelWidth*panelColumns, panelHeight*vg.Length(len(f.rows)))
	tiles := draw.Tiles{Rows: len(f.rows), Cols: panelColumns, PadX: 8, PadY: 8, PadTop: 6, PadBottom: 6, PadLeft: 6, PadRight: 10}
	for i, row := range plot.Align(f.rows, tiles, draw.New(canvas)) {
		for j, c := range row {
			if f.rows[i][j] != nil {
				f.rows[i][j].Draw(c)
			}
		}
	}
	_, err := canvas.WriteTo(w)
	return err
}
