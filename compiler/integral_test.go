package compiler

import (
	"math"
	"testing"
)

// convolution is the ex-Gaussian density as an integral over the exponential time, in units of its mean. The limits of the integral leave
// out times at which the normal density is negligible.
const convolution = `model convolution {
  trial rt
  param mu in [0, 0.5]
  param sigma in [0.1, 0.5]
  param tau in [0.1, 1]
  let middle = max(0, (rt - mu)/tau - (sigma/tau)^2)
  let width  = sigma/tau
  loglik = log(integral(e in [max(0, middle - 8*width), middle + 8*width]:
    exp(-e - ((rt - mu - tau*e)/sigma)^2/2)/(sigma*sqrt(2*3.141592653589793))))
}`

// TestIntegralAgreesWithClosedForm compares value and gradient of a compiled integral with those of the closed form. The tolerance of
// the value is that of the integral. The tolerance of a derivative is a hundred times as large.
func TestIntegralAgreesWithClosedForm(t *testing.T) {
	rt := []float64{0.1, 0.35, 0.6, 1.3, 2.9}
	_, program, tree := compileText(t, convolution, rt)
	_, closed, _ := compileText(t, exGaussian, rt)
	for _, theta := range [][]float64{{0.3, 0.12, 0.4}, {0.05, 0.4, 0.15}, {0.45, 0.2, 0.9}} {
		want := make([]float64, 3)
		value := closed.LogLikGrad(theta, want)
		for name, lik := range map[string]interface {
			LogLikGrad(theta, grad []float64) float64
		}{"tree": tree, "program": program} {
			got := make([]float64, 3)
			if v := lik.LogLikGrad(theta, got); !(math.Abs(v-value) < 1e-5*float64(len(rt))) {
				t.Errorf("%s at %v: %v, want %v", name, theta, v, value)
			}
			for j := range got {
				if !(math.Abs(got[j]-want[j]) < 1e-3) {
					t.Errorf("%s at %v: derivative %d is %v, want %v", name, theta, j, got[j], want[j])
				}
			}
		}
	}
}
