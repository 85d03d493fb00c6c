package report

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"likc/runtime/num/statistic"
)

// TestExpectedCoverage: the mean probability between the 5 and 95 % quantiles of simulated draws is what the page of a formula prints.
func TestExpectedCoverage(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 1))
	for _, n := range []int{100, 400} {
		const times = 4000
		inside := 0.0
		for range times {
			draws := make([]float64, n)
			for i := range draws {
				draws[i] = random.Float64()
			}
			slices.Sort(draws)
			inside += (statistic.Quantile(draws, 0.95) - statistic.Quantile(draws, 0.05)) / times
		}
		if want := expectedCoverage(n); !(math.Abs(inside-want) < 0.002) { // 4 standard errors at 100 draws
			t.Errorf("%d draws: intervals contain %.4f, the page says %.4f", n, inside, want)
		}
	}
}

func TestPace(t *testing.T) {
	for want, d := range map[string]Distilled{"20 times as fast": {Gradient: 5, Other: 100}, "1.7 times as slow": {Gradient: 99, Other: 58}} {
		if got := d.Pace(); got != want {
			t.Errorf("a gradient of %v µs beside %v µs is %s, want %s", d.Gradient, d.Other, got, want)
		}
	}
}
