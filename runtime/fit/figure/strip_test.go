package figure

import "testing"

func TestStrip(t *testing.T) {
	for _, c := range []struct {
		heights []float64
		columns int
		want    string
	}{
		{[]float64{0, 0.125, 0.5, 1}, 4, " ▁▄█"},
		{[]float64{0, 0.125, 0.5, 1, 0, 0.01}, 3, "▁█▁"},
	} {
		if got := Strip(c.heights, c.columns); got != c.want {
			t.Errorf("%v: %q, want %q", c.heights, got, c.want)
		}
	}
}
