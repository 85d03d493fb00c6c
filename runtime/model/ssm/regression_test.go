package ssm

import (
	"math"
	"math/rand/v2"
	"testing"

	"likc/runtime/model/kernel"
)

// regressionTrials returns trials with repeated response times, and covariates of which two are indicator variables.
func regressionTrials(n int) (rt, choice []float64, drifts *kernel.Combinations) {
	rng := rand.New(rand.NewPCG(3, 9))
	drifts = &kernel.Combinations{Columns: 4}
	for i := range n {
		rt = append(rt, 0.4+0.01*float64(rng.IntN(60)))
		choice = append(choice, float64(2*rng.IntN(2)-1))
		group := float64(i % 2)
		drifts.Append([]int{0, 3, 2, 1}, []float64{1, 1 - group, group, rng.NormFloat64()})
	}
	return rt, choice, drifts
}

// The log-likelihood of the regression is the sum of the log densities of single trials, each with its own
// drift, and its gradient agrees with numerical derivatives.
func TestRegression(t *testing.T) {
	rt, choice, drifts := regressionTrials(200)
	r, err := NewRegression(rt, choice, drifts)
	if err != nil {
		t.Fatal(err)
	}
	theta := []float64{0.7, -0.3, 0.2, -0.4, 1.1, 0.45, 0.25}
	want := 0.0
	for i := range rt {
		v := drifts.At(i, theta[:4])
		want += DDM.LogDensity(rt[i], choice[i], []float64{v, theta[4], theta[5], theta[6]})
	}
	grad := make([]float64, r.Dim())
	got := r.LogLikGrad(theta, grad)
	if math.Abs(got-want) > 1e-10*math.Abs(want) || got != r.LogLik(theta) {
		t.Errorf("log-likelihood %v, alone %v, of single trials %v", got, r.LogLik(theta), want)
	}
	for k := range theta {
		const h = 1e-5
		at := append([]float64(nil), theta...)
		at[k] = theta[k] + h
		high := r.LogLik(at)
		at[k] = theta[k] - h
		if slope := (high - r.LogLik(at)) / (2 * h); math.Abs(slope-grad[k]) > 1e-5*(1+math.Abs(slope)) {
			t.Errorf("derivative %d: %v, by differences %v", k, grad[k], slope)
		}
	}
}

// Outside the support the log-likelihood is -Inf and the gradient zero.
func TestRegressionOutsideSupport(t *testing.T) {
	rt, choice, drifts := regressionTrials(50)
	r, err := NewRegression(rt, choice, drifts)
	if err != nil {
		t.Fatal(err)
	}
	for _, theta := range [][]float64{{1, 0, 0, 0, 1, 0.5, 0.9}, {1, 0, 0, 0, -1, 0.5, 0.2}, {1, 0, 0, 0, 1, 1, 0.2}, {math.Inf(1), 0, 0, 0, 1, 0.5, 0.2}} {
		grad := []float64{1, 1, 1, 1, 1, 1, 1}
		if got := r.LogLikGrad(theta, grad); !math.IsInf(got, -1) {
			t.Errorf("at %v: %v", theta, got)
		}
		for k, g := range grad {
			if g != 0 {
				t.Errorf("at %v: derivative %d is %v", theta, k, g)
			}
		}
	}
	if got := r.LogLik([]float64{math.NaN(), 0, 0, 0, 1, 0.5, 0.2}); !math.IsNaN(got) {
		t.Errorf("at NaN: %v", got)
	}
}

func TestRegressionRefuses(t *testing.T) {
	if _, err := NewRegression([]float64{1, 2}, []float64{1, -1}, &kernel.Combinations{Columns: 1, Start: []int{0, 0}}); err == nil {
		t.Error("one drift for two trials was taken")
	}
	if _, err := NewRegression([]float64{1, -2}, []float64{1, -1}, &kernel.Combinations{Start: []int{0, 0, 0}}); err == nil {
		t.Error("a negative rt was taken")
	}
}
