package vec

import (
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"testing"

	"likc/runtime/num/isa"
)

// bigPow returns x^y for x > 0, and y·log(x). It computes exp(y·log(x)) as exp(near)·exp(rest), with a rest too small for its cube to matter.
func bigPow(x, y float64) (power *big.Float, near float64) {
	product := bigLog(exact(x), roughLog(x))
	product.Mul(product, exact(y))
	near, _ = product.Float64()
	rest := product.Sub(product, exact(near))
	square := new(big.Float).SetPrec(precision).Mul(rest, rest)
	factor := rest.Add(rest, square.Quo(square, exact(2)))
	power = bigExp(near)
	return power.Mul(power, factor.Add(factor, exact(1))), near
}

// truePow returns x^y. For large y, math.Pow multiplies so many powers of x that half of the digits are wrong; the portable kernel may do so too.
// For subnormal x it is wrong on amd64.
func truePow(x, y float64) float64 {
	power, size := math.Pow(x, y), math.Abs(x)
	easy := size > 1e-300 && (math.Abs(y) < 1000 || active == isa.Portable)
	if easy || math.IsNaN(power) || size == 0 || size == 1 || math.IsInf(x, 0) || !(math.Abs(y*roughLog(size)) < 760) {
		return power
	}
	right, _ := bigPow(size, y)
	magnitude, _ := right.Float64()
	return math.Copysign(magnitude, power)
}

// TestPowAccuracy compares powers with high precision. The kernels' logarithm has a relative error of 2^-55, which costs a quarter of an ulp for
// each unit of y·log(x), besides the error of the exponential.
func TestPowAccuracy(t *testing.T) {
	if testing.Short() {
		t.Skip("long under the race detector, for which it has nothing")
	}
	n := 5000
	if os.Getenv("LIKC_LONG") != "" {
		n = 100000
	}
	rng := rand.New(rand.NewPCG(51, 52))
	var x, y []float64
	for len(x) < n {
		base := math.Exp(4 * rng.NormFloat64())
		if rng.IntN(4) == 0 {
			base = math.Float64frombits(rng.Uint64() >> 1)
		}
		if rng.IntN(4) == 0 {
			base = 1 + math.Exp(-30*rng.Float64())*(rng.Float64()-0.5)
		}
		p := 1400*rng.Float64() - 700
		if rng.IntN(2) == 0 {
			p = 3 * rng.NormFloat64()
		}
		exponent := p / roughLog(base)
		if base > 0 && base != 1 && !math.IsInf(base, 1) && base == base && !math.IsInf(exponent, 0) {
			x, y = append(x, base), append(y, exponent)
		}
	}
	got := make([]float64, n)
	eachISA(t, func(t *testing.T) {
		if active == isa.Portable {
			t.Skip("math.Pow")
		}
		Pow(got, x, y)
		worst := 0.0
		for i := range x {
			want, p := bigPow(x[i], y[i])
			near, _ := want.Float64()
			miss, _ := want.Sub(want, exact(got[i])).Float64()
			ulps := math.Abs(miss) / ulp[float64](near)
			worst = max(worst, ulps/(1.5+math.Abs(p)/4))
			if !(ulps <= 1.5+math.Abs(p)/4) {
				t.Fatalf("%v^%v, y·log(x) = %v: %v ulp", x[i], y[i], p, ulps)
			}
		}
		t.Logf("at worst %.2f of the limit", worst)
	})
}
