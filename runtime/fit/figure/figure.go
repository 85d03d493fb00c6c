// Package figure draws the figures of draws and fits: traces, ranks, marginal densities, pairs of parameters, signed response
// times, and true against estimated values. It also draws charts of points and lines for report pages. The same numbers give the
// same bytes.
package figure

import (
	"bytes"
	"fmt"
	"image/color"
	"io"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Figure is an arrangement of panels in rows of equal length. A panel that is nil leaves an empty space.
type Figure struct {
	panels [][]*plot.Plot
	width  vg.Length // width of one panel
	height vg.Length
}

// The text of figures is without serifs, as that of the pages that show them.
func init() { plot.DefaultFont = sans(0) }

// svgFonts replaces the name of the font that is measured by those of fonts of the same widths, of which every system has one.
const svgFonts = "font-family:Helvetica Neue,Helvetica,Arial,Liberation Sans,sans-serif;"

// colours are those of Okabe and Ito, which colour-blind readers can tell apart.
var colours = []color.RGBA{
	{0, 114, 178, 255}, {230, 159, 0, 255}, {0, 158, 115, 255}, {204, 121, 167, 255}, {86, 180, 233, 255}, {213, 94, 0, 255},
}

var grey = color.RGBA{120, 120, 120, 255}

func colour(i int) color.RGBA { return colours[i%len(colours)] }

// faint returns the colour with an opacity from 0 to 1, premultiplied as color.RGBA requires.
func faint(c color.RGBA, opacity float64) color.Color {
	return color.NRGBA{c.R, c.G, c.B, uint8(math.Round(opacity * 255))}
}

// WriteSVG writes the figure as SVG.
func (f *Figure) WriteSVG(w io.Writer) error {
	canvas := vgsvg.New(f.size())
	f.draw(draw.New(canvas))
	var text bytes.Buffer
	if _, err := canvas.WriteTo(&text); err != nil {
		return err
	}
	_, err := w.Write(bytes.ReplaceAll(text.Bytes(), []byte("font-family:Liberation Sans;"), []byte(svgFonts)))
	return err
}

// WritePNG writes the figure as PNG, with 96 pixels per inch.
func (f *Figure) WritePNG(w io.Writer) error {
	canvas := vgimg.PngCanvas{Canvas: vgimg.New(f.size())}
	f.draw(draw.New(canvas))
	_, err := canvas.WriteTo(w)
	return err
}

func (f *Figure) size() (width, height vg.Length) {
	return f.width * vg.Length(len(f.panels[0])), f.height * vg.Length(len(f.panels))
}

func (f *Figure) draw(page draw.Canvas) {
	tiles := draw.Tiles{Rows: len(f.panels), Cols: len(f.panels[0]), PadX: 8, PadY: 8,
		PadTop: 6, PadBottom: 6, PadLeft: 6, PadRight: 10}
	for i, row := range plot.Align(f.panels, tiles, page) {
		for j, canvas := range row {
			if f.panels[i][j] != nil {
				f.panels[i][j].Draw(canvas)
			}
		}
	}
}

// grid arranges panels in rows of at most `columns`. A panel that is nil leaves an empty space.
func grid(panels []*plot.Plot, columns int, width, height vg.Length) (*Figure, error) {
	if len(panels) == 0 {
		return nil, fmt.Errorf("figure: nothing to draw")
	}
	columns = min(columns, len(panels))
	for _, p := range panels {
		if p == nil {
			continue
		}
		across := 0.55 * width
		if p.Y.Width == 0 { // hidden, so that the panel is wider
			across = 0.7 * width
		}
		narrow(&p.Title.TextStyle, p.Title.Text, across)
		narrow(&p.X.Label.TextStyle, p.X.Label.Text, across)
		narrow(&p.Y.Label.TextStyle, p.Y.Label.Text, 0.55*height)
	}
	f := &Figure{width: width, height: height}
	for len(panels) > 0 {
		row := make([]*plot.Plot, columns)
		panels = panels[copy(row, panels):]
		f.panels = append(f.panels, row)
	}
	return f, nil
}

// narrow makes the letters of a title or label smaller, where the text is longer than most. That is less than the panel's width or height:
// a part belongs to the numbers of the axes, and browsers draw the text in a wider font than the one that is measured.
func narrow(style *text.Style, label string, most vg.Length) {
	if long := style.Width(label); long > most {
		style.Font.Size *= most / long
	}
}

// widen leaves space between the ends of an axis and what is drawn.
func widen(a *plot.Axis) {
	margin := 0.06 * (a.Max - a.Min)
	a.Min, a.Max = a.Min-margin, a.Max+margin
}

// panel returns an empty plot with its labels.
func panel(title, x, y string) *plot.Plot {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = title, x, y
	p.Title.Padding = 4
	p.X.Padding, p.Y.Padding = 2, 2
	p.Legend.Padding = 3
	p.X.Tick.Marker, p.Y.Tick.Marker = plot.TickerFunc(roundTicks), plot.TickerFunc(roundTicks)
	return p
}

// legendAbove puts the legend, which has a number of entries, into the upper left corner of a panel of the given height. It extends
// the vertical axis, so that all marks are below the legend.
func legendAbove(p *plot.Plot, entries int, height vg.Length) {
	p.Legend.Top, p.Legend.Left = true, true
	share := float64(entries) * 15 / (0.8 * height.Points()) // 15 points for an entry; axes and titles take a fifth of the panel
	p.Y.Max += (p.Y.Max - p.Y.Min) * share / (1 - share)
}

// ends returns the smallest and the largest finite value. If they are equal, it returns a value below and one above. Without
// finite values it returns 0 and 1.
func ends(columns ...[]float64) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, column := range columns {
		for _, x := range column {
			if !math.IsInf(x, 0) && !math.IsNaN(x) {
				low, high = min(low, x), max(high, x)
			}
		}
	}
	switch {
	case low > high:
		return 0, 1
	case low == high:
		margin := max(1e-6, 1e-3*math.Abs(low))
		return low - margin, high + margin
	}
	return low, high
}
