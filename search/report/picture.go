package report

import (
	"bytes"
	"fmt"
	"html"
	"regexp"
	"strings"

	"likc/search/sweep"
)

// Picture is a plot as a file of its own.
type Picture struct {
	Name string // of the file
	SVG  []byte
}

// Pictures are the plots of a sweep: recovery against size, the shares that recover all parameters and each, and the search's
// own figure against the judge's.
func Pictures(s *sweep.Result) []Picture {
	all := plotSweep(s)
	if all == nil {
		return nil
	}
	var out []Picture
	add := func(name string, names []legend, charts ...*chart) {
		if len(charts) > 0 && charts[0] != nil {
			out = append(out, Picture{name, standing(names, charts)})
		}
	}
	add("recovery-by-size.svg", all.legend, all.bySize...)
	add("recover-all.svg", nil, all.all) // the axis says λ
	add("recover-each.svg", nil, all.each)
	add("proxy.svg", all.legend, all.proxy)
	return out
}

// standing puts charts beside each other in a picture that needs no page: its colours are the page's on white.
func standing(names []legend, charts []*chart) []byte {
	head := 22.0
	if len(names) == 0 {
		head = 0
	}
	var b bytes.Buffer
	width, height := 0.0, 0.0
	for _, c := range charts {
		width, height = width+c.width, max(height, c.height)
	}
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" class="chart" viewBox="0 0 %.0f %.0f" width="%.0f" height="%.0f"><style>%s</style>`,
		width, height+head, width, height+head, plainStyle())
	fmt.Fprintf(&b, `<rect width="%.0f" height="%.0f" fill="#fff"/>`, width, height+head)
	x := marginLeft
	for _, l := range names {
		fmt.Fprintf(&b, `<circle class="point %s" cx="%.0f" cy="11" r="4"/><text class="tick" x="%.0f" y="15">%s</text>`, l.Class, x, x+8, html.EscapeString(l.Text))
		x += 52
	}
	x = 0
	for _, c := range charts {
		fmt.Fprintf(&b, `<g transform="translate(%.0f %.0f)">%s</g>`, x, head, c.body())
		x += c.width
	}
	b.WriteString("</svg>\n")
	return b.Bytes()
}

var variable = regexp.MustCompile(`--([a-z0-9]+):([^;}]+)`)

// plainStyle is the page's style of charts, with the values of its light scheme in place of variables.
func plainStyle() string {
	light, _, _ := strings.Cut(style, "\n")
	values := []string{}
	for _, m := range variable.FindAllStringSubmatch(light, -1) {
		values = append(values, "var(--"+m[1]+")", m[2])
	}
	out := "text{font-family:sans-serif}"
	for _, line := range strings.Split(style, "\n") {
		if strings.HasPrefix(line, ".chart ") {
			out += line
		}
	}
	return strings.NewReplacer(values...).Replace(out)
}
