package expr_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"likc/compiler/expr"
)

// bounds are numbers at which functions change sign, have a kink or leave their domain, and some numbers between these.
var bounds = []float64{math.Inf(-1), -3, -2, -1.5, -1, -0.5, 0, 0.5, 1, 1.5, 2, 3, math.Inf(1)}

// randomInterval draws an interval that is not empty.
func randomInterval(rng *rand.Rand) expr.Interval {
	for {
		i, j := rng.IntN(len(bounds)), rng.IntN(len(bounds))
		x := expr.Interval{Lo: bounds[min(i, j)], Hi: bounds[max(i, j)]}
		if i == j && finite(x.Lo) {
			return x
		}
		if i != j {
			x.OpenLo, x.OpenHi = rng.IntN(2) == 0, rng.IntN(2) == 0
			return x
		}
	}
}

// within draws a number of x with magnitude at most 5, often one at or near a bound.
func within(x expr.Interval, rng *rand.Rand) float64 {
	lo, hi := math.Max(x.Lo, -5), math.Min(x.Hi, 5)
	v := lo + (hi-lo)*rng.Float64()
	switch rng.IntN(6) {
	case 0:
		v = lo
	case 1:
		v = hi
	case 2:
		v = lo + 1e-9
	case 3:
		v = hi - 1e-9
	}
	if v < lo || v > hi || v == x.Lo && x.OpenLo || v == x.Hi && x.OpenHi {
		return (lo + hi) / 2
	}
	return v
}

// TestRowsRange: every finite value of an operator at arguments in given intervals is in the operator's range, open bounds excluded.
func TestRowsRange(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	eachOp(t, func(t *testing.T, op expr.Op, info *expr.Info) {
		for range 20_000 {
			var x [3]expr.Interval
			var values [3]float64
			for i := range x {
				x[i] = randomInterval(rng)
				values[i] = within(x[i], rng)
			}
			v := info.Eval(values)
			if !finite(v) {
				continue
			}
			r := op.Range(x)
			rounding := 1e-15 * math.Abs(v)
			if v < r.Lo-rounding || v > r.Hi+rounding || v == r.Lo && r.OpenLo || v == r.Hi && r.OpenHi {
				t.Fatalf("%v%v = %v is outside the range %+v over %+v", op, values[:info.Arity], v, r, x[:info.Arity])
			}
		}
	})
}

// TestSatisfies: if an interval satisfies a requirement, each of its numbers does. If it does not, some number in it does not.
func TestSatisfies(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	for must := expr.NonZero; must <= expr.InUnit; must++ {
		for _, v := range violations[must] {
			if must.Holds(v) {
				t.Errorf("condition %d holds at %v", must, v)
			}
		}
		for _, v := range edges[must] {
			if !must.Holds(v) {
				t.Errorf("condition %d does not hold at %v", must, v)
			}
		}
		for range 10_000 {
			x := randomInterval(rng)
			v := within(x, rng)
			if x.Satisfies(must) && !must.Holds(v) {
				t.Fatalf("%+v satisfies condition %d, but %v does not", x, must, v)
			}
			counter := false
			for w := -4.0; w <= 4; w += 0.25 {
				counter = counter || expr.Point(w).Intersect(x) == expr.Point(w) && !must.Holds(w)
			}
			if !x.Satisfies(must) && !counter {
				t.Fatalf("%+v does not satisfy condition %d, but all its quarters do", x, must)
			}
		}
		if must.Holds(math.NaN()) {
			t.Errorf("condition %d holds for NaN", must)
		}
	}
}
