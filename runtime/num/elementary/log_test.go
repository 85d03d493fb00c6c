package elementary

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The reference, math.Log, is exact to one unit in the last place.
func TestLogAgreesWithLog(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	worst := 0.0
	for range 300000 {
		for _, x := range []float64{1 + 15*rng.Float64(), 1 + 1e-3*(rng.Float64()-0.5), math.Exp(1400*rng.Float64() - 700)} {
			want := math.Log(x)
			worst = max(worst, math.Abs(Log(x)-want)/max(1, math.Abs(want)))
		}
	}
	if worst > 5e-16 {
		t.Errorf("largest error %v", worst)
	}
}

func TestLogOfWhatIsNotNormal(t *testing.T) {
	for _, x := range []float64{0, math.Copysign(0, -1), -1, math.Inf(1), math.Inf(-1), math.NaN(), 5e-324, 1e-310, 0x1p-1022, math.MaxFloat64} {
		got, want := Log(x), math.Log(x)
		if !(math.Abs(got-want) <= 1e-13) && got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
			t.Errorf("Log(%v) = %v, want %v", x, got, want)
		}
	}
}

func BenchmarkLog(b *testing.B) {
	x := 1.1
	for b.Loop() {
		sink += Log(x)
		x += 1e-7
	}
}

func BenchmarkMathLog(b *testing.B) {
	x := 1.1
	for b.Loop() {
		sink += math.Log(x)
		x += 1e-7
	}
}
