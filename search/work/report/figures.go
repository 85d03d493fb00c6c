package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/DataDog/datadog-agent/pkg/template/html"

	"likc/runtime/fit/figure"
	"likc/runtime/num/statistic"
	"likc/search/study/judge"
	"likc/search/study/sweep"
)

// legend explains a series of the charts: the class of its colour in the page's style, and a text.
type legend struct{ Class, Text string }

// plots holds the charts of a sweep.
type plots struct {
	legend           []legend
	loss             *figure.Chart   // see lossPlot; nil if searches reported no squared errors
	bySize           []*figure.Chart // for each parameter, its recovery against size
	all, each, proxy *figure.Chart   // see sharePlot, paramPlot and proxyPlot; proxy is nil if searches reported no recovery
}

// plotSweep draws recovery against size, the shares that recover all parameters and each parameter, and the search's estimate of
// recovery against the judge's result.
func plotSweep(s *sweep.Result) *plots {
	if len(s.Rows) == 0 {
		return nil
	}
	p := &plots{loss: lossPlot(s), all: sharePlot(s), each: paramPlot(s), proxy: proxyPlot(s)}
	for i, row := range s.Rows {
		p.legend = append(p.legend, legend{"s" + strconv.Itoa(i%len(colours)), "λ = " + general(row.Lambda)})
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
	if all.loss != nil {
		p.Figures = append(p.Figures, inline(all.loss, "squared error against size", chartWidth, chartHeight))
	}
	for j, c := range all.bySize {
		p.Figures = append(p.Figures, inline(c, "recovery of "+s.Rows[0].Params[j].Name, chartWidth, chartHeight))
	}
	p.Figures = append(p.Figures, inline(all.all, "recover all parameters", chartWidth, chartHeight),
		inline(all.each, "recover each parameter", chartWidth, chartHeight))
	if all.proxy != nil {
		p.Proxy = inline(all.proxy, "search and judge", chartWidth, chartHeight)
	}
}

// lossPlot shows, for each λ, the squared error of every formula against its size, and the smallest error up to each size. The axis
// ends at 1,000 times the median error. The chart is nil if there are no errors.
func lossPlot(s *sweep.Result) *figure.Chart {
	var errors []float64
	largest := 10
	for _, e := range s.Pool {
		if mse := e.MSE(); mse > 0 && !math.IsInf(mse, 1) {
			errors = append(errors, mse)
		}
		largest = max(largest, e.Size)
	}
	if len(errors) == 0 {
		return nil
	}
	slices.Sort(errors)
	power := func(x float64, round func(float64) float64) float64 { return math.Pow(10, round(math.Log10(x))) }
	y := figure.Axis{Label: "squared error", Log: true, Format: func(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }, Low: power(errors[0], math.Floor),
		High: power(min(errors[len(errors)-1], 1000*statistic.Quantile(errors, 0.5))*1.01, math.Ceil)}
	c := figure.NewChart("closeness to the network", figure.Axis{Label: "size (nodes)", High: float64(largest)}, y, scheme)
	for i, row := range s.Rows {
		nearest := make([]float64, largest+1) // minus the smallest error at each size
		for k := range nearest {
			nearest[k] = math.NaN()
		}
		for _, e := range s.Pool {
			if mse := e.MSE(); float64(e.Lambda) == row.Lambda && mse > 0 {
				c.Spot(float64(e.Size), mse, dot(i, 2.2, fmt.Sprintf("λ %g, size %d, squared error %.3g: %s", row.Lambda, e.Size, mse, e.Canonical)))
				if !(-mse <= nearest[e.Size]) {
					nearest[e.Size] = -mse
				}
			}
		}
		x, best := running(nearest)
		for k := range best {
			best[k] *= -1
		}
		c.Line(x, best, line(i, 1.8))
	}
	return c
}

// againstSize shows, for one parameter, the correlation of every expression, and for each λ the best at that size or smaller.
func againstSize(s *sweep.Result, j int, name string) *figure.Chart {
	largest := 10
	for _, e := range s.Pool {
		largest = max(largest, e.Size)
	}
	x, y := figure.Axis{Label: "size (nodes)", High: float64(largest)}, figure.Axis{Label: "correlation r", Low: -0.25, High: 1}
	c := figure.NewChart("recovery of "+name, x, y, scheme)
	c.Line([]float64{x.Low, x.High}, []float64{judge.LeastR, judge.LeastR}, dashed)
	if r := exact(s, name); !math.IsNaN(r) {
		c.Line([]float64{x.Low, x.High}, []float64{r, r}, dotted)
	}
	for i, row := range s.Rows {
		bestAt := make([]float64, largest+1) // the best correlation at each size
		for k := range bestAt {
			bestAt[k] = math.NaN()
		}
		for _, e := range s.Pool {
			if float64(e.Lambda) != row.Lambda || j >= len(e.Params) {
				continue
			}
			r, edge := float64(e.Params[j].R), float64(e.Params[j].Edge)
			c.Spot(float64(e.Size), r, dot(i, 2.2, fmt.Sprintf("λ %g, size %d, r %.2f: %s", row.Lambda, e.Size, r, e.Canonical)))
			if edge < judge.MostEdge && !(r <= bestAt[e.Size]) {
				bestAt[e.Size] = r
			}
		}
		x, y := running(bestAt)
		c.Line(x, y, line(i, 1.8))
	}
	return c
}

// exact returns the correlation that the model's own density reaches; NaN if that density was not judged.
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

// running returns a step curve: the best value up to each size. values holds the best value at each size; NaN for none.
func running(values []float64) (x, y []float64) {
	best := math.NaN()
	for size, r := range values {
		if !math.IsNaN(r) && !(r <= best) {
			if !math.IsNaN(best) {
				x, y = append(x, float64(size)), append(y, best)
			}
			best = r
			x, y = append(x, float64(size)), append(y, best)
		}
	}
	if !math.IsNaN(best) {
		x, y = append(x, float64(len(values)-1)), append(y, best)
	}
	return x, y
}

// sharePlot shows, for each λ, a dot for each search, a line at the pooled rate, and a cross with a bar for the mean over searches
// and its interval. Dashed lines are the screen's rate.
func sharePlot(s *sweep.Result) *figure.Chart {
	names, most := []string{}, 0.05
	for _, row := range s.Rows {
		names = append(names, general(row.Lambda))
		most = math.Max(most, slices.Max(append([]float64{row.Pooled, row.Interval[1], screened(s, row.Lambda, 0)}, row.Shares...)))
	}
	c := figure.NewChart("recover all parameters", named("λ", names), figure.Axis{Label: "share of formulas", High: 1.05 * most}, scheme)
	for i, row := range s.Rows {
		x := float64(i)
		thin := figure.Stroke{Colour: colours[i%len(colours)].Faint(0.6), Width: 1.2}
		c.Line([]float64{x, x}, row.Interval[:], thin)
		c.Line([]float64{x - 0.06, x + 0.06}, []float64{row.Mean, row.Mean}, thin)
		for k, share := range row.Shares {
			spread := 0.5 * (math.Mod(float64(k)*0.618034, 1) - 0.5)
			c.Spot(x+spread, share, dot(i, 3, fmt.Sprintf("λ %g, one search: %.0f %%", row.Lambda, 100*share)))
		}
		c.Line([]float64{x - 0.35, x + 0.35}, []float64{row.Pooled, row.Pooled}, line(i, 2.6))
		by, dashes := screened(s, row.Lambda, math.NaN()), line(i, 1.6)
		dashes.Dashes = dashed.Dashes
		c.Line([]float64{x - 0.35, x + 0.35}, []float64{by, by}, dashes)
	}
	return c
}

// screened returns the share that the screen passes at a λ, or the value `none` if the sweep has no screen there.
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
func proxyPlot(s *sweep.Result) *figure.Chart {
	x := figure.Axis{Label: "search’s ρ − edge, mean over parameters", Low: -1, High: 1}
	c := figure.NewChart("search and judge", x, figure.Axis{Label: "judge’s weakest r", Low: -0.5, High: 1}, scheme)
	c.Line([]float64{x.Low, x.High}, []float64{judge.LeastR, judge.LeastR}, dashed)
	drawn := false
	for i, row := range s.Rows {
		for _, e := range s.Pool {
			if x := e.Proxy(); float64(e.Lambda) == row.Lambda && !math.IsNaN(x) {
				drawn = true
				c.Spot(x, float64(e.WeakestR), dot(i, 2.2, fmt.Sprintf("λ %g, size %d: %s", row.Lambda, e.Size, e.Canonical)))
			}
		}
	}
	if !drawn {
		return nil
	}
	return c
}

// paramPlot shows, for each parameter, the share of expressions that recover it, as a line over λ.
func paramPlot(s *sweep.Result) *figure.Chart {
	var names []string
	for _, row := range s.Rows {
		names = append(names, general(row.Lambda))
	}
	weights := named("λ", names)
	weights.High += 0.4 // leaves space for the names
	c := figure.NewChart("recover each parameter", weights, figure.Axis{Label: "share of formulas", High: 1}, scheme)
	var ends []float64 // the heights of the lines at their right ends
	for j, param := range s.Rows[0].Params {
		var x, y []float64
		for i, row := range s.Rows {
			x, y = append(x, float64(i)), append(y, row.Params[j].Pass)
		}
		k := j + 1 // the first colour is for λ = 0
		c.Line(x, y, line(k, 1.8))
		for i := range x {
			spot := dot(k, 3, fmt.Sprintf("%s at λ %s: %.0f %%", param.Name, names[i], 100*y[i]))
			spot.Colour = colours[k%len(colours)]
			c.Spot(x[i], y[i], spot)
		}
		ends = append(ends, y[len(y)-1])
	}
	for j, at := range apart(ends, 0.07) {
		c.Text(float64(len(names)-1)+0.12, at, colours[(j+1)%len(colours)], s.Rows[0].Params[j].Name)
	}
	return c
}

// apart moves heights between 0 and 1, so that any two differ by `least` or more and keep their order. Names at these heights do not
// cover each other.
func apart(heights []float64, least float64) []float64 {
	order, at := make([]int, len(heights)), slices.Clone(heights)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(heights[i], heights[j]) })
	for k := 1; k < len(order); k++ {
		at[order[k]] = max(at[order[k]], at[order[k-1]]+least)
	}
	above := 1.0
	for _, i := range slices.Backward(order) {
		at[i] = min(at[i], above)
		above = at[i] - least
	}
	return at
}

