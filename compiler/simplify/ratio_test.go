package simplify

import "testing"

// TestRootsOfRatios: the root of a ratio is returned only if the roots of numerator and denominator are exact.
func TestRootsOfRatios(t *testing.T) {
	for _, c := range []struct {
		of    ratio
		q     float64
		want  ratio
		exact bool
	}{
		{ratio{4, 9}, 0.5, ratio{2, 3}, true},
		{ratio{16, 625}, 0.25, ratio{2, 5}, true},
		{ratio{9, 4}, 1.5, ratio{}, false}, // 3.3750000000000004
		{ratio{2, 9}, 0.5, ratio{}, false},
		{ratio{4, 3}, 0.5, ratio{}, false},
		{ratio{5, 7}, 0.5, ratio{}, false},
	} {
		got, exact := c.of.root(c.q)
		if exact != c.exact || exact && got.value() != c.want.value() {
			t.Errorf("%v^%v is %v, exact %v", c.of, c.q, got, exact)
		}
	}
}

// TestCommonDivisors: whole numbers that float64 holds exactly have a common divisor; for other numbers it is 1.
func TestCommonDivisors(t *testing.T) {
	const large = 1 << 53
	for _, c := range [][3]float64{{12, 18, 6}, {-12, 18, 6}, {7, 5, 1}, {1.5, 3, 1}, {3, 1.5, 1}, {large, 2, 1}, {2, large, 1}, {large - 2, 2, 2}, {5, 0, 5}} {
		if got := commonDivisor(c[0], c[1]); got != c[2] {
			t.Errorf("of %v and %v: %v, want %v", c[0], c[1], got, c[2])
		}
	}
}

// TestRatiosReduce: a ratio becomes a single number only if its quotient is exact.
func TestRatiosReduce(t *testing.T) {
	for _, c := range []struct{ from, want ratio }{
		{ratio{6, 4}, ratio{1.5, 1}}, {ratio{6, 9}, ratio{2, 3}}, {ratio{1, 3}, ratio{1, 3}}, {ratio{7, 1}, ratio{7, 1}}, {ratio{0.5, 3}, ratio{0.5, 3}},
	} {
		if got := c.from.reduced(); got != c.want {
			t.Errorf("%v reduces to %v, want %v", c.from, got, c.want)
		}
	}
}
