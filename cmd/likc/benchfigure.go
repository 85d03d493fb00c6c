package main

import (
	"image/color"
	"io"

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
	if err := b.draw(panels[0], peers, exactName, exactName+interpolated); err != nil {
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
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = title, "trials", "ns an evaluation"
	p.X.Scale, p.Y.Scale = plot.LogScale{}, plot.LogScale{}
	p.X.Tick.Marker, p.Y.Tick.Marker = plot.LogTicks{Prec: -1}, plot.LogTicks{Prec: -1}
	p.X.Min, p.X.Max = 0.9*float64(b.sizes[0]), 1.1*float64(b.sizes[len(b.sizes)-1])
	p.Y.Min, p.Y.Max = 10, 1e9
	for _, r := range b.rows {
		p.Y.Min, p.Y.Max = min(p.Y.Min, r.NS/2), max(p.Y.Max, 2*r.NS)
	}
	p.Add(plotter.NewGrid())
	p.Legend.Top, p.Legend.Left = true, true
	p.Legend.TextStyle.Font.Size = 8
	return p
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
	line, points, err := plotter.NewLinePoints(xy)
	if err != nil {
		return err
	}
	line.Color, points.Color = engineColours[engine], engineColours[engine]
	points.Shape, points.Radius = draw.CircleGlyph{}, 1.5
	name := engine
	if model == exactName+interpolated {
		points.Shape, points.Radius, name = draw.CrossGlyph{}, 2.5, engine+interpolated
	}
	if what == timing.Gradient {
		line.Dashes = []vg.Length{3, 2}
	} else {
		p.Legend.Add(name, line, points)
	}
	p.Add(line, points)
	return nil
}

// drawPaper adds the paper's times as open squares.
func drawPaper(p *plot.Plot) error {
	var times [3]plotter.XYs
	for _, t := range paperTimes {
		for i, ms := range []float64{t.expr2, t.exact, t.peer} {
			times[i] = append(times[i], plotter.XY{X: float64(t.n), Y: 1e6 * ms})
		}
	}
	for i, c := range []color.RGBA{engineColours["portable"], engineColours["exact"], engineColours["lan"]} {
		s, err := plotter.NewScatter(times[i])
		if err != nil {
			return err
		}
		s.Color, s.Shape, s.Radius = c, draw.SquareGlyph{}, 3
		p.Add(s)
		p.Legend.Add([]string{"expr2, paper", "exact, paper", "lan, paper"}[i], s)
	}
	return nil
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
