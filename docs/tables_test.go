package docs

import (
	"bytes"
	"image/color"
	"math"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"likc/runtime/fit/figure"
	"likc/search/study/recovery"
)

// TestTables: pages of evidence show figures that are drawn from their own tables; -update draws them again.
func TestTables(t *testing.T) {
	for file, of := range map[string]struct {
		page string
		draw func(t *testing.T, page string) *figure.Figure
	}{
		"coverage":         {"evidence/bias-and-coverage.md", func(t *testing.T, page string) *figure.Figure { return drawCoverage(t, page, 0, 90) }},
		"coverage-density": {"evidence/bias-and-coverage.md", func(t *testing.T, page string) *figure.Figure { return drawCoverage(t, page, 1, 300) }},
		"speed":            {"evidence/speed.md", drawSpeed},
		"weights":          {"evidence/searches.md", drawWeights},
		"predictions":      {"evidence/predictions.md", drawPredictions},
		"distances":        {"evidence/simulators.md", drawDistances},
	} {
		page := readAll(t, of.page)
		name := "figures/" + file + ".svg"
		if !strings.Contains(page, "](../"+name+")") {
			t.Errorf("%s does not show %s", of.page, name)
		}
		var b bytes.Buffer
		if err := of.draw(t, page).WriteStandalone(&b); err != nil {
			t.Fatal(err)
		}
		svg := themed(b.Bytes())
		if *update {
			if err := os.WriteFile(name, svg, 0o644); err != nil {
				t.Fatal(err)
			}
		} else if old, err := os.ReadFile(name); err != nil || runtime.GOARCH == "amd64" && !bytes.Equal(old, svg) {
			t.Errorf("%s is not the figure of the table (%v): draw it again with -update", name, err)
		}
	}
}

// dark changes the colours of the background, of titles and of axes where the reader prefers dark pages.
const dark = `<style>@media (prefers-color-scheme:dark){rect[fill="#fff"]{fill:#15181c}[fill="#282828"]{fill:#e7e9ec}[fill="#8c8c8c"]{fill:#a2a9b3}[stroke="#282828"]{stroke:#e7e9ec}}</style>`

// themed returns a figure that is light on light pages and dark on dark ones.
func themed(svg []byte) []byte {
	return bytes.Replace(svg, []byte("<rect"), []byte(dark+"<rect"), 1)
}

// tablesOf returns the rows of the tables of a page whose header begins with a cell, without that header and the line below it.
func tablesOf(page, first string) (all [][][]string, heads [][]string) {
	inside := false
	for line := range strings.Lines(page) {
		line = strings.TrimSpace(line)
		cells := strings.Split(strings.Trim(line, "|"), "|")
		for i := range cells {
			cells[i] = strings.Trim(strings.TrimSpace(cells[i]), "`")
		}
		switch {
		case !strings.HasPrefix(line, "|"):
			inside = false
		case !inside && cells[0] == first:
			inside, all, heads = true, append(all, nil), append(heads, cells)
		case inside && !strings.HasPrefix(cells[0], "---"):
			all[len(all)-1] = append(all[len(all)-1], cells)
		}
	}
	return all, heads
}

