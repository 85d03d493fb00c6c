package figure

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image/color"
	"io"
	"math"
	"strings"
	"testing"
)

func TestTicks(t *testing.T) {
	for _, c := range []struct {
		axis Axis
		want string
	}{
		{Axis{High: 50}, "0 10 20 30 40 50"},
		{Axis{Low: -0.25, High: 1}, "0 0.5 1"},
		{Axis{Low: -3, High: 3}, "−2 0 2"},
		{Axis{High: 0.05}, "0 0.01 0.02 0.03 0.04 0.05"},
		{Axis{Low: 1.1, High: 1.3}, "1.1 1.15 1.2 1.25 1.3"},
		{Axis{Low: 1.09, High: 1.31}, "1.1 1.15 1.2 1.25 1.3"},
		{Axis{Low: 12340, High: 12345}, "12340 12341 12342 12343 12344 12345"},
		{Axis{Low: -0.03, High: 0.02}, "−0.03 −0.02 −0.01 0 0.01 0.02"},
		{Axis{Low: 27, High: 1.1e4, Log: true}, "100 1000 1e+04"},
		{Axis{Low: 1, High: 100, Log: true, Format: func(x float64) string { return strings.Repeat("x", 1+int(math.Log10(x))) }}, "x xx xxx"},
		{Axis{Low: -0.5, High: 1.5, Names: []string{"0.3", "1"}}, "0.3 1"},
	} {
		var got []string
		for _, k := range c.axis.ticks() {
			got = append(got, k.Label)
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("ticks of %+v: %s, want %s", c.axis, s, c.want)
		}
	}
}

// TestPanelTicks: the figures of fits have round ticks too, also if an axis spans two neighbouring numbers or all numbers.
func TestPanelTicks(t *testing.T) {
	p := panel("", "a", "density")
	var got []string
	for _, k := range p.X.Tick.Marker.Ticks(1.098, 1.302) {
		got = append(got, k.Label)
	}
	if want := "1.1 1.15 1.2 1.25 1.3"; strings.Join(got, " ") != want {
		t.Errorf("ticks %q, want %s", got, want)
	}
	for _, low := range []float64{1e20, 1, math.MaxFloat64 / 2, -math.MaxFloat64} {
		if n := len(p.X.Tick.Marker.Ticks(low, math.Nextafter(low, math.Inf(1)))); n > 7 {
			t.Errorf("%d ticks at %v", n, low)
		}
	}
	if n := len(p.X.Tick.Marker.Ticks(-math.MaxFloat64, math.MaxFloat64)); n > 7 {
		t.Errorf("%d ticks of the widest axis", n)
	}
}

func charted(t *testing.T) *Figure {
	t.Helper()
	red := Named{"c1", color.NRGBA{255, 0, 0, 255}}
	black := Scheme{color.Black, color.Black, color.Black}
	c := NewChart("title & more", Axis{Label: "x", High: 10}, Axis{Label: "y", High: 1}, black)
	c.Line([]float64{0, 5, 10}, []float64{0, math.NaN(), 1}, Stroke{Colour: red, Width: 1, Dashes: []float64{4, 3}})
	c.Spot(5, 0.5, Spot{Colour: red.Faint(0.45), Radius: 2, Tooltip: "a < b"})
	c.Spot(5, 7, Spot{Colour: red, Radius: 2})
	c.Spot(math.NaN(), 0.5, Spot{Colour: red, Radius: 2, Tooltip: "nowhere"})
	c.Spot(1, 0.1, Spot{Shape: Square, Colour: red, Radius: 2})
	c.Text(9, 0.5, red, "word")
	f, err := Charts([]*Chart{c, Key("key", []Entry{{Name: "line", Line: &Stroke{Colour: red, Width: 1}}}, black)}, 2, 300, 240)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestInline: the element for a page is well-formed XML. It has named colours by their names, and tooltips for points that have
// one. Points outside the axes are triangles at the nearest end, and points at NaN are not drawn.
func TestInline(t *testing.T) {
	var b bytes.Buffer
	if err := charted(t).WriteInline(&b, `a "label"`); err != nil {
		t.Fatal(err)
	}
	wellFormed(t, b.Bytes())
	for text, count := range map[string]int{"<circle": 1, "Z\" fill=\"var(--c1)\"": 1, "<title>a &lt; b</title>": 1, "<title>": 1, `fill="var(--c1)" fill-opacity="0.45"`: 1,
		`stroke-dasharray="4 3"`: 1, "title &amp; more": 1, `aria-label="a &#34;label&#34;"`: 1, ">word<": 1, ">line<": 1, "#ff0000": 0} {
		if got := strings.Count(b.String(), text); got != count {
			t.Errorf("%s: %d times, want %d, in\n%s", text, got, count, b.String())
		}
	}
}

// TestStandalone: a figure in its own file has no variables of a page.
func TestStandalone(t *testing.T) {
	var b bytes.Buffer
	if err := charted(t).WriteStandalone(&b); err != nil {
		t.Fatal(err)
	}
	wellFormed(t, b.Bytes())
	if s := b.String(); strings.Contains(s, "var(") || !strings.Contains(s, `fill="#ff0000" fill-opacity="0.45"`) || !strings.Contains(s, `width="600"`) {
		t.Error(s)
	}
}

func wellFormed(t *testing.T, text []byte) {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(text))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
	}
}

// TestArea: an area lies between the line and its base. Without points, nothing is drawn.
func TestArea(t *testing.T) {
	shape := func(x, y []float64) string {
		c := NewChart("", Axis{High: 1}, Axis{High: 1}, Scheme{Axis: color.Black, Title: color.Black, Grid: color.RGBA{}})
		c.Area(x, y, 0.5, color.NRGBA{1, 2, 3, 255})
		f, err := Charts([]*Chart{c}, 1, 100, 100)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := f.WriteStandalone(&b); err != nil {
			t.Fatal(err)
		}
		before, _, drawn := strings.Cut(b.String(), ` fill="#010203"`)
		if !drawn {
			return ""
		}
		return before[strings.LastIndex(before, "<path"):]
	}
	if shape(nil, nil) != "" {
		t.Error("an area without points is drawn")
	}
	if shape([]float64{0, 1}, []float64{1, 1}) == shape([]float64{0, 1}, []float64{0, 0}) || shape([]float64{0, 1}, []float64{1, 1}) == "" {
		t.Error("areas above and below the base are the same")
	}
	if shape([]float64{0, 0.5, 1}, []float64{1, math.NaN(), 1}) != shape([]float64{0, 1}, []float64{1, 1}) {
		t.Error("a point without a height is drawn")
	}
}
