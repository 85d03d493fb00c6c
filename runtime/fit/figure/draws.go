package figure

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"likc/runtime/num/chains"
	"likc/runtime/num/statistic"
)

// Trace draws every parameter's draws against their number, with a line for each chain. Chains that agree look like one band.
func Trace(d *chains.Draws) (*Figure, error) {
	var panels []*plot.Plot
	for j, name := range d.Names {
		p := panel(name, "draw", "")
		for c, x := range d.Param(j) {
			line, err := plotter.NewLine(numbered(x))
			if err != nil {
				return nil, fmt.Errorf("figure: trace of %s: %w", name, err)
			}
			line.Color, line.Width = faint(colour(c), 0.8), vg.Points(0.4)
			p.Add(line)
		}
		panels = append(panels, p)
	}
	return grid(panels, 1, 5.2*vg.Inch, 1.6*vg.Inch)
}

// traceBins is the number of columns of a trace. Each column shows the smallest and the largest of its draws.
const traceBins = 300

// numbered returns draws with their numbers. If there are many draws, they are divided into traceBins runs. Each run gives its
// two extremes, in their order, so that no outlier is lost.
func numbered(x []float64) plotter.XYs {
	if len(x) <= 2*traceBins {
		points := make(plotter.XYs, len(x))
		for k, v := range x {
			points[k] = plotter.XY{X: float64(k + 1), Y: v}
		}
		return points
	}
	points := make(plotter.XYs, 0, 2*traceBins)
	for bin := range traceBins {
		from, to := bin*len(x)/traceBins, (bin+1)*len(x)/traceBins
		low, high := from, from
		for k := from; k < to; k++ {
			if x[k] < x[low] {
				low = k
			}
			if x[k] > x[high] {
				high = k
			}
		}
		for _, k := range []int{min(low, high), max(low, high)} {
			points = append(points, plotter.XY{X: float64(k + 1), Y: x[k]})
		}
	}
	return points
}

// rankBins is the number of bins in a histogram of ranks.
const rankBins = 20

// Rank draws, for every parameter and chain, a histogram of the ranks of the chain's draws among all draws. Level lines mean that
// the chains visit the same regions. [vehtari2021], sec. 5.
func Rank(d *chains.Draws) (*Figure, error) {
	var panels []*plot.Plot
	for j, name := range d.Names {
		p := panel(name, "rank", "draws")
		p.Y.Min = 0
		counts, total := rankCounts(d.Param(j))
		for c, bins := range counts {
			line, err := plotter.NewLine(steps(bins, total))
			if err != nil {
				return nil, fmt.Errorf("figure: ranks of %s: %w", name, err)
			}
			line.Color, line.Width = colour(c), vg.Points(1)
			p.Add(line)
		}
		panels = append(panels, p)
	}
	return grid(panels, 2, 2.6*vg.Inch, 1.8*vg.Inch)
}

// rankCounts counts each chain's draws by their rank among all draws.
func rankCounts(x [][]float64) (counts [][]int, total int) {
	type draw struct {
		value float64
		chain int
	}
	var all []draw
	for c, column := range x {
		for _, v := range column {
			all = append(all, draw{v, c})
		}
	}
	slices.SortFunc(all, func(a, b draw) int { // equal draws are ordered by chain, so that the order is unique
		return cmp.Or(cmp.Compare(a.value, b.value), cmp.Compare(a.chain, b.chain))
	})
	counts = make([][]int, len(x))
	for c := range counts {
		counts[c] = make([]int, rankBins)
	}
	for rank, d := range all {
		counts[d.chain][rank*rankBins/len(all)]++
	}
	return counts, len(all)
}

// steps returns the outline of a histogram of ranks.
func steps(bins []int, total int) plotter.XYs {
	var points plotter.XYs
	width := float64(total) / rankBins
	for i, n := range bins {
		points = append(points, plotter.XY{X: float64(i) * width, Y: float64(n)}, plotter.XY{X: float64(i+1) * width, Y: float64(n)})
	}
	return points
}

// Marginal draws a histogram of every parameter's draws. Its title has the mean and the 5 % and 95 % quantiles. A line marks the
// mean, and a bar at the foot goes from one quantile to the other.
func Marginal(d *chains.Draws) (*Figure, error) {
	var panels []*plot.Plot
	for j, name := range d.Names {
		x := slices.Concat(d.Param(j)...)
		slices.Sort(x)
		mean, low, high := statistic.Mean(x), statistic.Quantile(x, 0.05), statistic.Quantile(x, 0.95)
		p := panel(fmt.Sprintf("%s (%s to %s)", shortest(mean, 4), shortest(low, 4), shortest(high, 4)), name, "")
		p.Title.TextStyle.Font.Size = 9
		p.HideY() // a density's height has no meaning of its own
		addHistogram(p, x, 40)
		err := errors.Join(addStroke(p, plotter.XYs{{X: mean, Y: 0}, {X: mean, Y: p.Y.Max}}, 1.2),
			addStroke(p, plotter.XYs{{X: low, Y: 0.02 * p.Y.Max}, {X: high, Y: 0.02 * p.Y.Max}}, 3))
		if err != nil {
			return nil, fmt.Errorf("figure: draws of %s: %w", name, err)
		}
		panels = append(panels, p)
	}
	return grid(panels, 2, 2.6*vg.Inch, 2*vg.Inch)
}

