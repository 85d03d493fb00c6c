package vec

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestReciprocalOfAnyEstimate checks divisions by Newton steps, which logarithms and generated kernels use in
// AVX-512. Processors may give different estimates to start from, but all have the relative error documented
// for VRCP14PD. From every such estimate, two steps end within 0.63 ulp of 1/x. So the accuracy tests hold
// for all processors.
func TestReciprocalOfAnyEstimate(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 1))
	worst := 0.0
	for range 200000 {
		x := 1 + r.Float64()
		for _, e := range []float64{0x1p-14, -0x1p-14, 0x1p-14 * (2*r.Float64() - 1)} {
			y := (1 + e) / x
			for range 2 {
				y = math.FMA(math.FMA(-x, y, 1), y, y)
			}
			ulp := math.Nextafter(y, 2) - y
			worst = max(worst, math.Abs(math.FMA(-x, y, 1))/x/ulp)
		}
	}
	if worst > 0.63 {
		t.Errorf("1/x is off by %v ulp", worst)
	}
}

// TestReciprocalOfAnyEstimate32 checks the same for one step in single precision.
func TestReciprocalOfAnyEstimate32(t *testing.T) {
	fma := func(x, y, z float32) float32 { return float32(math.FMA(float64(x), float64(y), float64(z))) }
	worst := 0.0
	for i := range 1 << 20 {
		x := 1 + float32(i)/(1<<20)
		for _, e := range []float64{0x1p-14, 0, -0x1p-14} {
			y := float32((1 + e) / float64(x))
			y = fma(fma(-x, y, 1), y, y)
			ulp := float64(math.Nextafter32(y, 2) - y)
			worst = max(worst, math.Abs(float64(y)-1/float64(x))/ulp)
		}
	}
	if worst > 0.57 {
		t.Errorf("1/x is off by %v ulp", worst)
	}
}
