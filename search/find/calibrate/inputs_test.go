package calibrate

import (
	"math"
	"testing"

	"likc/compiler/expr"
)

// Over the range of a parameter, the input goes from -1 to 1. It is 0 at the geometric middle if the parameter is a scale:
// positive, with a range that spans a factor of 4 or more, and not a probability.
func TestParametersAreScaled(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		scale     bool
	}{{0.5, 2, true}, {0.5, 1.99, false}, {0.25, 1, false}, {0.2, 1.5, true}, {0, 10, false}, {-1, 8, false}, {3, 20, true}, {3, 11, false}} {
		p := &expr.Param{Name: "p", Lower: c.low, Upper: c.high}
		middle := (c.low + c.high) / 2
		if c.scale {
			middle = math.Sqrt(c.low * c.high)
		}
		for x, want := range map[float64]float64{c.low: -1, c.high: 1, middle: 0} {
			got, _ := expr.NewTape([]string{"p"}, plain(p)).Eval(nil, []float64{x})
			if !(math.Abs(got[0]-want) <= 2e-3) { // numbers of the formula have four digits
				t.Errorf("from %v to %v: %v at %v, want %v", c.low, c.high, got[0], x, want)
			}
		}
	}
}
