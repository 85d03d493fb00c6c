package gauss

import (
	"math"
	"testing"
)

// A rule of n points is exact for polynomials up to the degree 2n-1.
func TestRuleIsExact(t *testing.T) {
	for n := 1; n <= 12; n++ {
		for _, degree := range []int{0, 1, n, 2*n - 1} {
			power := func(x float64) float64 { return math.Pow(x, float64(degree)) }
			want := (math.Pow(3, float64(degree+1)) - math.Pow(0.5, float64(degree+1))) / float64(degree+1)
			if got := New(n).On(power, 0.5, 3); !(math.Abs(got-want) <= 1e-13*want) {
				t.Errorf("%d points, degree %d: %v, want %v", n, degree, got, want)
			}
		}
	}
}

// Adaptive quadrature integrates a narrow peak, and uses up its halvings if it does not converge.
func TestAdaptive(t *testing.T) {
	peak := func(x float64) float64 { return 1 / (1e-6 + (x-0.3)*(x-0.3)) }
	left := 1000
	got, want := Adaptive(peak, 0, 1, Eight.On(peak, 0, 1), 1e-8, &left), 1e3*(math.Atan(700)+math.Atan(300))
	if !(math.Abs(got-want) < 1e-6) || left < 900 {
		t.Errorf("%v, want %v; %d of 1000 halvings are left", got, want, left)
	}
	pole := func(x float64) float64 { return 1 / x }
	if Adaptive(pole, 0, 1, Eight.On(pole, 0, 1), 1e-8, &left); left >= 0 {
		t.Errorf("%d halvings are left of an integral that is infinite", left)
	}
	undefined := func(x float64) float64 { return math.Sqrt(x - 0.5) }
	if left = 10; !math.IsNaN(Adaptive(undefined, 0, 1, 0, 1e-8, &left)) || left != 10 {
		t.Errorf("an undefined integrand: %d of 10 halvings are left", left)
	}
}
