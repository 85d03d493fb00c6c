package report

import (
	"bytes"
	"image/color"
	"regexp"
	"strconv"
	"strings"

	"github.com/DataDog/datadog-agent/pkg/template/html"

	"likc/runtime/fit/figure"
	"likc/search/study/sweep"
)

// chartWidth and chartHeight are the size of most charts, in pixels.
const chartWidth, chartHeight = 300, 240

// These are the page's colours, by the variables of its style, and strokes that belong to no series.
var (
	light   = lightColours()
	colours = []figure.Named{light["c0"], light["c1"], light["c2"], light["c3"], light["c4"], light["c5"]}
	scheme  = figure.Scheme{Title: light["ink"], Axis: light["soft"], Grid: light["rule"]}
	dashed  = figure.Stroke{Colour: light["soft"], Width: 1, Dashes: []float64{4, 3}}
	dotted  = figure.Stroke{Colour: light["soft"], Width: 1.2, Dashes: []float64{1, 3}}
)

var variable = regexp.MustCompile(`--([a-z0-9]+):#([0-9a-f]{6})`)

// lightColours reads the colours of the light scheme from the first line of the page's style.
func lightColours() map[string]figure.Named {
	all := map[string]figure.Named{}
	first, _, _ := strings.Cut(style, "\n")
	for _, m := range variable.FindAllStringSubmatch(first, -1) {
		rgb, _ := strconv.ParseUint(m[2], 16, 32) // the regular expression allows only hexadecimal digits
		all[m[1]] = figure.Named{Name: m[1], Light: color.NRGBA{R: uint8(rgb >> 16), G: uint8(rgb >> 8), B: uint8(rgb), A: 255}}
	}
	return all
}

// line returns the stroke of the i-th series.
func line(i int, width float64) figure.Stroke {
	return figure.Stroke{Colour: colours[i%len(colours)], Width: width}
}

// dot returns the spot of the i-th series.
func dot(i int, radius float64, says string) figure.Spot {
	return figure.Spot{Colour: colours[i%len(colours)].Faint(0.45), Radius: radius, Tooltip: says}
}

// named returns an axis with names at 0, 1, 2, ….
func named(label string, names []string) figure.Axis {
	return figure.Axis{Label: label, Low: -0.5, High: float64(len(names)) - 0.5, Names: names}
}

// inline returns a chart as SVG for the page.
func inline(c *figure.Chart, label string, width, height float64) template.HTML {
	var b strings.Builder
	if f, err := figure.Charts([]*figure.Chart{c}, 1, width, height); err == nil { // one chart always makes a figure
		f.WriteInline(&b, label)
	}
	return template.HTML(b.String())
}

// Picture is a plot in its own file.
type Picture struct {
	Name string // name of the file
	SVG  []byte
}

// Pictures returns the plots of a sweep: recovery against size, the shares that recover all parameters and each of them, and the
// search's estimate of recovery against the judge's.
func Pictures(s *sweep.Result) []Picture {
	all := plotSweep(s)
	if all == nil {
		return nil
	}
	out := []Picture{
		sideBySide("recovery-by-size.svg", append(all.bySize, key(all.legend))),
		sideBySide("recover-all.svg", []*figure.Chart{all.all}), // the axis says λ
		sideBySide("recover-each.svg", []*figure.Chart{all.each}),
	}
	if all.proxy != nil {
		out = append(out, sideBySide("proxy.svg", []*figure.Chart{all.proxy, key(all.legend)}))
	}
	return out
}

// key returns a chart that shows the colour of each series.
func key(names []legend) *figure.Chart {
	var entries []figure.Entry
	for i, l := range names {
		entries = append(entries, figure.Entry{Name: l.Text, Spot: &figure.Spot{Colour: colours[i%len(colours)], Radius: 4}})
	}
	return figure.Key("", entries, scheme)
}

// sideBySide returns charts side by side as a picture.
func sideBySide(name string, charts []*figure.Chart) Picture {
	var b bytes.Buffer
	if f, err := figure.Charts(charts, len(charts), chartWidth, chartHeight); err == nil { // there is always a chart
		f.WriteStandalone(&b)
	}
	return Picture{name, b.Bytes()}
}

// svgWidth is the width of an SVG in points.
var svgWidth = regexp.MustCompile(`<svg width="([0-9.]+)pt"`)

// isWide reports whether a figure needs the whole width of a page.
func isWide(svg []byte) bool {
	const half = 400 // points; two figures of this width stand side by side
	found := svgWidth.FindSubmatch(svg)
	if found == nil {
		return false
	}
	points, err := strconv.ParseFloat(string(found[1]), 64)
	return err == nil && points > half
}
