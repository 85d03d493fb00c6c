package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"likc/runtime/fit/figure"
	"likc/search/study/applied"
)

// draw sets a study's figures. `all` holds its fits, the first of which is the reference.
func (s *study) draw(all []applied.Fit) {
	if len(all) == 0 || all[0].Failed != "" {
		return
	}
	for _, p := range all[0].Params {
		s.Participants = len(p.Levels)
		if p.Varies {
			s.Levels = append(s.Levels, inline(levelsChart(p, all), "participants' "+p.Name, 240, 300))
		}
	}
	if s.Converged > 1 {
		s.Times = inline(s.timesChart(all), "seconds of the fits", chartWidth, chartHeight)
	}
}

// levelsChart shows the participants' means of one parameter, in the order of the reference's means. Each converged expression is a
// faint line. The reference has points with bars from the 5th to the 95th percentile, and other models have squares.
func levelsChart(p applied.Param, all []applied.Fit) *figure.Chart {
	order := make([]int, len(p.Levels))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, k int) int { return cmp.Compare(p.Levels[i].Mean, p.Levels[k].Mean) })
	names, rows := make([]string, len(order)), make([]float64, len(order))
	for row, i := range order {
		names[row], rows[row] = p.Levels[i].Level, float64(row)
	}
	c := figure.NewChart(p.Name, span(p, all), named("", names), scheme)
	thin := figure.Stroke{Colour: colours[1].Faint(0.15), Width: 1}
	for k := range all {
		if means := meansOf(&all[k], p.Name, order); means != nil && all[k].Kind == applied.Expression && all[k].Converged() {
			c.Line(means, rows, thin)
		}
	}
	bar := figure.Stroke{Colour: light["ink"], Width: 1.2}
	for row, i := range order {
		l := p.Levels[i]
		c.Line([]float64{l.Q5, l.Q95}, []float64{float64(row), float64(row)}, bar)
		c.Spot(l.Mean, float64(row), figure.Spot{Colour: light["ink"], Radius: 2.5, Tooltip: fmt.Sprintf("%s: %.3g (%s)", l.Level, l.Mean, all[0].Model)})
	}
	series := 2
	for k := range all {
		if means := meansOf(&all[k], p.Name, order); means != nil && all[k].Kind == applied.Model {
			for row, x := range means {
				c.Spot(x, rows[row], figure.Spot{Shape: figure.Square, Colour: colours[series%len(colours)], Radius: 3, Tooltip: fmt.Sprintf("%s: %.3g (%s)", names[row], x, all[k].Model)})
			}
			series++
		}
	}
	return c
}

// meansOf returns a fit's means of a parameter in the given order of participants; nil if it has none.
func meansOf(f *applied.Fit, param string, order []int) (means []float64) {
	for _, p := range f.Params {
		if p.Name != param || len(p.Levels) != len(order) {
			continue
		}
		for _, i := range order {
			means = append(means, p.Levels[i].Mean)
		}
	}
	return means
}

// span returns an axis that contains all means of a parameter and the reference's bars.
func span(p applied.Param, all []applied.Fit) figure.Axis {
	low, high := math.Inf(1), math.Inf(-1)
	for _, l := range p.Levels {
		low, high = min(low, l.Q5), max(high, l.Q95)
	}
	for k := range all {
		if all[k].Kind == applied.Expression && !all[k].Converged() {
			continue
		}
		for _, other := range all[k].Params {
			for _, l := range other.Levels {
				if other.Name == p.Name {
					low, high = min(low, l.Mean), max(high, l.Mean)
				}
			}
		}
	}
	margin := 0.03*(high-low) + 1e-9
	return figure.Axis{Label: "posterior mean", Low: low - margin, High: high + margin}
}

// timesChart shows how many converged expressions needed which time. Dashed lines are their median and the reference.
func (s *study) timesChart(all []applied.Fit) *figure.Chart {
	var seconds []float64
	for k := range all {
		if all[k].Kind == applied.Expression && all[k].Converged() {
			seconds = append(seconds, math.Log10(max(all[k].Seconds, 1e-3)))
		}
	}
	reference := math.Log10(max(float64(s.OfReference), 1e-3))
	low, high := math.Floor(min(slices.Min(seconds), reference)), math.Ceil(max(slices.Max(seconds), reference)+1e-9)
	counts, most := make([]int, int(10*(high-low))), 0
	for _, x := range seconds {
		i := min(int(10*(x-low)), len(counts)-1)
		counts[i]++
		most = max(most, counts[i])
	}
	x, y := []float64{math.Pow(10, low)}, []float64{0}
	for i, n := range counts {
		left, right := math.Pow(10, low+float64(i)/10), math.Pow(10, low+float64(i+1)/10)
		x, y = append(x, left, right), append(y, float64(n), float64(n))
	}
	c := figure.NewChart("seconds of a fit, one core", figure.Axis{Label: "seconds", Low: math.Pow(10, low), High: math.Pow(10, high), Log: true},
		figure.Axis{Label: "formulas", High: 1.1 * float64(most)}, scheme)
	c.Line(append(x, math.Pow(10, high)), append(y, 0), line(1, 1.6))
	for _, at := range []float64{float64(s.Seconds), float64(s.OfReference)} {
		c.Line([]float64{at, at}, []float64{0, 1.1 * float64(most)}, dashed)
	}
	return c
}
