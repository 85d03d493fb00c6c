package figure

import (
	"fmt"
	"math"
	"slices"

	"likc/runtime/num/statistic"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Predicted holds one subject's observed and predicted response times, signed as by [statistic.Signed].
type Predicted struct {
	Name            string
	Seen, Predicted []float64
	Band            bool // whether to draw how far chance lets bars of as many trials lie from the line
}

// Distances holds one kind of distances, such as posterior ones, with one for each subject. All kinds have the subjects in the
// same order.
type Distances struct {
	Name   string
	KS     []float64 // Kolmogorov-Smirnov distances between observed and predicted times
	Median float64
}

// Predictive draws a panel for each of some subjects, and a panel with the distances of all subjects. That panel has a dot for each
// subject and kind, and a line at the median of each kind.
func Predictive(subjects []Predicted, kinds []Distances) (*Figure, error) {
	var panels []*plot.Plot
	for _, s := range subjects {
		s.Band = true
		parts, err := predictions(s, nil)
		if err != nil {
			return nil, err
		}
		panels = append(panels, parts...)
	}
	p := panel("", "subject, by posterior KS", "KS distance")
	for k, kind := range kinds {
		if err := addDistances(p, kind, k); err != nil {
			return nil, err
		}
	}
	p.Y.Min = 0
	legendAbove(p, len(kinds), 2.6*vg.Inch)
	return grid(append(panels, p), 2, 3.6*vg.Inch, 2.6*vg.Inch)
}

// predictions draws signed response times: one panel, or one for each choice if choices are numbered.
func predictions(s Predicted, nameOf Naming) ([]*plot.Plot, error) {
	label := "signed response time (s)"
	parts := byChoice(s, nameOf)
	if len(parts) > 1 {
		label = "response time (s)"
	}
	var panels []*plot.Plot
	for _, part := range parts {
		p := panel(part.Name, label, "density")
		if err := addPrediction(p, part); err != nil {
			return nil, err
		}
		if len(parts) > 1 {
			p.X.Min = 0
		}
		panels = append(panels, p)
	}
	return panels, nil
}

// byChoice divides the response times by choice, if there are three or more numbered choices. In the times of one choice, trials
// of other choices are NaN. They count in the total, so that areas are shares of all trials.
func byChoice(s Predicted, nameOf Naming) []Predicted {
	n := int(max(slices.Max(append([]float64{0}, s.Seen...)), slices.Max(append([]float64{0}, s.Predicted...)))/statistic.ChoiceOffset) + 2
	if n <= 2 {
		return []Predicted{s}
	}
	var parts []Predicted
	for k := range n {
		parts = append(parts, Predicted{Name: s.Name + ", " + nameOf.Of(float64(k)), Seen: ofChoice(s.Seen, k), Predicted: ofChoice(s.Predicted, k), Band: s.Band})
	}
	return parts
}

// ofChoice returns the response times of the numbered choice k, given signed times (see [statistic.Signed]). Other trials become
// NaN.
func ofChoice(signed []float64, k int) []float64 {
	own := make([]float64, len(signed))
	for i, x := range signed {
		own[i] = math.NaN()
		switch {
		case x < 0 && k == 0:
			own[i] = -x
		case x >= 0 && k > 0 && math.Floor(x/statistic.ChoiceOffset) == float64(k-1):
			own[i] = x - float64(k-1)*statistic.ChoiceOffset
		}
	}
	return own
}

func addPrediction(p *plot.Plot, s Predicted) error {
	if len(s.Seen) == 0 || len(s.Predicted) == 0 {
		return fmt.Errorf("figure: %s: no response times to draw", s.Name)
	}
	_, err := addTimes(p, s, reachOf(slices.Concat(s.Seen, s.Predicted)), 1.2)
	return err
}

// timeMarks are the marks of a panel of response times, for a legend.
type timeMarks struct {
	bars *plotter.Histogram // observed
	line *plotter.Line      // predicted
	band *plotter.Polygon   // see chanceBand; nil for none
}

// addTimes adds observed response times up to reach as bars, and predicted ones as a line, with a band if s wants one. The line's
// width is in points.
func addTimes(p *plot.Plot, s Predicted, reach, width float64) (m timeMarks, err error) {
	predicted := signedHistogram(s.Predicted, reach)
	m.bars = signedHistogram(s.Seen, reach)
	m.bars.FillColor, m.bars.LineStyle.Width = faint(colours[0], 0.5), 0
	if m.line, err = plotter.NewLine(outlineOf(predicted)); err != nil {
		return timeMarks{}, fmt.Errorf("figure: %s: %w", s.Name, err)
	}
	m.line.Color, m.line.Width = colours[5], vg.Points(width)
	p.Add(m.bars)
	if s.Band {
		if m.band, err = plotter.NewPolygon(chanceBand(predicted, len(s.Seen), len(s.Predicted))); err != nil {
			return timeMarks{}, fmt.Errorf("figure: %s: %w", s.Name, err)
		}
		m.band.Color, m.band.LineStyle.Width = faint(colours[5], 0.25), 0
		p.Add(m.band)
	}
	p.Add(m.line)
	p.Y.Min = 0
	return m, nil
}

// chanceBand returns the outline of the band in which each bar of n observed trials lies with a probability of 90 %, if trials come
// from the distribution that m trials were simulated from. h is the histogram of the simulated trials.
func chanceBand(h *plotter.Histogram, n, m int) plotter.XYs {
	total := max(int(math.Round(float64(n)*float64(m)/float64(n+m))), 1) // as uncertain a share as the difference of shares of n and of m trials
	end := func(level float64) plotter.XYs {
		at := &plotter.Histogram{Width: h.Width}
		for _, b := range h.Bins {
			k := statistic.BinomialQuantile(total, min(b.Weight*h.Width, 1), level)
			b.Weight = float64(k) / (float64(total) * h.Width)
			at.Bins = append(at.Bins, b)
		}
		return outlineOf(at)
	}
	upper := end(0.95)
	slices.Reverse(upper)
	return append(end(0.05), upper...)
}

// addDistances adds the distances of kind number k as dots, and their median as a line.
func addDistances(p *plot.Plot, d Distances, k int) error {
	if len(d.KS) == 0 {
		return nil
	}
	points := make(plotter.XYs, len(d.KS))
	for i, y := range d.KS {
		points[i] = plotter.XY{X: float64(i + 1), Y: y}
	}
	dots, err := plotter.NewScatter(points)
	if err != nil {
		return fmt.Errorf("figure: %s: %w", d.Name, err)
	}
	dots.GlyphStyle = draw.GlyphStyle{Color: faint(colour(k), 0.8), Radius: 1.8, Shape: draw.CircleGlyph{}}
	line, err := plotter.NewLine(plotter.XYs{{X: 1, Y: d.Median}, {X: float64(len(d.KS)), Y: d.Median}})
	if err != nil {
		return fmt.Errorf("figure: %s: %w", d.Name, err)
	}
	line.Color, line.Width = colour(k), vg.Points(0.8)
	p.Add(dots, line)
	p.Legend.Add(fmt.Sprintf("%s, median %.3f", d.Name, d.Median), dots)
	return nil
}
