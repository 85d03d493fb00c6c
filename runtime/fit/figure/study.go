package figure

import (
	"fmt"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"likc/runtime/num/statistic"
)

// Effect holds draws of a parameter at several points of a column: labels, or ascending numbers.
type Effect struct {
	Param, Column string
	Labels        []string // nil for a column of numbers
	At            []float64
	Draws         [][][]float64 // [point][chain][draw]
}

// Effects draws a panel for each effect: medians, with intervals that contain 50 % and 90 % of the draws. For labels, intervals are
// bars; for numbers, they are bands around a line.
func Effects(all []Effect) (*Figure, error) {
	var panels []*plot.Plot
	for _, e := range all {
		p := panel("", e.Column, e.Param)
		quantiles := make([]plotter.XYs, len(effectLevels)) // the curve of each level
		for i, draws := range e.Draws {
			x := float64(i)
			if e.Labels == nil {
				x = e.At[i]
			}
			sorted := slices.Concat(draws...)
			slices.Sort(sorted)
			for k, level := range effectLevels {
				quantiles[k] = append(quantiles[k], plotter.XY{X: x, Y: statistic.Quantile(sorted, level)})
			}
		}
		add := addBands
		if e.Labels != nil {
			add = addBars
			nameX(p, e.Labels)
			p.X.Min, p.X.Max = -0.5, float64(len(e.Labels))-0.5
		}
		if err := add(p, quantiles); err != nil {
			return nil, fmt.Errorf("figure: effect of %s on %s: %w", e.Column, e.Param, err)
		}
		widen(&p.Y)
		panels = append(panels, p)
	}
	return grid(panels, 2, 2.6*vg.Inch, 2.2*vg.Inch)
}

// nameX names the positions of the horizontal axis of an effect's panel, slanted if the names have no room side by side.
func nameX(p *plot.Plot, names []string) {
	const room = 20 // letters that fit on the axis
	letters := 0
	for _, name := range names {
		letters += len(name) + 1
	}
	if letters > room {
		slantedX(p, names)
		return
	}
	p.NominalX(names...)
}

// effectLevels are the quantiles that an effect shows: the ends of both intervals around the median.
var effectLevels = []float64{0.05, 0.25, 0.5, 0.75, 0.95}

// addBands adds both intervals as bands, and the median as a line.
func addBands(p *plot.Plot, quantiles []plotter.XYs) error {
	for k, opacity := range []float64{0.18, 0.3} {
		around := slices.Clone(quantiles[len(quantiles)-1-k])
		slices.Reverse(around)
		band, err := plotter.NewPolygon(append(slices.Clone(quantiles[k]), around...))
		if err != nil {
			return err
		}
		band.Color, band.LineStyle.Width = faint(colours[0], opacity), 0
		p.Add(band)
	}
	line, err := plotter.NewLine(quantiles[2])
	if err != nil {
		return err
	}
	line.Color, line.Width = colours[0], vg.Points(1.2)
	p.Add(line)
	return nil
}

// addBars adds, at each point, both intervals as bars of different width, and the median as a point.
func addBars(p *plot.Plot, quantiles []plotter.XYs) error {
	for k, width := range []float64{1, 3} {
		for i := range quantiles[k] {
			bar, err := plotter.NewLine(plotter.XYs{quantiles[k][i], quantiles[len(quantiles)-1-k][i]})
			if err != nil {
				return err
			}
			bar.Color, bar.Width = colours[0], vg.Points(width)
			p.Add(bar)
		}
	}
	return addPoints(p, quantiles[2], draw.GlyphStyle{Color: colours[0], Radius: 3.5, Shape: draw.CircleGlyph{}})
}

// Shrinkage holds two estimates of a parameter for each level of a grouping: from only the level's trials (Unpooled), and in the
// hierarchy (Pooled).
type Shrinkage struct {
	Title            string
	Unpooled, Pooled []float64
	Mean             float64 // mean of the levels' estimates in the hierarchy
}

// Shrunk draws a panel for each parameter. It plots a level's estimate in the hierarchy against the estimate from only its own
// trials. Lines show where both are equal, and the mean of the estimates in the hierarchy.
func Shrunk(all []Shrinkage) (*Figure, error) {
	var panels []*plot.Plot
	for _, s := range all {
		p := panel(s.Title, "from its own trials", "in the hierarchy")
		low, high := ends(s.Unpooled, s.Pooled)
		equal := Line{X: []float64{low, high}, Y: []float64{low, high}}
		mean := Line{X: []float64{low, high}, Y: []float64{s.Mean, s.Mean}}
		points := make(plotter.XYs, len(s.Unpooled))
		for i := range points {
			points[i] = plotter.XY{X: s.Unpooled[i], Y: s.Pooled[i]}
		}
		for _, line := range []Line{equal, mean} {
			if err := addLine(p, line, -1); err != nil {
				return nil, err
			}
		}
		if err := addPoints(p, points, draw.GlyphStyle{Color: faint(colours[0], 0.7), Radius: 2.6, Shape: draw.CircleGlyph{}}); err != nil {
			return nil, fmt.Errorf("figure: shrinkage of %s: %w", s.Title, err)
		}
		panels = append(panels, p)
	}
	return grid(panels, 2, 2.6*vg.Inch, 2.6*vg.Inch)
}
