package report

import (
	"fmt"
	"html"
	"html/template"
	"math"
	"strconv"
	"strings"
)

// chart is a plot in SVG. Colours are classes of the page's style, s0, s1, … for series, so that they follow its scheme.
type chart struct {
	title, x, y    string
	xRange, yRange [2]float64
	xTicks, yTicks []tick
	width, height  float64

	marks strings.Builder
}

// tick is a labelled place on an axis.
type tick struct {
	at   float64
	text string
}

// The margins around the panel, in pixels.
const (
	marginLeft, marginRight = 46.0, 10.0
	marginTop, marginBottom = 24.0, 40.0
)

func newChart(title, x, y string, xRange, yRange [2]float64) *chart {
	return &chart{title: title, x: x, y: y, xRange: xRange, yRange: yRange, width: 300, height: 240,
		xTicks: ticks(xRange), yTicks: ticks(yRange)}
}

// ticks are about five round numbers in a range.
func ticks(r [2]float64) []tick {
	step := math.Pow(10, math.Floor(math.Log10((r[1]-r[0])/4)))
	for _, m := range []float64{1, 2, 5, 10} {
		if (r[1]-r[0])/(step*m) <= 5.5 {
			step *= m
			break
		}
	}
	var out []tick
	for i := math.Ceil(r[0]/step - 1e-9); i*step <= r[1]+1e-9*step; i++ {
		at := i*step + 0 // no −0
		out = append(out, tick{at, strings.Replace(strconv.FormatFloat(at, 'g', 4, 64), "-", "−", 1)})
	}
	return out
}

// named are ticks at 0, 1, 2, …, and the range that they need.
func named(texts []string) (list []tick, r [2]float64) {
	for i, t := range texts {
		list = append(list, tick{float64(i), t})
	}
	return list, [2]float64{-0.5, float64(len(texts)) - 0.5}
}

func (c *chart) px(x float64) float64 {
	return marginLeft + (c.width-marginLeft-marginRight)*(x-c.xRange[0])/(c.xRange[1]-c.xRange[0])
}

func (c *chart) py(y float64) float64 {
	return c.height - marginBottom - (c.height-marginTop-marginBottom)*(y-c.yRange[0])/(c.yRange[1]-c.yRange[0])
}

// inside clips a value to a range.
func inside(x float64, r [2]float64) float64 { return math.Max(r[0], math.Min(r[1], x)) }

// dot marks a point and says in its tooltip what it is; points that are NaN are left out.
func (c *chart) dot(x, y, radius float64, class, says string) {
	if math.IsNaN(x) || math.IsNaN(y) {
		return
	}
	fmt.Fprintf(&c.marks, `<circle class="%s" cx="%.1f" cy="%.1f" r="%.1f"><title>%s</title></circle>`,
		class, c.px(inside(x, c.xRange)), c.py(inside(y, c.yRange)), radius, html.EscapeString(says))
}

// line joins points.
func (c *chart) line(class string, x, y []float64) {
	if len(x) == 0 {
		return
	}
	var b strings.Builder
	for i := range x {
		if !math.IsNaN(y[i]) {
			fmt.Fprintf(&b, "%.1f,%.1f ", c.px(inside(x[i], c.xRange)), c.py(inside(y[i], c.yRange)))
		}
	}
	fmt.Fprintf(&c.marks, `<polyline class="%s" points="%s"/>`, class, strings.TrimSpace(b.String()))
}

// text writes a word.
func (c *chart) text(x, y float64, class, word string) {
	fmt.Fprintf(&c.marks, `<text class="word %s" x="%.1f" y="%.1f">%s</text>`, class, c.px(x), c.py(y)+4, html.EscapeString(word))
}

// level draws a line across.
func (c *chart) level(class string, y float64) { c.line(class, c.xRange[:], []float64{y, y}) }

// svg is the whole picture.
func (c *chart) svg() template.HTML {
	return template.HTML(fmt.Sprintf(`<svg class="chart" viewBox="0 0 %.0f %.0f" role="img" aria-label="%s">%s</svg>`,
		c.width, c.height, html.EscapeString(c.title), c.body()))
}

// body is what stands in the picture.
func (c *chart) body() string {
	var b strings.Builder
	left, right, top, bottom := marginLeft, c.width-marginRight, marginTop, c.height-marginBottom
	for _, t := range c.yTicks {
		y := c.py(t.at)
		fmt.Fprintf(&b, `<path class="grid" d="M%.1f %.1fH%.1f"/><text class="tick" x="%.1f" y="%.1f" text-anchor="end">%s</text>`,
			left, y, right, left-6, y+3.5, html.EscapeString(t.text))
	}
	for _, t := range c.xTicks {
		fmt.Fprintf(&b, `<text class="tick" x="%.1f" y="%.1f" text-anchor="middle">%s</text>`, c.px(t.at), bottom+15, html.EscapeString(t.text))
	}
	fmt.Fprintf(&b, `<path class="axis" d="M%.1f %.1fV%.1fH%.1f"/>`, left, top, bottom, right)
	b.WriteString(c.marks.String())
	fmt.Fprintf(&b, `<text class="title" x="%.1f" y="14">%s</text>`, left, html.EscapeString(c.title))
	fmt.Fprintf(&b, `<text class="label" x="%.1f" y="%.1f" text-anchor="middle">%s</text>`, (left+right)/2, c.height-7, html.EscapeString(c.x))
	fmt.Fprintf(&b, `<text class="label" transform="translate(11 %.1f) rotate(-90)" text-anchor="middle">%s</text>`, (top+bottom)/2, html.EscapeString(c.y))
	return b.String()
}

// series is the class of the i-th series.
func series(i int) string { return "s" + strconv.Itoa(i%6) }
