package figure

import (
	"image/color"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"
)

// Axis is one of the two axes of a chart.
type Axis struct {
	Label     string
	Low, High float64
	Log       bool                 // logarithmic, with a tick at each power of ten
	Names     []string             // names for the positions 0, 1, 2, …; nil: about five round numbers
	Format    func(float64) string // writes the number at a tick; nil: its digits
}

// ticks returns the ticks of the axis. All are within its range, because labels outside it would need space.
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

// roundTicks returns at most six multiples of a round step from low to high. Their labels have as many digits as needed to differ.
func roundTicks(low, high float64) (out []plot.Tick) {
	step := roundStep(high - low)
	digits := min(max(4, 2+int(math.Log10(max(-low, high)/step))), 17)
	first := math.Ceil(low/step - 1e-9)
	for k := range 7 {
		at := (first+float64(k))*step + 0 // adding 0 turns −0 into 0
		if at <= high+1e-9*step {
			out = append(out, plot.Tick{Value: at, Label: shortest(at, digits)})
		}
	}
	return out
}

// shortest writes a number with at most the given number of digits.
func shortest(x float64, digits int) string {
	return strings.Replace(strconv.FormatFloat(x, 'g', digits, 64), "-", "−", 1)
}

// roundStep returns 1, 2 or 5 times a power of ten, such that the width contains about five steps.
func roundStep(width float64) float64 {
	step := math.Pow(10, math.Floor(math.Log10(width/4)))
	for _, m := range []float64{1, 2, 5} {
		if width/(step*m) <= 5.5 {
			return step * m
		}
	}
	return 10 * step
}

// inside returns the value of the axis that is nearest to x.
func (a Axis) inside(x float64) float64 { return math.Max(a.Low, math.Min(a.High, x)) }

// gridLines draws lines across the panel at the ticks of the vertical axis and, with both, of the horizontal axis too.
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
