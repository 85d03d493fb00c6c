package quadrature

import (
	"math"
	"testing"
)

// legendre returns Legendre's polynomial of degree n at x, by Rodrigues's formula written out.
func legendre(n int, x float64) float64 {
	sum, binomial := 0.0, 1.0
	for k := range n + 1 {
		sum += binomial * binomial * math.Pow(x-1, float64(n-k)) * math.Pow(x+1, float64(k))
		binomial *= float64(n-k) / float64(k+1)
	}
	return sum / math.Pow(2, float64(n))
}

// panel returns the integral of a function over [from, to] and the estimate of its error by the rule.
func panel(f func(x float64) float64, from, to float64) (sum, off float64) {
	var values [PanelPoints]float64
	for i, x := range Panel.Points(nil, from, to) {
		values[i] = f(x)
	}
	sum, off = Panel.Integrate(&values)
	return sum * (to - from) / 2, off
}

// TestPanelOfPowers: 12 points integrate powers up to the 23rd exactly, and the 24th not.
func TestPanelOfPowers(t *testing.T) {
	for n := range 25 {
		power := func(x float64) float64 { return math.Pow(x, float64(n)) }
		want := (math.Pow(1.5, float64(n+1)) - math.Pow(-0.5, float64(n+1))) / float64(n+1)
		got, _ := panel(power, -0.5, 1.5)
		if exact := math.Abs(got-want) <= 1e-13*want; exact != (n < 24) {
			t.Errorf("power %d: %v, want %v", n, got, want)
		}
	}
}

// TestPanelError: the estimate for 1 + c·P, where P is one of Legendre's three highest polynomials, is (2c)²/2, and 0 for a lower one.
func TestPanelError(t *testing.T) {
	for n := range PanelPoints {
		_, off := panel(func(x float64) float64 { return 1 + 0.01*legendre(n, x) }, -1, 1)
		want := 0.0
		if n >= PanelPoints-3 {
			want = 2e-4
		}
		if !(math.Abs(off-want) <= 1e-15) {
			t.Errorf("degree %d: estimated error %v, want %v", n, off, want)
		}
	}
	if sum, off := panel(func(float64) float64 { return 0 }, 0, 1); sum != 0 || off != 0 {
		t.Errorf("the integral of 0 is %v with error %v", sum, off)
	}
}
