package report

import (
	"fmt"
	"html/template"
	"math"
	"slices"

	"likc/search/judge"
	"likc/search/sweep"
)

// legend names a series.
type legend struct{ Class, Text string }

// figures draws the three figures of the sweep: recovery against size, and the shares that recover all and each parameter.
func (p *page) figures(s *sweep.Result) {
	for i, row := range s.Rows {
		p.Legend = append(p.Legend, legend{series(i), "λ = " + general(row.Lambda)})
	}
	if len(s.Rows) == 0 {
		return
	}
	for j, param := range s.Rows[0].Params {
		p.Figures = append(p.Figures, againstSize(s, j, param.Name))
	}
	p.Figures = append(p.Figures, sharePlot(s), paramPlot(s))
}

// againstSize shows the correlation of one parameter for every expression, and for each λ the best at a size or smaller.
func againstSize(s *sweep.Result, j int, name string) template.HTML {
	largest := 10
	for _, e := range s.Pool {
		largest = max(largest, e.Size)
	}
	c := newChart("recovery of "+name, "size (nodes)", "correlation r", [2]float64{0, float64(largest)}, [2]float64{-0.25, 1})
	c.level("criterion", judge.LeastR)
	for i, row := range s.Rows {
		at := make([]float64, largest+1)
		for k := range at {
			at[k] = math.NaN()
		}
		for _, e := range s.Pool {
			if float64(e.Lambda) != row.Lambda || j >= len(e.Params) {
				continue
			}
			r, edge := float64(e.Params[j].R), float64(e.Params[j].Edge)
			c.dot(float64(e.Size), r, 2.2, "dot "+series(i), fmt.Sprintf("λ %g, size %d, r %.2f: %s", row.Lambda, e.Size, r, e.Text))
			if edge < judge.MostEdge && !(r <= at[e.Size]) {
				at[e.Size] = r
			}
		}
		x, y := running(at)
		c.line("run "+series(i), x, y)
	}
	return c.svg()
}

// running gives the best value up to each place, as steps.
func running(at []float64) (x, y []float64) {
	best := math.NaN()
	for size, r := range at {
		if !math.IsNaN(r) && !(r <= best) {
			if !math.IsNaN(best) {
				x, y = append(x, float64(size)), append(y, best)
			}
			best = r
			x, y = append(x, float64(size)), append(y, best)
		}
	}
	if !math.IsNaN(best) {
		x, y = append(x, float64(len(at)-1)), append(y, best)
	}
	return x, y
}

// sharePlot has a dot a search and a line at the pooled rate of each λ.
func sharePlot(s *sweep.Result) template.HTML {
	names, most := []string{}, 0.05
	for _, row := range s.Rows {
		names = append(names, general(row.Lambda))
		most = math.Max(most, slices.Max(append([]float64{row.Pooled, row.Interval[1]}, row.Shares...)))
	}
	list, xRange := named(names)
	c := newChart("recover all parameters", "λ", "share of expressions", xRange, [2]float64{0, most})
	c.xTicks = list
	for i, row := range s.Rows {
		x := float64(i)
		c.line("bar "+series(i), []float64{x, x}, row.Interval[:])
		for k, share := range row.Shares {
			spread := 0.5 * (math.Mod(float64(k)*0.618034, 1) - 0.5)
			c.dot(x+spread, share, 3, "dot "+series(i), fmt.Sprintf("λ %g, one search: %.0f %%", row.Lambda, 100*share))
		}
		c.line("pooled "+series(i), []float64{x - 0.35, x + 0.35}, []float64{row.Pooled, row.Pooled})
	}
	return c.svg()
}

// paramPlot has a line a parameter over the weights.
func paramPlot(s *sweep.Result) template.HTML {
	var names []string
	for _, row := range s.Rows {
		names = append(names, general(row.Lambda))
	}
	list, xRange := named(names)
	xRange[1] += 0.4
	c := newChart("recover each parameter", "λ", "share of expressions", xRange, [2]float64{0, 1})
	c.xTicks = list
	for j, param := range s.Rows[0].Params {
		var x, y []float64
		for i, row := range s.Rows {
			x, y = append(x, float64(i)), append(y, row.Params[j].Pass)
		}
		c.line("curve p"+series(j)[1:], x, y)
		for i := range x {
			c.dot(x[i], y[i], 3, "point p"+series(j)[1:], fmt.Sprintf("%s at λ %s: %.0f %%", param.Name, names[i], 100*y[i]))
		}
		c.text(x[len(x)-1]+0.12, y[len(y)-1], "p"+series(j)[1:], param.Name)
	}
	return c.svg()
}

// recoveryPlots are scatter plots of truth against estimate, a parameter each.
func recoveryPlots(v *judge.Verdict) []template.HTML {
	var out []template.HTML
	for j := range v.Params {
		low, high := math.Inf(1), math.Inf(-1)
		for _, f := range v.Fits {
			if f.Err == nil {
				low, high = min(low, f.Truth[j], f.Mean[j]), max(high, f.Truth[j], f.Mean[j])
			}
		}
		if !(low < high) {
			continue
		}
		reach := [2]float64{low, high}
		c := newChart(fmt.Sprintf("%s   r = %s", v.Params[j].Name, correlation(v.Params[j].R)), "true value", "posterior mean", reach, reach)
		c.width, c.height = 220, 210
		c.line("criterion", reach[:], reach[:])
		for _, f := range v.Fits {
			if f.Err == nil {
				c.dot(f.Truth[j], f.Mean[j], 2.5, "dot s1", fmt.Sprintf("subject %d: %.3g, estimated %.3g", f.Subject, f.Truth[j], f.Mean[j]))
			}
		}
		out = append(out, c.svg())
	}
	return out
}
