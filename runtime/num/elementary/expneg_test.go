package elementary

import (
	"math"
	"testing"
)

func TestExpNegAgreesWithExp(t *testing.T) {
	worst := 0.0
	for i := range 200000 {
		x := float64(i) * float64(i) * 1.7e-8
		worst = max(worst, math.Abs(ExpNeg(x)/math.Exp(-x)-1))
	}
	if worst > 5e-16 {
		t.Errorf("largest relative error %v", worst)
	}
	for x, want := range map[float64]float64{0: 1, 701: 0, math.Inf(1): 0} {
		if got := ExpNeg(x); got != want {
			t.Errorf("ExpNeg(%v) = %v, want %v", x, got, want)
		}
	}
	if got := ExpNeg(math.NaN()); !math.IsNaN(got) {
		t.Errorf("ExpNeg(NaN) = %v", got)
	}
}

var sink float64

func BenchmarkExpNeg(b *testing.B) {
	x := 0.1
	for b.Loop() {
		sink += ExpNeg(x)
		x += 1e-7
	}
}
func BenchmarkExp(b *testing.B) {
	x := 0.1
	for b.Loop() {
		sink += math.Exp(-x)
		x += 1e-7
	}
}
