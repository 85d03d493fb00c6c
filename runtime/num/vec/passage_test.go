package vec

import (
	"math"
	"math/rand/v2"
	"testing"

	"likc/runtime/num/isa"
)

// TestPassage: on every instruction set the kernels and their derivatives are those of the formula and of its differences, for columns of any length.
func TestPassage(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 1))
	kernel := func(b, slope, rate, at, between, scale float64) float64 {
		d := b - at
		return rate * scale * math.Exp(-d*d/(2*between)) * (slope - d/between)
	}
	before := active
	defer func() { active = before }()
	for _, active = range []isa.Level{isa.Portable, isa.AVX2, isa.AVX512} {
		if active > isa.Best() {
			continue
		}
		for n := range 40 {
			p := Passages{}
			for _, column := range []*[]float64{&p.K, &p.Distance, &p.Clock, &p.At, &p.Inverse, &p.Scale, &p.Flux} {
				for range n {
					*column = append(*column, 0.5+r.Float64())
				}
			}
			b, slope, rate := 2*r.Float64(), r.Float64()-0.5, 0.5+r.Float64()
			var want, got [4]float64
			near := func(what string, got, want float64) {
				if !(math.Abs(got-want) <= 1e-6*max(1, math.Abs(want))) {
					t.Errorf("instruction set %v, %d sources: %s is %v, expected %v", active, n, what, got, want)
				}
			}
			got[0], got[1], got[2], got[3] = Passage(&p, b, slope, rate)
			for j, g := range p.Flux {
				const h = 1e-5
				between := 1 / p.Inverse[j]
				f := func(b, slope, at float64) float64 { // the factor goes as 1/√Δ
					return kernel(b, slope, rate, p.At[j], at, p.Scale[j]*math.Sqrt(between/at))
				}
				by := [4]float64{f(b, slope, between), (f(b, slope+h, between) - f(b, slope-h, between)) / (2 * h),
					(f(b+h, slope, between) - f(b-h, slope, between)) / (2 * h), (f(b, slope, between+h) - f(b, slope, between-h)) / (2 * h)}
				near("K", p.K[j], by[0])
				near("Distance", p.Distance[j], by[2]*g)
				near("Clock", p.Clock[j], by[3]*g)
				for i := range want {
					want[i] += by[i] * g
				}
			}
			for i := range want {
				near("a sum", got[i], want[i])
			}
			p.Clock = nil
			if k, bySlope, byDistance, byClock := Passage(&p, b, slope, rate); k != got[0] || bySlope != got[1] || byDistance != got[2] || byClock != 0 {
				t.Errorf("instruction set %v, %d sources: sums without the derivative by the clock differ", active, n)
			}
		}
	}
}
