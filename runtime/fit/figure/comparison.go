package figure

import (
	"fmt"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Comparison is a panel of observed numbers, and of predicted ones with intervals.
type Comparison struct {
	Title, X, Y string
	Share       bool // whether the numbers are shares, from 0 to 1

	at, observed, predicted, low, high []float64
}

// Add adds an observed number at a position of the axis, with the mean and the interval of the predicted ones. Numbers that are NaN
// are not drawn.
func (c *Comparison) Add(at, observed, predicted, low, high float64) {
	c.at, c.observed = append(c.at, at), append(c.observed, observed)
	c.predicted, c.low, c.high = append(c.predicted, predicted), append(c.low, low), append(c.high, high)
}

// Comparisons draws panels in a row: observed numbers as crosses, predicted ones as circles with their intervals. It skips panels
// without numbers. If all are empty, the figure is nil.
func Comparisons(all []Comparison) (*Figure, error) {
	var panels []*plot.Plot
	for _, c := range all {
		p := panel(c.Title, c.X, c.Y)
		drawn, err := c.draw(p)
		if err != nil {
			return nil, err
		}
		if drawn {
			panels = append(panels, p)
		}
	}
	if len(panels) == 0 {
		return nil, nil
	}
	return grid(panels, len(panels), 3.4*vg.Inch, 3*vg.Inch)
}

// draw draws the numbers, and reports whether there are numbers to draw.
func (c *Comparison) draw(p *plot.Plot) (drawn bool, err error) {
	if c.Share {
		p.Y.Min, p.Y.Max = 0, 1
	}
	for i := range c.at {
		if sum := c.predicted[i] + c.low[i] + c.high[i]; math.IsNaN(sum) {
			continue
		}
		if err := addLine(p, Line{X: []float64{c.at[i], c.at[i]}, Y: []float64{c.low[i], c.high[i]}}, -1); err != nil {
			return false, err
		}
	}
	for _, kind := range []struct {
		name  string
		y     []float64
		style draw.GlyphStyle
	}{
		{"observed", c.observed, draw.GlyphStyle{Color: colours[0], Radius: 3, Shape: draw.CrossGlyph{}}},
		{"predicted", c.predicted, draw.GlyphStyle{Color: colours[5], Radius: 2.6, Shape: draw.RingGlyph{}}},
	} {
		points := c.points(kind.y)
		if len(points) == 0 {
			continue
		}
		marks, err := plotter.NewScatter(points)
		if err != nil {
			return false, fmt.Errorf("figure: %s: %w", c.Title, err)
		}
		marks.GlyphStyle = kind.style
		p.Add(marks)
		p.Legend.Add(kind.name, marks)
		drawn = true
	}
	c.makeRoom(p)
	return drawn, nil
}

// makeRoom extends the axes beyond the numbers, and puts the legend above them.
func (c *Comparison) makeRoom(p *plot.Plot) {
	across, up := (p.X.Max-p.X.Min)/20, (p.Y.Max-p.Y.Min)/20
	p.X.Min, p.X.Max = p.X.Min-across, p.X.Max+across
	if !c.Share {
		p.Y.Min -= up
	}
	legendAbove(p, 2, 3*vg.Inch)
}

// points returns the numbers with their positions, without NaN.
func (c *Comparison) points(y []float64) (points plotter.XYs) {
	for i, x := range c.at {
		if !math.IsNaN(y[i]) {
			points = append(points, plotter.XY{X: x, Y: y[i]})
		}
	}
	return points
}
