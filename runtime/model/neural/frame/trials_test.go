package frame

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSides(t *testing.T) {
	sides, err := Sides([]float64{1, -1}, []float64{0.7, 0.5, 0.6}, []float64{1, -1, 1}, math.MaxFloat64)
	if want := [][]float64{{0.6, 0.7}, {0.5}}; err != nil || !cmp.Equal(sides, want) {
		t.Errorf("%v, %v; want %v", sides, err, want)
	}
	for _, c := range []struct {
		rt, choice []float64
		want       string
	}{
		{[]float64{1}, nil, "bind trials: 1 response times but 0 choices"},
		{[]float64{1, 0}, []float64{1, 1}, "trial 2: rt 0 is not positive and finite"},
		{[]float64{math.NaN()}, []float64{1}, "trial 1: rt NaN is not positive and finite"},
		{[]float64{1e39}, []float64{1}, "trial 1: rt 1e+39 is not positive and finite"},
		{[]float64{1}, []float64{0}, "trial 1: choice 0 is neither 1 nor -1"},
	} {
		if _, err := Sides([]float64{1, -1}, c.rt, c.choice, math.MaxFloat32); err == nil || err.Error() != c.want {
			t.Errorf("%v with %v: %v, want %s", c.rt, c.choice, err, c.want)
		}
	}
	numbers := []float64{0, 1, 2}
	sides, err = Sides(numbers, []float64{0.7, 0.5, 0.6}, []float64{2, 0, 2}, math.MaxFloat64)
	if want := [][]float64{{0.5}, nil, {0.6, 0.7}}; err != nil || !cmp.Equal(sides, want) {
		t.Errorf("%v, %v; want %v", sides, err, want)
	}
	if _, err := Sides(numbers, []float64{1}, []float64{3}, 9); err == nil || err.Error() != "trial 1: choice 3 is none of 0 to 2" {
		t.Errorf("choice 3 of three: %v", err)
	}
}
