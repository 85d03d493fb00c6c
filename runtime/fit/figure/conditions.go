package figure

import (
	"cmp"
	"fmt"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"likc/runtime/num/statistic"
)

// Condition is the observed and predicted trials of one condition: response times in seconds, and choices, nil for a model
// without choice.
type Condition struct {
	Name                         string
	RT, Choice                   []float64
	PredictedRT, PredictedChoice []float64
	Band                         bool // see [Predicted]
}

// times returns the condition's signed times under a name.
func (c *Condition) times(name string) Predicted {
	return Predicted{Name: name, Seen: statistic.Signed(c.RT, c.Choice), Predicted: statistic.Signed(c.PredictedRT, c.PredictedChoice), Band: c.Band}
}

// Conditions draws a panel for each condition: observed response times as bars, predicted ones as a line, both with the sign of
// their choice. nameOf names the choices.
func Conditions(all []Condition, nameOf Naming) (*Figure, error) {
	var panels []*plot.Plot
	for _, c := range all {
		parts, err := predictions(c.times(fmt.Sprintf("%s: %d trials", c.Name, len(c.RT))), nameOf)
		if err != nil {
			return nil, err
		}
		panels = append(panels, parts...)
	}
	return grid(panels, 2, 2.6*vg.Inch, 2.2*vg.Inch)
}

// levels are the quantiles of response times that QuantileProbability draws.
var levels = []float64{0.1, 0.3, 0.5, 0.7, 0.9}

// fewest is the smallest number of trials of a response for which quantiles are drawn.
const fewest = 5

// quantileColumn is one response of one condition: how often it is given, and quantiles of its response times.
type quantileColumn struct {
	probability float64
	quantiles   []float64
}

// QuantileProbability draws, for every response in every condition, quantiles of its response times above the probability of the
// response. Observed quantiles are crosses. Predicted quantiles are circles, and a line joins those of each level. A response
// with fewer than 5 observed trials has no crosses.
func QuantileProbability(all []Condition) (*Figure, error) {
	p := panel("", "probability of the response", "response time (s)")
	var observed, predicted []quantileColumn
	choices := choicesOf(all)
	for _, c := range all {
		for _, choice := range choices {
			seen, expected := columnOf(c.RT, c.Choice, choice), columnOf(c.PredictedRT, c.PredictedChoice, choice)
			if seen != nil {
				observed = append(observed, *seen)
			}
			if expected != nil {
				predicted = append(predicted, *expected)
			}
		}
	}
	if len(observed) == 0 || len(predicted) == 0 {
		return nil, fmt.Errorf("figure: no response has %d trials to draw quantiles of", fewest)
	}
	slices.SortFunc(predicted, func(a, b quantileColumn) int { return cmp.Compare(a.probability, b.probability) })
	for k := range levels {
		line, circles, err := plotter.NewLinePoints(points(predicted, k))
		if err != nil {
			return nil, fmt.Errorf("figure: quantiles: %w", err)
		}
		line.Color, line.Width = faint(colours[5], 0.7), vg.Points(0.8)
		circles.GlyphStyle = draw.GlyphStyle{Color: colours[5], Radius: 2.6, Shape: draw.RingGlyph{}}
		crosses, err := plotter.NewScatter(points(observed, k))
		if err != nil {
			return nil, fmt.Errorf("figure: quantiles: %w", err)
		}
		crosses.GlyphStyle = draw.GlyphStyle{Color: colours[0], Radius: 3, Shape: draw.CrossGlyph{}}
		p.Add(line, circles, crosses)
		if k == 0 {
			p.Legend.Add("observed", crosses)
			p.Legend.Add("predicted", circles)
		}
	}
	p.X.Min, p.X.Max, p.Y.Min = 0, 1, 0
	legendAbove(p, 2, 3.6*vg.Inch)
	return grid([]*plot.Plot{p}, 1, 5.2*vg.Inch, 3.6*vg.Inch)
}

// choicesOf returns the choices of all conditions in ascending order. Without choices, all trials count as the response 1.
func choicesOf(all []Condition) []float64 {
	choices := []float64{1}
	for _, c := range all {
		choices = append(append(choices, c.Choice...), c.PredictedChoice...)
	}
	slices.Sort(choices)
	return slices.Compact(choices)
}

// points returns the k-th quantile of each column.
func points(columns []quantileColumn, k int) plotter.XYs {
	xy := make(plotter.XYs, len(columns))
	for i, c := range columns {
		xy[i] = plotter.XY{X: c.probability, Y: c.quantiles[k]}
	}
	return xy
}

// columnOf returns a response's column; nil if it has too few trials. Without choices, all trials count as the response 1.
func columnOf(rt, choices []float64, choice float64) *quantileColumn {
	var own []float64
	for i, x := range rt {
		if choices == nil && choice == 1 || choices != nil && choices[i] == choice {
			own = append(own, x)
		}
	}
	if len(own) < fewest {
		return nil
	}
	slices.Sort(own)
	c := &quantileColumn{probability: float64(len(own)) / float64(len(rt))}
	for _, level := range levels {
		c.quantiles = append(c.quantiles, statistic.Quantile(own, level))
	}
	return c
}
