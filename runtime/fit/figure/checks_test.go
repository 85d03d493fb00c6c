package figure

import (
	"bytes"
	"strings"
	"testing"
)

// TestRankDifference draws one line and one band a parameter, and colours a line that leaves the band.
func TestRankDifference(t *testing.T) {
	low, high := []int{0, 1, 3}, []int{5, 7, 9}
	draw := func(inside bool) string {
		f, err := RankDifference([]Ranked{{Name: "v", Counts: []int{2, 5, 7}, Inside: inside, Note: "dispersion 1.02"}}, low, high, 10)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := f.WriteSVG(&b); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	if svg := draw(true); !strings.Contains(svg, "dispersion 1.02") || !strings.Contains(svg, "#0072B2") || strings.Contains(svg, "#D55E00") {
		t.Error("ranks within the band: want a blue line and the note")
	}
	if !strings.Contains(draw(false), "#D55E00") {
		t.Error("ranks outside the band: want a red line")
	}
	if _, err := RankDifference([]Ranked{{Name: "v", Counts: []int{1}}}, low, high, 10); err == nil {
		t.Error("counts of another length are no error")
	}
}

// TestDifference: the difference is zero at both ends.
func TestDifference(t *testing.T) {
	got := difference([]int{1, 1, 4}, 4)
	want := []float64{0, 0, -0.25, 0.25, 0}
	for i, p := range got {
		if p.Y != want[i] || p.X != float64(i)/4 {
			t.Errorf("point %d is %v, want %v, %v", i, p, float64(i)/4, want[i])
		}
	}
}

// TestPredictive draws a panel for each subject and one for distances.
func TestPredictive(t *testing.T) {
	subjects := []Predicted{{Name: "one", Seen: []float64{-0.5, 0.7}, Predicted: []float64{0.4, 0.9}}, {Name: "two", Seen: []float64{0.5, 0.7}, Predicted: []float64{0.4, -0.9}}}
	f, err := Predictive(subjects, []Distances{{"posterior", []float64{0.1, 0.2}, 0.15}})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := f.WriteSVG(&b); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"one", "two", "posterior, median 0.150"} {
		if !strings.Contains(b.String(), text) {
			t.Errorf("the figure does not say %q", text)
		}
	}
	if _, err := Predictive([]Predicted{{Name: "none"}}, nil); err == nil {
		t.Error("no response times are no error")
	}
}
