package spline

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"likc/runtime/num/isa"
)

// TestKernelsAgree compares the kernels that the processor has with portable Go, for every number of trials
// up to five registers. All trials are in the bin, or some are after its end. Sums are of terms with both
// signs, so errors are measured against the sum of the terms' sizes.
func TestKernelsAgree(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for _, out := range shapes(6) {
		c := NewCurve(6)
		c.Set(out)
		for k := range c.width {
			c.divide()
			first, last := c.times[k], c.times[k+1]
			var rt []float64
			for range 40 {
				rt = append(rt, 0.3+first+(last-first)*r.Float64())
			}
			slices.Sort(rt)
			for n := 1; n <= len(rt); n++ {
				for l := isa.AVX2; l <= isa.Best(); l++ {
					compareKernels(t, c, k, l, rt[:n], last)
					compareKernels(t, c, k, l, rt[:n], rt[n/2]-0.3)
				}
			}
		}
	}
}

func compareKernels(t *testing.T, c *Curve, k int, l isa.Level, rt []float64, end float64) {
	t.Helper()
	b := binNumbers{0.3, end, c.alpha, c.beta, c.piece(k)}
	sum := func(l isa.Level, rt []float64) (all []float64) {
		g, s := totals{}, Sums{}
		g.clear()
		taken := addBinBy(l, &b, &g, rt)
		squares, log := g.finish(&s)
		m := g.bin.moments
		return []float64{m.xi, m.xiXi, m.s, m.d0, m.d1, m.y, m.h, g.bin.tau, squares, s.alpha, s.beta, log, float64(taken)}
	}
	got, want, size := sum(l, rt), sum(isa.Portable, rt), make([]float64, 13)
	for i := range rt {
		for j, x := range sum(isa.Portable, rt[i:i+1]) {
			size[j] += math.Abs(x)
		}
	}
	for j := range got {
		if !(math.Abs(got[j]-want[j]) <= 1e-11*max(size[j], 1)) { // terms are differences of larger numbers
			t.Fatalf("%v, bin %d, %d trials: sum %d is %v, portable Go says %v", l, k, len(rt), j, got[j], want[j])
		}
	}
}

// TestLayout checks that fields have the offsets that kernels in assembly use.
func TestLayout(t *testing.T) {
	var b binNumbers
	var g totals
	for name, at := range map[string][2]uintptr{
		"d0": {unsafe.Offsetof(b.d0), 10 * 8}, "twiceOver": {unsafe.Offsetof(b.twiceOver), 14 * 8}, "tau": {unsafe.Offsetof(g.bin) + unsafe.Offsetof(g.bin.tau), 7 * 8},
		"squares": {unsafe.Offsetof(g.squares), 8 * 64}, "exponent": {unsafe.Offsetof(g.exponent), 12 * 64}, "totals": {unsafe.Sizeof(g), 13 * 64},
	} {
		if at[0] != at[1] {
			t.Errorf("%s at byte %d, the kernels want %d", name, at[0], at[1])
		}
	}
}