// drawCoverage draws the table number k of a page that comes after the word Coverage: a panel for each parameter, a dot for each row, and
// the band that contains the share of an honest posterior in 99 of 100 cases.
func drawCoverage(t *testing.T, page string, k, subjects int) *figure.Figure {
	t.Helper()
	parts := strings.Split(page, "**Coverage: ")
	if len(parts) < k+2 {
		t.Fatalf("the page has no table %d of coverage", k)
	}
	first := []string{"likelihood", "formula"}[k]
	tables, heads := tablesOf(parts[k+1], first)
	if len(tables) == 0 {
		t.Fatalf("no table of coverage begins with %s", first)
	}
	rows, head := tables[0], heads[0]
	start := slices.Index(head, "v")
	var names, blanks []string
	for _, r := range slices.Backward(rows) {
		names, blanks = append(names, strings.Join(r[:start], ", ")), append(blanks, "")
	}
	band := recovery.Band(subjects, 0.9)
	low, high := band.Low, band.High
	most := float64(len(rows)) - 0.4
	var charts []*figure.Chart
	for j, param := range head[start : start+4] {
		labels := names
		if j > 0 {
			labels = blanks
		}
		c := figure.NewChart(param, figure.Axis{Low: 0, High: 1}, figure.Axis{Low: -0.6, High: most, Names: labels}, scheme)
		c.Area([]float64{low, high}, []float64{most, most}, -0.6, color.NRGBA{0, 158, 115, 45})
		c.Line([]float64{0.9, 0.9}, []float64{-0.6, most}, dashed)
		for i, r := range slices.Backward(rows) {
			share := number(t, r[start+j])
			hue := hues[2]
			if share < low || share > high {
				hue = hues[1]
			}
			c.Spot(share, float64(len(rows)-1-i), figure.Spot{Colour: hue, Radius: 3.5, Tooltip: r[start+j]})
		}
		charts = append(charts, c)
	}
	return drawn(t, 190, 60+16*float64(len(rows)), charts...)
}

// drawn returns a figure of charts beside one another, each of the given width and height.
func drawn(t *testing.T, width, height float64, charts ...*figure.Chart) *figure.Figure {
	t.Helper()
	f, err := figure.Charts(charts, len(charts), width, height)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// drawSpeed draws the first table of the page of speed: time against trials, both logarithmic, a line for each row.
func drawSpeed(t *testing.T, page string) *figure.Figure {
	t.Helper()
	tables, heads := tablesOf(page, "")
	if len(tables) == 0 {
		t.Fatal("the page has no table of speed")
	}
	var trials []float64
	for _, text := range heads[0][1:] {
		trials = append(trials, number(t, strings.TrimSuffix(strings.ReplaceAll(text, ",", ""), " trials")))
	}
	last := trials[len(trials)-1]
	x := figure.Axis{Label: "trials", Low: trials[0], High: 200 * last, Log: true, Format: func(n float64) string { // names stand right of the lines
		if n > last {
			return ""
		}
		return strconv.FormatFloat(n, 'f', 0, 64)
	}}
	y := figure.Axis{Label: "time of value and gradient", Low: 3e-8, High: 1.1, Log: true, Format: timeText}
	chart := figure.NewChart("", x, y, scheme)
	for i, r := range tables[0] {
		var seconds []float64
		for _, cell := range r[1:] {
			seconds = append(seconds, secondsOf(t, cell))
		}
		hue := hues[i%len(hues)]
		chart.Line(trials, seconds, figure.Stroke{Colour: hue, Width: 1.6})
		chart.Text(1.2*last, seconds[len(seconds)-1], hue, r[0])
	}
	return drawn(t, 560, 400, chart)
}

// timeText writes a time with its unit.
func timeText(seconds float64) string {
	for _, u := range []struct {
		scale float64
		name  string
	}{{1, "s"}, {1e-3, "ms"}, {1e-6, "µs"}, {1e-9, "ns"}} {
		if seconds > 0.99*u.scale {
			return strconv.FormatFloat(math.Round(seconds/u.scale), 'f', -1, 64) + " " + u.name
		}
	}
	return ""
}

func number(t *testing.T, text string) float64 {
	t.Helper()
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// secondsOf reads a time such as 1.3 µs.
func secondsOf(t *testing.T, text string) float64 {
	t.Helper()
	digits, unit, _ := strings.Cut(text, " ")
	scale := map[string]float64{"ns": 1e-9, "µs": 1e-6, "ms": 1e-3, "s": 1}[unit]
	if scale == 0 {
		t.Fatalf("%q is no time", text)
	}
	return number(t, digits) * scale
}

// TestSpeedTable: the figures of the page are positive and finite, so that a logarithmic axis can show them.
func TestSpeedTable(t *testing.T) {
	tables, _ := tablesOf(readAll(t, "evidence/speed.md"), "")
	for _, r := range tables[0] {
		for _, cell := range r[1:] {
			if s := secondsOf(t, cell); !(s > 0) || math.IsInf(s, 0) {
				t.Errorf("%s: %s", r[0], cell)
			}
		}
	}
}