// recoveryPlots returns a scatter plot of truth against estimate for each parameter.
func recoveryPlots(v *judge.Verdict) []template.HTML {
	var out []template.HTML
	for j := range v.Params {
		low, high := math.Inf(1), math.Inf(-1)
		for _, f := range v.Fits {
			if f.Error == "" {
				truth, mean := float64(f.Truth[j]), float64(f.Mean[j])
				low, high = min(low, truth, mean), max(high, truth, mean)
			}
		}
		if !(low < high) {
			continue
		}
		title := fmt.Sprintf("%s: r = %s", v.Params[j].Name, correlation(v.Params[j].R))
		c := scatter(title, "true value", "posterior mean", low, high)
		for _, f := range v.Fits {
			if f.Error == "" {
				truth, mean := float64(f.Truth[j]), float64(f.Mean[j])
				c.Spot(truth, mean, dot(1, 2.5, fmt.Sprintf("subject %d: %.3g, estimated %.3g", f.Subject, truth, mean)))
			}
		}
		out = append(out, inline(c, title, 220, 210))
	}
	return out
}

// scatter returns a chart with the same range on both axes, and the diagonal as a dashed line.
func scatter(title, across, up string, low, high float64) *figure.Chart {
	c := figure.NewChart(title, figure.Axis{Label: across, Low: low, High: high}, figure.Axis{Label: up, Low: low, High: high}, scheme)
	c.Line([]float64{low, high}, []float64{low, high}, dashed)
	return c
}

