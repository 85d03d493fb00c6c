package figure

import (
	"fmt"
	"image/color"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Chart is a panel whose axes and marks the caller sets. Marks are drawn in the order in which they come; what lies outside
// the axes is drawn at their ends, and a mark at NaN is left out.
type Chart struct {
	plot *plot.Plot
	x, y Axis
}

// Axis of a chart.
type Axis struct {
	Label     string
	Low, High float64
	Log       bool                 // logarithmic, with a tick at each power of ten
	Names     []string             // of the places 0, 1, 2, …; nil for about five round numbers
	Format    func(float64) string // of a tick's number; nil: its digits
}

// Scheme has the colours of what is no mark.
type Scheme struct{ Title, Axis, Grid color.Color }

// Stroke is how a line is drawn.
type Stroke struct {
	Colour color.Color
	Width  float64   // points
	Dashes []float64 // lengths in points of dashes and of gaps, in turn; nil for a whole line
}

// Spot is how a point is drawn.
type Spot struct {
	Shape  Shape
	Colour color.Color
	Radius float64 // points
	Says   string  // the tooltip, which a page shows; "" for none
}

// Shape of a spot.
type Shape int

// The shapes: a filled circle, a square's outline, and a cross.
const (
	Disc Shape = iota
	Square
	Cross
)

// NewChart makes a chart without marks.
func NewChart(title string, x, y Axis, s Scheme) *Chart {
	p := plot.New()
	p.BackgroundColor = nil // the page's
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

// sans is the font of charts: on a page the page's own is in its place.
func sans(size vg.Length) font.Font {
	return font.Font{Typeface: "Liberation", Variant: "Sans", Size: size}
}

func bold(size vg.Length) font.Font {
	f := sans(size)
	f.Weight = 3
	return f
}

// ticks of the axis, all within it: room would be made for the labels of others.
func (a Axis) ticks() (out []plot.Tick) {
	for i, name := range a.Names {
		out = append(out, plot.Tick{Value: float64(i), Label: name})
	}
	if a.Names != nil {
		return out
	}
	if a.Log {
		format := a.Format
		if format == nil {
			format = func(x float64) string { return shortest(x, 4) }
		}
		for e := math.Ceil(math.Log10(a.Low)); e <= math.Log10(a.High); e++ {
			out = append(out, plot.Tick{Value: math.Pow(10, e), Label: format(math.Pow(10, e))})
		}
		return out
	}
	out = roundTicks(a.Low, a.High)
	for i := range out {
		if a.Format != nil {
			out[i].Label = a.Format(out[i].Value)
		}
	}
	return out
}

// roundTicks are at most six multiples of a round step from low to high. Their labels have the digits that tell them apart.
func roundTicks(low, high float64) (out []plot.Tick) {
	step := roundStep(high - low)
	digits := min(max(4, 2+int(math.Log10(max(-low, high)/step))), 17)
	first := math.Ceil(low/step - 1e-9)
	for k := range 7 {
		at := (first+float64(k))*step + 0 // no −0
		if at <= high+1e-9*step {
			out = append(out, plot.Tick{Value: at, Label: shortest(at, digits)})
		}
	}
	return out
}

// shortest prints a number with at most so many digits.
func shortest(x float64, digits int) string {
	return strings.Replace(strconv.FormatFloat(x, 'g', digits, 64), "-", "−", 1)
}

// roundStep is 1, 2 or 5 times a power of ten, of which the width holds about five.
func roundStep(width float64) float64 {
	step := math.Pow(10, math.Floor(math.Log10(width/4)))
	for _, m := range []float64{1, 2, 5} {
		if width/(step*m) <= 5.5 {
			return step * m
		}
	}
	return 10 * step
}

// inside brings a value to an axis.
func (a Axis) inside(x float64) float64 { return math.Max(a.Low, math.Min(a.High, x)) }

// at is a place on the canvas.
func (c *Chart) at(canvas *draw.Canvas, x, y float64) vg.Point {
	toX, toY := c.plot.Transforms(canvas)
	return vg.Point{X: toX(c.x.inside(x)), Y: toY(c.y.inside(y))}
}

// mark draws one mark.
type mark func(canvas draw.Canvas)

// Plot draws the mark.
func (m mark) Plot(canvas draw.Canvas, _ *plot.Plot) { m(canvas) }

// Line joins points.
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

// Area fills what lies between a line and the height base.
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

// Spot marks a point.
func (c *Chart) Spot(x, y float64, s Spot) {
	if math.IsNaN(x) || math.IsNaN(y) {
		return
	}
	c.plot.Add(mark(func(canvas draw.Canvas) {
		if page := inlineOf(canvas); page != nil {
			page.says = s.Says
		}
		canvas.DrawGlyphNoClip(s.style(), c.at(&canvas, x, y))
	}))
}

var shapes = map[Shape]draw.GlyphDrawer{Disc: draw.CircleGlyph{}, Square: draw.SquareGlyph{}, Cross: draw.CrossGlyph{}}

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

// gridLines are lines across the panel at the ticks of the vertical axis, and of the other too if both.
type gridLines struct {
	colour color.Color
	both   bool
}

// Plot draws the lines.
func (g gridLines) Plot(canvas draw.Canvas, p *plot.Plot) {
	grid := plotter.NewGrid()
	grid.Horizontal.Color, grid.Vertical.Color = g.colour, g.colour
	grid.Horizontal.Width, grid.Vertical.Width = 0.7, 0.7
	if !g.both {
		grid.Vertical.Color = nil
	}
	grid.Plot(canvas, p)
}

// Entry of a key.
type Entry struct {
	Name string
	Line *Stroke // nil for none
	Spot *Spot   // nil for none
}

// Key is a chart without axes that says what marks mean.
func Key(title string, entries []Entry, s Scheme) *Chart {
	p := plot.New()
	p.BackgroundColor = nil                  // the page's
	p.Title.Text, p.Title.Padding = title, 6 // a label of the axis itself would cost the other panels height
	p.Title.TextStyle.Font, p.Title.TextStyle.Color = bold(11), s.Title
	p.HideAxes()
	p.Legend.Top, p.Legend.Left, p.Legend.Padding = true, true, 2
	p.Legend.TextStyle.Font, p.Legend.TextStyle.Color = sans(10), s.Axis
	for _, e := range entries {
		p.Legend.Add(e.Name, e)
	}
	return &Chart{plot: p}
}

// Thumbnail draws the entry's mark.
func (e Entry) Thumbnail(canvas *draw.Canvas) {
	if e.Line != nil {
		y := canvas.Center().Y
		canvas.StrokeLine2(e.Line.style(), canvas.Min.X, y, canvas.Max.X, y)
	}
	if e.Spot != nil {
		canvas.DrawGlyph(e.Spot.style(), canvas.Center())
	}
}

// Charts puts charts in rows of at most that many columns, each of the given size in points.
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
