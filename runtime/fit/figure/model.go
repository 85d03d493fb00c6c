package figure

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// SignedTimes draws observed response times as bars and predicted ones as a line, both with the sign of their choice: responses at
// the lower boundary are left of zero. Areas are shares of all trials. The name of c describes the prediction. If there are three or
// more numbered choices, each has a panel. nameOf names them.
func SignedTimes(c Condition, nameOf Naming) (*Figure, error) {
	times := c.times(c.Name)
	seen, predicted := times.Seen, times.Predicted
	if len(seen) == 0 || len(predicted) == 0 {
		return nil, fmt.Errorf("figure: no response times to draw")
	}
	if len(byChoice(times, nameOf)) > 1 {
		panels, err := predictions(times, nameOf)
		if err != nil {
			return nil, err
		}
		return grid(panels, 2, 2.6*vg.Inch, 2.2*vg.Inch)
	}
	// The slowest hundredth of the predictions does not affect the axis, because a tail of 20 s would compress the main part.
	magnitudes := make([]float64, len(predicted))
	for i, x := range predicted {
		magnitudes[i] = math.Abs(x)
	}
	slices.Sort(magnitudes)
	low, high := ends(seen)
	reach := max(-low, high, magnitudes[len(magnitudes)*99/100])
	p := panel("", "response time (s)"+nameOf.left(c.Choice, c.PredictedChoice), "density")
	marks, err := addTimes(p, times, reach, 1.2)
	if err != nil {
		return nil, err
	}
	p.Legend.Add("observed", marks.bars)
	p.Legend.Add(c.Name, marks.line)
	if marks.band != nil {
		p.Legend.Add("90 % of bars by chance", marks.band)
	}
	if c.Choice == nil {
		p.X.Min = 0
	}
	legendAbove(p, 3, 3.2*vg.Inch)
	return grid([]*plot.Plot{p}, 1, 5.2*vg.Inch, 3.2*vg.Inch)
}

// signedHistogram returns a histogram with equal bins from -reach to reach. Values outside are not drawn but count in the total.
func signedHistogram(x []float64, reach float64) *plotter.Histogram {
	const bins = 80
	width := 2 * reach / bins
	h := &plotter.Histogram{Width: width}
	for i := range bins {
		h.Bins = append(h.Bins, plotter.HistogramBin{Min: -reach + float64(i)*width, Max: -reach + float64(i+1)*width})
	}
	for _, v := range x {
		if math.Abs(v) <= reach {
			h.Bins[min(int((v+reach)/width), bins-1)].Weight += 1 / (float64(len(x)) * width)
		}
	}
	return h
}

// outlineOf returns the outline of a histogram's bars.
func outlineOf(h *plotter.Histogram) plotter.XYs {
	var points plotter.XYs
	for _, b := range h.Bins {
		points = append(points, plotter.XY{X: b.Min, Y: b.Weight}, plotter.XY{X: b.Max, Y: b.Weight})
	}
	return points
}

// Recovered holds the true values and the estimates of one parameter for many subjects. NaN estimates are not drawn.
type Recovered struct {
	Name            string
	Truth, Estimate []float64
	Note            string // appended to the title, such as "r = 0.94"
	Across, Up      string // labels of Truth and Estimate; "" for the defaults
}

// Recovery draws estimates against true values, with a panel for each parameter, and the line where they are equal.
func Recovery(params []Recovered) (*Figure, error) {
	var panels []*plot.Plot
	for i := range params {
		r := &params[i]
		p, points, err := r.frame()
		if err == nil {
			err = addPoints(p, points, draw.GlyphStyle{Color: faint(colours[0], 0.7), Radius: 2.2, Shape: draw.CircleGlyph{}})
		}
		if err != nil {
			return nil, fmt.Errorf("figure: recovery of %s: %w", r.Name, err)
		}
		panels = append(panels, p)
	}
	return grid(panels, 2, 3.2*vg.Inch, 3.2*vg.Inch)
}

// Agreement draws estimates against other estimates, in rows of `columns` panels. A panel that is nil leaves an empty space.
func Agreement(panels []*Recovered, columns int) (*Figure, error) {
	plots := make([]*plot.Plot, len(panels))
	for i, r := range panels {
		if r == nil {
			continue
		}
		p, points, err := r.frame()
		if err != nil {
			return nil, fmt.Errorf("figure: agreement on %s: %w", r.Name, err)
		}
		p.Add(&dots{at: points, colour: faint(colours[0], 0.7), radius: 1.6})
		plots[i] = p
	}
	return grid(plots, columns, 2.4*vg.Inch, 2.4*vg.Inch)
}

// frame returns a panel with the line on which estimates equal true values, and the points to draw in the panel.
func (r *Recovered) frame() (p *plot.Plot, points plotter.XYs, err error) {
	p = panel(r.Name+"   "+r.Note, cmp.Or(r.Across, "truth"), cmp.Or(r.Up, "estimate"))
	low, high := ends(r.Truth, r.Estimate)
	equal, err := plotter.NewLine(plotter.XYs{{X: low, Y: low}, {X: high, Y: high}})
	if err != nil {
		return nil, nil, err
	}
	equal.Color, equal.Width = grey, vg.Points(0.6)
	p.Add(equal)
	for i := range r.Truth {
		if !math.IsNaN(r.Truth[i] + r.Estimate[i]) {
			points = append(points, plotter.XY{X: r.Truth[i], Y: r.Estimate[i]})
		}
	}
	return p, points, nil
}
