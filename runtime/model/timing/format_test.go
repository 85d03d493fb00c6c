package timing

import (
	"math"
	"testing"
)

func TestDuration(t *testing.T) {
	for ns, want := range map[float64]string{
		0.5: "0.500 ns", 7: "7.00 ns", 9.999: "10.0 ns", 99.96: "100 ns", 999.4: "999 ns", 999.6: "1.00 us", 15e3: "15.0 us",
		2.7e6: "2.70 ms", 905e6: "905 ms", 1.144e9: "1.14 s", 3600e9: "3600 s",
	} {
		if got := Duration(ns); got != want {
			t.Errorf("%v ns prints as %s, want %s", ns, got, want)
		}
	}
	if got := Duration(math.NaN()); got != "-" {
		t.Errorf("a time that was not measured prints as %s", got)
	}
}

func TestRatio(t *testing.T) {
	for x, want := range map[float64]string{0.5: "0.500", 27: "27.0", 316.4: "316", 999.6: "1,000", 2_000_000: "2,000,000"} {
		if got := Ratio(x); got != want {
			t.Errorf("%v prints as %s, want %s", x, got, want)
		}
	}
}
