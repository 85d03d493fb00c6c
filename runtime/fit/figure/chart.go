package figure

import (
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Chart is a panel whose axes and marks the caller sets. Marks are drawn in the order in which they are added. Points outside the
// axes are drawn at the nearest end, and marks at NaN are not drawn.
type Chart struct {
	plot *plot.Plot
	x, y Axis
}

// Scheme holds the colours of the title, the axes and the grid.
type Scheme struct{ Title, Axis, Grid color.Color }

// Stroke is the style of a line.
type Stroke struct {
	Colour color.Color
	Width  float64   // width in points
	Dashes []float64 // lengths of dashes and gaps, alternating, in points; nil for a solid line
}

// Spot is the style of a point.
type Spot struct {
	Shape   Shape
	Colour  color.Color
	Radius  float64 // radius in points
	Tooltip string  // tooltip in a page; "" for none
}

// Shape is the shape of a spot.
type Shape int

// These are the shapes: a filled circle, the outline of a square, and a cross.
const (
	Disc Shape = iota
	Square
	Cross
	Triangle
)

// NewChart returns a chart without marks.
func NewChart(title string, x, y Axis, s Scheme) *Chart {
	p := plot.New()
	p.BackgroundColor = nil // transparent, so that the page's colour shows
	p.Title.Text, p.Title.Padding = title, 6
	p.Title.TextStyle.Font, p.Title.TextStyle.Color = bold(11), s.Title
	p.X.Padding, p.Y.Padding = 0, 0
	p.Add(gridLines{s.Grid, x.Log})
	for axis, of := range map[*plot.Axis]Axis{&p.X: x, &p.Y: y} {
		axis.Label.Text, axis.Min, axis.Max = of.Label, of.Low, of.High
		axis.Color, axis.Width, axis.Tick.Color, axis.Tick.Width, axis.Tick.Length = s.Axis, 0.8, s.Axis, 0.8, 3
		axis.Label.TextStyle.Font, axis.Label.TextStyle.Color, axis.Label.Padding = sans(10), s.Axis, 3
		axis.Tick.Label.Font, axis.Tick.Label.Color = sans(10), s.Axis
		axis.Tick.Marker = plot.ConstantTicks(of.ticks())
		if of.Log {
			axis.Scale = plot.LogScale{}
		}
	}
	return &Chart{plot: p, x: x, y: y}
}

// sans returns the font of charts. On a page, the page's own font replaces it.
func sans(size vg.Length) font.Font {
	return font.Font{Typeface: "Liberation", Variant: "Sans", Size: size}
}

func bold(size vg.Length) font.Font {
	f := sans(size)
	f.Weight = 3
	return f
}

// at returns a point of the canvas for coordinates of the chart.
func (c *Chart) at(canvas *draw.Canvas, x, y float64) vg.Point {
	toX, toY := c.plot.Transforms(canvas)
	return vg.Point{X: toX(c.x.inside(x)), Y: toY(c.y.inside(y))}
}

// mark draws one mark on a canvas.
type mark func(canvas draw.Canvas)

// Plot draws the mark.
func (m mark) Plot(canvas draw.Canvas, _ *plot.Plot) { m(canvas) }

// Line draws a line through points.
func (c *Chart) Line(x, y []float64, s Stroke) {
	c.plot.Add(mark(func(canvas draw.Canvas) {
		var points []vg.Point
		for i := range x {
			if !math.IsNaN(y[i]) {
				points = append(points, c.at(&canvas, x[i], y[i]))
			}
		}
		if len(points) > 1 {
			canvas.StrokeLines(s.style(), points)
		}
	}))
}

// Area fills the area between a line and the height base.
func (c *Chart) Area(x, y []float64, base float64, fill color.Color) {
	if len(x) == 0 {
		return
	}
	c.plot.Add(mark(func(canvas draw.Canvas) {
		points := []vg.Point{c.at(&canvas, x[0], base)}
		for i := range x {
			if !math.IsNaN(y[i]) {
				points = append(points, c.at(&canvas, x[i], y[i]))
			}
		}
		canvas.FillPolygon(fill, append(points, c.at(&canvas, x[len(x)-1], base)))
	}))
}

func (s Stroke) style() draw.LineStyle {
	style := draw.LineStyle{Color: s.Colour, Width: vg.Points(s.Width)}
	for _, d := range s.Dashes {
		style.Dashes = append(style.Dashes, vg.Points(d))
	}
	return style
}

// Spot draws a point. A point outside the axes becomes a triangle at their end.
func (c *Chart) Spot(x, y float64, s Spot) {
	if math.IsNaN(x) || math.IsNaN(y) {
		return
	}
	c.plot.Add(mark(func(canvas draw.Canvas) {
		if onPage := inlineOf(canvas); onPage != nil {
			onPage.tooltip = s.Tooltip
		}
		if x != c.x.inside(x) || y != c.y.inside(y) {
			s.Shape = Triangle
		}
		canvas.DrawGlyphNoClip(s.style(), c.at(&canvas, x, y))
	}))
}

var shapes = map[Shape]draw.GlyphDrawer{Disc: draw.CircleGlyph{}, Square: draw.SquareGlyph{}, Cross: draw.CrossGlyph{}, Triangle: draw.PyramidGlyph{}}

func (s Spot) style() draw.GlyphStyle {
	return draw.GlyphStyle{Shape: shapes[s.Shape], Color: s.Colour, Radius: vg.Points(s.Radius)}
}

// Text writes a word to the right of a point.
func (c *Chart) Text(x, y float64, colour color.Color, word string) {
	c.plot.Add(mark(func(canvas draw.Canvas) {
		style := draw.TextStyle{Color: colour, Font: sans(10), YAlign: -0.4, Handler: plot.DefaultTextHandler}
		canvas.FillText(style, c.at(&canvas, x, y), word)
	}))
}

// Charts arranges charts in rows of at most `columns`, each with the given size in points.
func Charts(all []*Chart, columns int, width, height float64) (*Figure, error) {
	if columns < 1 {
		return nil, fmt.Errorf("figure: %d columns", columns)
	}
	var panels []*plot.Plot
	for _, c := range all {
		panels = append(panels, c.plot)
	}
	return grid(panels, columns, vg.Points(width), vg.Points(height))
}
