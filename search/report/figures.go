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

// plots are those of a sweep.
type plots struct {
	legend           []legend
	bySize           []*chart // a parameter each
	all, each, proxy *chart   // proxy is nil where searches reported no recovery
}

// plotSweep draws recovery against size, the shares that recover all and each parameter, and what the search thought against
// what the judge found.
func plotSweep(s *sweep.Result) *plots {
	if len(s.Rows) == 0 {
		return nil
	}
	p := &plots{all: sharePlot(s), each: paramPlot(s), proxy: proxyPlot(s)}
	for i, row := range s.Rows {
		p.legend = append(p.legend, legend{series(i), "λ = " + general(row.Lambda)})
	}
	for j, param := range s.Rows[0].Params {
		p.bySize = append(p.bySize, againstSize(s, j, param.Name))
	}
	return p
}

// figures puts the plots on the page.
func (p *page) figures(s *sweep.Result) {
	all := plotSweep(s)
	if all == nil {
		return
	}
	p.Legend = all.legend
	for _, c := range append(all.bySize, all.all, all.each) {
		p.Figures = append(p.Figures, c.svg())
	}
	if all.proxy != nil {
		p.Proxy = all.proxy.svg()
	}
}

// againstSize shows the correlation of one parameter for every expression, and for each λ the best at a size or smaller.
func againstSize(s *sweep.Result, j int, name string) *chart {
	largest := 10
	for _, e := range s.Pool {
		largest = max(largest, e.Size)
	}
	c := newChart("recovery of "+name, "size (nodes)", "correlation r", [2]float64{0, float64(largest)}, [2]float64{-0.25, 1})
	c.level("criterion", judge.LeastR)
	if r := exact(s, name); !math.IsNaN(r) {
		c.level("exact", r)
	}
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
			c.dot(float64(e.Size), r, 2.2, "dot "+series(i), fmt.Sprintf("λ %g, size %d, r %.2f: %s", row.Lambda, e.Size, r, e.Canonical))
			if edge < judge.MostEdge && !(r <= at[e.Size]) {
				at[e.Size] = r
			}
		}
		x, y := running(at)
		c.line("run "+series(i), x, y)
	}
	return c
}

// exact is the correlation that the model's own density reaches, where it was judged beside; NaN where not.
func exact(s *sweep.Result, name string) float64 {
	for _, v := range s.Models {
		for _, p := range v.Params {
			if v.Model == s.Model() && v.Expr == "" && p.Name == name {
				return float64(p.R)
			}
		}
	}
	return math.NaN()
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

// sharePlot has, for each λ, a dot a search, a line at the pooled rate, and a bar for the interval of the mean over searches, which
// has a cross; dashes are the screen's rate.
func sharePlot(s *sweep.Result) *chart {
	names, most := []string{}, 0.05
	for _, row := range s.Rows {
		names = append(names, general(row.Lambda))
		most = math.Max(most, slices.Max(append([]float64{row.Pooled, row.Interval[1], screened(s, row.Lambda, 0)}, row.Shares...)))
	}
	list, xRange := named(names)
	c := newChart("recover all parameters", "λ", "share of expressions", xRange, [2]float64{0, 1.05 * most})
	c.xTicks = list
	for i, row := range s.Rows {
		x := float64(i)
		c.line("bar "+series(i), []float64{x, x}, row.Interval[:])
		c.line("bar "+series(i), []float64{x - 0.06, x + 0.06}, []float64{row.Mean, row.Mean})
		for k, share := range row.Shares {
			spread := 0.5 * (math.Mod(float64(k)*0.618034, 1) - 0.5)
			c.dot(x+spread, share, 3, "dot "+series(i), fmt.Sprintf("λ %g, one search: %.0f %%", row.Lambda, 100*share))
		}
		c.line("pooled "+series(i), []float64{x - 0.35, x + 0.35}, []float64{row.Pooled, row.Pooled})
		by := screened(s, row.Lambda, math.NaN())
		c.line("screened "+series(i), []float64{x - 0.35, x + 0.35}, []float64{by, by})
	}
	return c
}

// screened is the share that the screen passes, or what else there is.
func screened(s *sweep.Result, lambda, none float64) float64 {
	if s.Screen != nil {
		for _, row := range s.Screen.Rows {
			if float64(row.Lambda) == lambda {
				return row.Share
			}
		}
	}
	return none
}

// proxyPlot shows, for every expression, the search's mean of ρ − edge against the judge's weakest correlation.
func proxyPlot(s *sweep.Result) *chart {
	c := newChart("search and judge", "search’s ρ − edge, mean over parameters", "judge’s weakest r", [2]float64{-1, 1}, [2]float64{-0.5, 1})
	c.level("criterion", judge.LeastR)
	drawn := false
	for i, row := range s.Rows {
		for _, e := range s.Pool {
			if x := e.Proxy(); float64(e.Lambda) == row.Lambda && !math.IsNaN(x) {
				drawn = true
				c.dot(x, float64(e.WeakestR), 2.2, "dot "+series(i), fmt.Sprintf("λ %g, size %d: %s", row.Lambda, e.Size, e.Canonical))
			}
		}
	}
	if !drawn {
		return nil
	}
	return c
}

// paramPlot has a line a parameter over the weights.
func paramPlot(s *sweep.Result) *chart {
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
	return c
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
