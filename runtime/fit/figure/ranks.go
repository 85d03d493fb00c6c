package figure

import (
	"fmt"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
)

// Ranked holds the ranks of one parameter in simulation-based calibration. Counts[i] is the number of ranks up to the i-th
// evaluation point.
type Ranked struct {
	Name   string
	Counts []int
	Inside bool   // whether all counts lie in the band
	Note   string // appended to the name in the title
}

// RankDifference draws the difference between the empirical distribution of n ranks and the uniform one, over the band from low
// to high. Each parameter has a panel. All slices hold numbers of ranks up to the same evaluation points.
func RankDifference(params []Ranked, low, high []int, n int) (*Figure, error) {
	var panels []*plot.Plot
	for _, r := range params {
		if len(r.Counts) != len(low) || len(low) != len(high) || n < 1 {
			return nil, fmt.Errorf("figure: %d counts of %s for a band of %d and %d places", len(r.Counts), r.Name, len(low), len(high))
		}
		p := panel(r.Name+"   "+r.Note, "rank", "difference")
		top, bottom := difference(high, n), difference(low, n)
		around := append(plotter.XYs{}, top...)
		for i := len(bottom) - 1; i >= 0; i-- {
			around = append(around, bottom[i])
		}
		band, err := plotter.NewPolygon(around)
		if err != nil {
			return nil, fmt.Errorf("figure: band of %s: %w", r.Name, err)
		}
		band.Color, band.LineStyle.Width = faint(grey, 0.25), 0
		line, err := plotter.NewLine(difference(r.Counts, n))
		if err != nil {
			return nil, fmt.Errorf("figure: ranks of %s: %w", r.Name, err)
		}
		line.Width, line.Color = vg.Points(1.2), colours[0]
		if !r.Inside {
			line.Color = colours[5]
		}
		p.Add(band, line)
		panels = append(panels, p)
	}
	return grid(panels, 4, 2.4*vg.Inch, 2.2*vg.Inch)
}

// NoRanks draws an empty panel with the reason why there are no ranks as its title.
func NoRanks(why string) (*Figure, error) {
	return grid([]*plot.Plot{panel(why, "rank", "difference")}, 1, 2.4*vg.Inch, 2.2*vg.Inch)
}

// difference returns the difference from the uniform distribution, which is 0 at both ends.
func difference(counts []int, n int) plotter.XYs {
	points := plotter.XYs{{X: 0, Y: 0}}
	for i, c := range counts {
		z := float64(i+1) / float64(len(counts)+1)
		points = append(points, plotter.XY{X: z, Y: float64(c)/float64(n) - z})
	}
	return append(points, plotter.XY{X: 1, Y: 0})
}