// pairPlots returns scatter plots that compare the estimates of a formula, the teacher and the model's own density with each other.
// It needs fits on the same subjects. There is a row for each pair and a column for each parameter.
func pairPlots(best *judge.Verdict, all []*judge.Verdict, model string) (out []template.HTML) {
	var some []*judge.Verdict
	for _, v := range all {
		if (v.Teacher != "" || v.Model == model && v.Expr == "") && len(v.Fits) > 0 {
			some = append(some, v)
		}
	}
	pairs, err := judge.Pairs(append(some, best), nil)
	if err != nil {
		return nil // the formula has no fits to compare
	}
	for _, p := range pairs {
		for _, a := range p.Params {
			both := slices.Concat(a.FirstEstimates, a.SecondEstimates)
			if len(both) == 0 || slices.Min(both) == slices.Max(both) {
				continue
			}
			title := fmt.Sprintf("%s: r = %s", a.Name, correlation(a.R))
			c := scatter(title, ranked(p.First), ranked(p.Second), slices.Min(both), slices.Max(both))
			for i, x := range a.FirstEstimates {
				c.Spot(x, a.SecondEstimates[i], dot(1, 2.5, fmt.Sprintf("%s %.3g, %s %.3g", p.First, x, p.Second, a.SecondEstimates[i])))
			}
			out = append(out, inline(c, title, 220, 210))
		}
	}
	return out
}
