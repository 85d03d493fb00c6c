package figure

import (
	"bytes"
	"math"
	"strings"
	"testing"
)

// Panels with numbers are drawn, without those that are NaN. Without any panel, there is no figure.
func TestComparisons(t *testing.T) {
	full, empty := Comparison{Title: "shares", Share: true}, Comparison{Title: "nothing"}
	full.Add(0.1, 0.2, 0.3, 0.2, 0.4)
	full.Add(0.2, math.NaN(), 0.5, 0.4, 0.6)
	f, err := Comparisons([]Comparison{full, empty})
	if err != nil {
		t.Fatal(err)
	}
	var svg bytes.Buffer
	if err := f.WriteSVG(&svg); err != nil {
		t.Fatal(err)
	}
	text := svg.String()
	if !strings.Contains(text, "shares") || !strings.Contains(text, "observed") || strings.Contains(text, "nothing") || strings.Contains(text, "NaN") {
		t.Error("want one panel with a legend, and no NaN")
	}
	if f, err := Comparisons([]Comparison{empty}); f != nil || err != nil {
		t.Errorf("%v, %v: want no figure", f, err)
	}
}
