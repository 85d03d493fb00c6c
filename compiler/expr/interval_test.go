package expr

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestRangeHoldsValues draws intervals and points in them: every finite value must lie in the operator's range.
func TestRangeHoldsValues(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, op := range Ops() {
		if op.Info().Eval == nil {
			continue
		}
		finite := 0
		for range 3000 {
			var x [3]Interval
			var values [3]float64
			for i := range x {
				x[i], values[i] = randomInterval(rng)
			}
			v := op.Info().Eval(values)
			if math.IsNaN(v) || math.IsInf(v, 0) {
				continue
			}
			finite++
			// functions that saturate in floating point reach bounds that they do not reach in the reals
			if r := op.Range(x); v < r.Lo || v > r.Hi {
				t.Fatalf("%s of %v in %v is %v, not in %v", op, values, x, v, r)
			}
		}
		if finite < 300 {
			t.Errorf("%s: only %d finite values", op, finite)
		}
	}
}

func randomInterval(rng *rand.Rand) (Interval, float64) {
	bounds := []float64{math.Inf(-1), -3, -1, -0.5, 0, 0.25, 1, 2, math.Inf(1)}
	i := rng.IntN(len(bounds) - 1)
	j := i + 1 + rng.IntN(len(bounds)-1-i)
	x := Interval{bounds[i], bounds[j], rng.IntN(2) == 0, rng.IntN(2) == 0}
	lo, hi := math.Max(x.Lo, -6), math.Min(x.Hi, 6)
	v := lo + (hi-lo)*rng.Float64()
	if v == x.Lo || rng.IntN(8) == 0 && !x.OpenLo && !math.IsInf(x.Lo, 0) {
		x.OpenLo, v = false, lo
	}
	return x, v
}

func TestSatisfies(t *testing.T) {
	for _, c := range []struct {
		x    Interval
		must Must
		want bool
	}{
		{Above(0), Positive, true},
		{Above(0), NonZero, true},
		{Below(0), NonZero, true},
		{Interval{Lo: 0, Hi: 1}, NonZero, false},
		{Interval{Lo: 0, Hi: 1}, NonNegative, true},
		{Interval{Lo: 0, Hi: 1}, InUnit, false},
		{Interval{0, 1, true, true}, InUnit, true},
		{Reals, AboveMinus1, false},
		{Square.Range([3]Interval{Reals}), NonNegative, true},
		{Square.Range([3]Interval{Reals}), Positive, false},
		{Exp.Range([3]Interval{Reals}), Positive, true},
		{Add.Range([3]Interval{Point(1), {Lo: 0, Hi: 2}}), Positive, true},
		{Sub.Range([3]Interval{Point(1), {0, 1, true, true}}), InUnit, true},
		{Div.Range([3]Interval{Point(1), Above(0)}), Positive, true},
		{Div.Range([3]Interval{Point(1), Reals}), NonZero, false},
	} {
		if got := c.x.Satisfies(c.must); got != c.want {
			t.Errorf("%v satisfies %v: %v", c.x, c.must, got)
		}
	}
}
