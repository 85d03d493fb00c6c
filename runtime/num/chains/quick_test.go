package chains

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The quick R-hat is that of the definition, ties, constants and odd lengths included.
func TestQuickRhat(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range 300 {
		n, shift := 4+rng.IntN(120), float64(i%3)*rng.Float64()
		x := make([][]float64, 1+rng.IntN(4))
		for c := range x {
			for k := range n {
				v := rng.NormFloat64() + shift*float64(c)
				switch {
				case i%4 == 1:
					v = math.Round(v) // ties
				case i%4 == 2 && k > 0 && rng.Float64() < 0.4:
					v = x[c][k-1] // rejected proposals
				case i == 7:
					v = 3
				case i == 8 && k == 2:
					v = math.NaN()
				}
				x[c] = append(x[c], v)
			}
		}
		got, want := QuickRhat(x), Rhat(x)
		if !(math.IsNaN(got) && math.IsNaN(want)) && !(math.Abs(got-want) <= 1e-12) {
			t.Fatalf("case %d, %d chains of %d: R-hat %v, want %v", i, len(x), n, got, want)
		}
	}
}

func BenchmarkRhat(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	x := make([][]float64, 2)
	for c := range x {
		for range 500 {
			x[c] = append(x[c], rng.NormFloat64())
		}
	}
	b.Run("quick", func(b *testing.B) {
		for b.Loop() {
			QuickRhat(x)
		}
	})
	b.Run("defined", func(b *testing.B) {
		for b.Loop() {
			Rhat(x)
		}
	})
}
