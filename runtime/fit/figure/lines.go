package figure

import (
	"fmt"
	"math"
	"slices"

	"likc/runtime/num/statistic"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
)

// Panel is a plot of lines.
type Panel struct {
	Title, X, Y string
	Lines       []Line
	Diagonal    bool // whether to draw the line where both axes are equal
}

// Line is one line of a panel. Points that are not finite are not drawn.
type Line struct {
	Name string // the name in the legend; "" for no entry
	X, Y []float64
}

// Lines draws panels of lines in rows of at most `columns`.
func Lines(panels []Panel, columns int) (*Figure, error) {
	var plots []*plot.Plot
	for _, one := range panels {
		p := panel(one.Title, one.X, one.Y)
		if one.Diagonal {
			low, high := ends(one.Lines[0].X)
			if err := addLine(p, Line{X: []float64{low, high}, Y: []float64{low, high}}, -1); err != nil {
				return nil, err
			}
		}
		for i, l := range one.Lines {
			if err := addLine(p, l, i); err != nil {
				return nil, err
			}
		}
		legendAbove(p, len(one.Lines), 3*vg.Inch)
		plots = append(plots, p)
	}
	return grid(plots, columns, 4*vg.Inch, 3*vg.Inch)
}

// addLine adds a line in the colour with the given number, or in grey if it is negative.
func addLine(p *plot.Plot, l Line, number int) error {
	var points plotter.XYs
	for i, x := range l.X {
		if sum := x + l.Y[i]; !math.IsNaN(sum) && !math.IsInf(sum, 0) {
			points = append(points, plotter.XY{X: x, Y: l.Y[i]})
		}
	}
	if len(points) == 0 {
		return nil
	}
	line, err := plotter.NewLine(points)
	if err != nil {
		return fmt.Errorf("figure: line %s: %w", l.Name, err)
	}
	line.Color, line.Width = grey, vg.Points(0.6)
	if number >= 0 {
		line.Color, line.Width = colour(number), vg.Points(1.2)
	}
	p.Add(line)
	if l.Name != "" {
		p.Legend.Add(l.Name, line)
	}
	return nil
}

// Times holds observed and predicted trials of one parameter vector.
type Times struct {
	Title                        string
	RT, Choice                   []float64
	PredictedRT, PredictedChoice []float64
}

// ManyTimes draws, for each parameter vector, observed response times as bars and predicted ones as a line, signed by choice. If
// there are three or more numbered choices, each has a panel.
func ManyTimes(all []Times, columns int) (*Figure, error) {
	var plots []*plot.Plot
	for _, t := range all {
		seen, predicted := statistic.Signed(t.RT, t.Choice), statistic.Signed(t.PredictedRT, t.PredictedChoice)
		if len(seen) == 0 || len(predicted) == 0 {
			return nil, fmt.Errorf("figure: no response times to draw")
		}
		parts := byChoice(Predicted{Name: t.Title, Seen: seen, Predicted: predicted}, nil)
		label := "rt (s)"
		if len(parts) == 1 {
			label += Naming(nil).left(t.Choice, nil)
		}
		for _, part := range parts {
			p := panel(part.Name, label, "density")
			if _, err := addTimes(p, part, reachOf(slices.Concat(part.Seen, part.Predicted)), 1); err != nil {
				return nil, err
			}
			if len(parts) > 1 {
				p.X.Min = 0
			}
			plots = append(plots, p)
		}
	}
	return grid(plots, columns, 3.2*vg.Inch, 2.4*vg.Inch)
}

// reachOf returns the 99th percentile of the times' distances from zero.
func reachOf(x []float64) float64 {
	var magnitudes []float64
	for _, v := range x {
		if !math.IsNaN(v) {
			magnitudes = append(magnitudes, math.Abs(v))
		}
	}
	if len(magnitudes) == 0 {
		return 1e-3
	}
	slices.Sort(magnitudes)
	return max(1e-3, magnitudes[(len(magnitudes)-1)*99/100])
}
