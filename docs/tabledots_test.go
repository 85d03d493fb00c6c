package docs

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"likc/runtime/fit/figure"
)

// rowNames returns the first cells of rows from the last row up, as the names of a vertical axis.
func rowNames(rows [][]string) (names []string) {
	for _, r := range slices.Backward(rows) {
		names = append(names, r[0])
	}
	return names
}

// drawWeights draws the first table of the searches at several weights: for each weight, the share of formulas that recover all four
// parameters as a bar, and that of the paper as a bar below it.
func drawWeights(t *testing.T, page string) *figure.Figure {
	t.Helper()
	tables, heads := tablesOf(page, "λ")
	rows, here, paper := tables[0], slices.Index(heads[0], "recover all four"), slices.Index(heads[0], "the paper")
	top := float64(len(rows)) - 0.4
	c := figure.NewChart("", figure.Axis{Label: "formulas that recover all four parameters, %", Low: 0, High: 100},
		figure.Axis{Label: "weight λ", Low: -0.6, High: top, Names: rowNames(rows)}, scheme)
	for i, r := range slices.Backward(rows) {
		y := float64(len(rows) - 1 - i)
		for k, column := range []int{here, paper} {
			if r[column] == "" {
				continue
			}
			share, high := number(t, strings.TrimSuffix(r[column], " %")), y+0.3-0.3*float64(k)
			c.Area([]float64{0, share}, []float64{high, high}, high-0.27, hues[k])
		}
	}
	c.Text(52, 1.9, hues[0], "likc")
	c.Text(52, 1.5, hues[1], "the paper")
	return drawn(t, 480, 260, c)
}

// drawPredictions draws the first table of the page of predictions: a dot for each formula and each row of the table, and a line at the
// distance of two samples from the truth.
func drawPredictions(t *testing.T, page string) *figure.Figure {
	t.Helper()
	tables, heads := tablesOf(page, "")
	names := slices.Clone(heads[0][1:])
	slices.Reverse(names)
	chance := regexp.MustCompile(`the truth differ by (0\.[0-9]+)`).FindStringSubmatch(page)
	if chance == nil {
		t.Fatal("the page does not say how far two samples from the truth differ")
	}
	top := float64(len(names)) - 0.4
	c := figure.NewChart("", figure.Axis{Label: "median distance of Kolmogorov and Smirnov", Low: 0, High: 0.8},
		figure.Axis{Low: -0.6, High: top, Names: names}, scheme)
	at := number(t, chance[1])
	c.Line([]float64{at, at}, []float64{-0.6, top}, dashed)
	for k, r := range tables[0] {
		for j, cell := range r[1:] {
			if cell != "" {
				c.Spot(number(t, cell), float64(len(names)-1-j), figure.Spot{Colour: hues[k], Radius: 4, Tooltip: r[0] + ": " + cell})
			}
		}
		c.Text(0.55, 1.6-0.7*float64(k), hues[k], r[0])
	}
	return drawn(t, 480, 300, c)
}

// drawDistances draws the table of the distances between models and their simulators: a row for each kind of model, a dot for each model,
// and a line at the distance that chance hardly exceeds.
func drawDistances(t *testing.T, page string) *figure.Figure {
	t.Helper()
	tables, _ := tablesOf(page, "kind")
	rows := tables[0]
	chance := regexp.MustCompile(`Chance exceeds (0\.[0-9]+)`).FindStringSubmatch(page)
	if chance == nil {
		t.Fatal("the page does not say what chance exceeds")
	}
	limit, top := number(t, chance[1]), float64(len(rows))-0.4
	models := regexp.MustCompile("`?([a-z0-9_]+)`? (0\\.[0-9]+)")
	c := figure.NewChart("", figure.Axis{Label: "distance of Kolmogorov and Smirnov", Low: 0.001, High: 0.1, Log: true},
		figure.Axis{Low: -0.6, High: top, Names: rowNames(rows)}, scheme)
	c.Line([]float64{limit, limit}, []float64{-0.6, top}, dashed)
	for i, r := range slices.Backward(rows) {
		found := models.FindAllStringSubmatch(r[1], -1)
		if len(found) == 0 {
			t.Errorf("%s: no model with its distance", r[0])
		}
		slices.SortFunc(found, func(a, b []string) int { return cmp.Compare(a[2], b[2]) })
		for k, m := range found { // neighbours at different heights
			y := float64(len(rows)-1-i) + 0.2*float64(k%3-1)
			c.Spot(number(t, m[2]), y, figure.Spot{Colour: hues[0], Radius: 3, Tooltip: fmt.Sprintf("%s %s", m[1], m[2])})
		}
	}
	return drawn(t, 480, 60+45*float64(len(rows)), c)
}
