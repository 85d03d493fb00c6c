package loo

import (
	"context"
	"encoding/binary"
	"math"
	"slices"
	"testing"
)

// Log densities up to 1e100, or -Inf, give no NaN, and ELPD lies between the smallest and the largest of them.
func FuzzEstimate(f *testing.F) {
	f.Add([]byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}, uint8(50), uint8(2))
	f.Add(binary.LittleEndian.AppendUint64(nil, math.Float64bits(math.Inf(-1))), uint8(9), uint8(1))
	f.Add(binary.LittleEndian.AppendUint64(nil, math.Float64bits(1e100)), uint8(30), uint8(3))
	f.Fuzz(func(t *testing.T, data []byte, draws, chains uint8) {
		var x []float64
		for ; len(data) >= 8; data = data[8:] {
			v := math.Float64frombits(binary.LittleEndian.Uint64(data))
			if math.IsNaN(v) || v > 1e100 || v < -1e100 && !math.IsInf(v, -1) {
				v = float64(data[0])
			}
			x = append(x, v)
		}
		n := int(draws) + 2
		if len(x) == 0 || chains == 0 || n%int(chains) != 0 {
			return
		}
		for len(x) < n { // repeats values, some of them increased
			x = append(x, x[len(x)*7%n%len(x)]+float64(len(x)%3))
		}
		x = x[:n]
		lik, theta := values(x)
		r, err := Estimate(context.Background(), lik, theta, Settings{Chains: int(chains), Threads: 1})
		if err != nil {
			t.Fatal(err)
		}
		got, low, high := r.Trials[0], slices.Min(x), slices.Max(x)
		for _, v := range []float64{got.ELPD, got.P, got.K, got.ESS, got.REff, got.MCSE, got.WAIC, got.PWAIC, r.ELPD.Value, r.WAIC.Value} {
			if math.IsNaN(v) {
				t.Fatalf("%+v for %v", got, x)
			}
		}
		margin := 1e-9 * (1 + max(math.Abs(low), math.Abs(high)))
		if low < -1e300 {
			low, margin = math.Inf(-1), 0
		}
		if !(got.ELPD >= low-margin && got.ELPD <= high+margin) || !(got.ESS > 0) || !(got.PWAIC >= 0) {
			t.Fatalf("%+v for %v", got, x)
		}
	})
}