// addStroke adds a line of the second kind of mark, with a width in points.
func addStroke(p *plot.Plot, points plotter.XYs, width float64) error {
	line, err := plotter.NewLine(points)
	if err != nil {
		return err
	}
	line.Color, line.Width = colours[5], vg.Points(width)
	p.Add(line)
	return nil
}

func addHistogram(p *plot.Plot, x []float64, bins int) {
	h := histogram(x, bins)
	h.FillColor, h.LineStyle.Width = faint(colours[0], 0.5), 0
	p.Add(h)
	p.Y.Min = 0
}

// histogram returns a histogram of x with total area 1.
func histogram(x []float64, bins int) *plotter.Histogram {
	low, high := ends(x)
	width := (high - low) / float64(bins)
	h := &plotter.Histogram{Width: width}
	for i := range bins {
		h.Bins = append(h.Bins, plotter.HistogramBin{Min: low + float64(i)*width, Max: low + float64(i+1)*width})
	}
	for _, v := range x {
		i := min(max(int((v-low)/width), 0), bins-1)
		h.Bins[i].Weight += 1 / (float64(len(x)) * width)
	}
	return h
}

// mostPoints is the largest number of points in a scatter plot. More points only make larger files.
const mostPoints = 500

// Pairs draws every pair of parameters against each other, with histograms on the diagonal. Draws from divergent transitions are
// marked.
func Pairs(d *chains.Draws) (*Figure, error) {
	n := len(d.Names)
	f := &Figure{width: 2.2 * vg.Inch, height: 2.2 * vg.Inch}
	plain, divergent := pick(d)
	for i := range n {
		row := make([]*plot.Plot, n)
		for j := range i + 1 {
			p := panel("", label(d.Names[j], i == n-1), label(d.Names[i], j == 0))
			if i == j {
				p.Y.Label.Text = ""
				addHistogram(p, slices.Concat(d.Param(i)...), 30)
			} else if err := addPairs(p, d, j, i, plain, divergent); err != nil {
				return nil, fmt.Errorf("figure: %s against %s: %w", d.Names[i], d.Names[j], err)
			}
			row[j] = p
		}
		f.panels = append(f.panels, row)
	}
	if n == 0 {
		return nil, fmt.Errorf("figure: nothing to draw")
	}
	return f, nil
}

func label(name string, outer bool) string {
	if outer {
		return name
	}
	return ""
}

// drawIndex identifies a draw by its chain and number.
type drawIndex struct{ chain, draw int }

// pick chooses evenly spaced draws to show in scatter plots, and all divergent ones.
func pick(d *chains.Draws) (plain, divergent []drawIndex) {
	total := 0
	for c := range d.Chains {
		total += d.Chains[c].Len()
	}
	every := max(1, (total+mostPoints-1)/mostPoints)
	for c := range d.Chains {
		chain := &d.Chains[c]
		for k := range chain.Len() {
			switch {
			case k < len(chain.Divergent) && chain.Divergent[k]:
				divergent = append(divergent, drawIndex{c, k})
			case k%every == 0:
				plain = append(plain, drawIndex{c, k})
			}
		}
	}
	return plain, divergent
}

func addPairs(p *plot.Plot, d *chains.Draws, x, y int, plain, divergent []drawIndex) error {
	at := func(draws []drawIndex) plotter.XYs {
		points := make(plotter.XYs, len(draws))
		for k, at := range draws {
			params := d.Chains[at.chain].Params
			points[k] = plotter.XY{X: params[x][at.draw], Y: params[y][at.draw]}
		}
		return points
	}
	if len(plain) > 0 {
		p.Add(&dots{at: at(plain), colour: faint(colours[0], 0.6), radius: 0.9})
	}
	return addPoints(p, at(divergent), draw.GlyphStyle{Color: colours[5], Radius: 2.5, Shape: draw.CrossGlyph{}})
}

func addPoints(p *plot.Plot, points plotter.XYs, style draw.GlyphStyle) error {
	if len(points) == 0 {
		return nil
	}
	s, err := plotter.NewScatter(points)
	if err != nil {
		return err
	}
	s.GlyphStyle = style
	p.Add(s)
	return nil
}
