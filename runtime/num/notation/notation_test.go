package notation

import (
	"math"
	"testing"
)

func TestCount(t *testing.T) {
	for n, want := range map[int]string{0: "0 chains", 1: "1 chain", 2: "2 chains"} {
		if got := Count(n, "chain"); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}

func TestFigure(t *testing.T) {
	type named float64
	for _, c := range []struct{ got, want string }{
		{Figure("%.2f", 1.234), "1.23"}, {Figure("%+.1f%%", named(2)), "+2.0%"}, {Figure("%.2f", math.NaN()), "-"}, {Figure("%g", math.Inf(1)), "+Inf"},
	} {
		if c.got != c.want {
			t.Errorf("%s, want %s", c.got, c.want)
		}
	}
}
