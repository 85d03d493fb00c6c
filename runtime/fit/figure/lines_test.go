package figure

import (
	"bytes"
	"math"
	"testing"
)

// TestLines: a line is drawn through its finite points. The same numbers give the same bytes, and other numbers give others.
func TestLines(t *testing.T) {
	draw := func(y ...float64) []byte {
		x := make([]float64, len(y))
		for i := range x {
			x[i] = float64(i)
		}
		f, err := Lines([]Panel{{Title: "loss", X: "epoch", Y: "loss", Lines: []Line{{Name: "training", X: x, Y: y}}, Diagonal: true}}, 2)
		return svg(t, f, err)
	}
	first := draw(3, 2, 1, 0.5)
	if !bytes.Equal(first, draw(3, 2, 1, 0.5)) {
		t.Error("the same numbers give other bytes")
	}
	if bytes.Equal(first, draw(3, 2, 1, 0.6)) {
		t.Error("other numbers give the same bytes")
	}
	if holed := draw(3, math.NaN(), math.Inf(1), 0.5); bytes.Contains(holed, []byte("NaN")) || bytes.Contains(holed, []byte("Inf")) {
		t.Error("a point that is not finite was drawn")
	}
	if _, err := Lines(nil, 2); err == nil {
		t.Error("no panels, and no error")
	}
}

// TestManyTimes: there is a panel for each parameter vector, or for each of three choices. It is an error if there is nothing to
// draw.
func TestManyTimes(t *testing.T) {
	times := Times{Title: "v 1", RT: []float64{0.5, 0.7, 1}, Choice: []float64{1, -1, 1}, PredictedRT: []float64{0.6, 0.8}, PredictedChoice: []float64{1, -1}}
	f, err := ManyTimes([]Times{times, times}, 3)
	if n := bytes.Count(svg(t, f, err), []byte(">v 1<")); n != 2 {
		t.Errorf("%d titles, want 2", n)
	}
	race := Times{Title: "v0 1", RT: []float64{0.5, 0.7, 1}, Choice: []float64{0, 2, 1}, PredictedRT: []float64{0.6, 0.8}, PredictedChoice: []float64{1, 0}}
	f, err = ManyTimes([]Times{race}, 3)
	if n := bytes.Count(svg(t, f, err), []byte(">v0 1, choice ")); n != 3 {
		t.Errorf("%d panels of three choices", n)
	}
	times.PredictedRT = nil
	if _, err := ManyTimes([]Times{times}, 3); err == nil {
		t.Error("no predictions, and no error")
	}
}
