package bound

import (
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mathext"

	"likc/runtime/model/catalog"
	"likc/runtime/model/kernel"
)

// gammaText is a gamma density without its normalising constant, with values so large that exp overflows.
const gammaText = `model gamma {
  trial rt
  param k in [1.5, 9]
  param s in [0.02, 1]
  param t in [0, 0.5]
  support t < rt
  loglik = 3000*k + (k - 1)*log(rt - t) - (rt - t)/s
  normalise
}`

func model(t testing.TB, text string) *catalog.Model {
	t.Helper()
	m, err := catalog.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Every engine gives the gamma density and its gradient, whose constant is known in closed form.
func TestNormalisedGamma(t *testing.T) {
	m := model(t, gammaText)
	rt := []float64{0.7, 1.1, 0.55, 3, 0.9}
	for _, name := range []string{"tree", "ir", "go", "ready"} {
		b, err := Open(m, Engine(name))
		if err != nil {
			t.Fatal(name, err)
		}
		defer b.Close()
		lik, err := b.Bind(kernel.Responses(rt, nil), Design{})
		if err != nil {
			t.Fatal(name, err)
		}
		for _, theta := range [][]float64{{2, 0.3, 0.2}, {8.5, 0.05, 0}, {1.6, 0.9, 0.5}} {
			k, s, at := theta[0], theta[1], theta[2]
			lg, _ := math.Lgamma(k)
			want, slopes := 0.0, [3]float64{}
			for _, x := range rt {
				tau := x - at
				want += (k-1)*math.Log(tau) - tau/s - lg - k*math.Log(s)
				slopes[0] += math.Log(tau) - mathext.Digamma(k) - math.Log(s)
				slopes[1] += tau/(s*s) - k/s
				slopes[2] += 1/s - (k-1)/tau
			}
			grad := make([]float64, 3)
			got := lik.LogLikGrad(theta, grad)
			if n := float64(len(rt)); !(math.Abs(got-want) < 2e-5*n) || lik.LogLik(theta) != got && math.Abs(lik.LogLik(theta)-got) > 1e-9 {
				t.Errorf("%s at %v: %v, want %v", name, theta, got, want)
			}
			for j := range grad {
				if !(math.Abs(grad[j]-slopes[j]) < 2e-4*(1+math.Abs(slopes[j]))) {
					t.Errorf("%s at %v: derivative %d is %v, want %v", name, theta, j, grad[j], slopes[j])
				}
			}
		}
		grad := []float64{1, 1, 1}
		if got := lik.LogLikGrad([]float64{2, 0.3, 0.6}, grad); !math.IsInf(got, -1) || grad[0] != 0 || grad[2] != 0 {
			t.Errorf("%s outside the support: %v, %v", name, got, grad)
		}
	}
}

// The mass of a normalised formula is 1 over time and both choices, by independent quadrature. Engines agree,
// gradients agree with finite differences, and rows add up to the sum.
func TestNormalisedFormula(t *testing.T) {
	m := model(t, `model honest {
  trial  rt
  choice c
  param  v in [-3, 3]   param  a in [0.3, 2.5]   param  z in [0.1, 0.9]   param  t in [0, 2]
  support t < rt
  lower  { v = -v   z = 1 - z }
  let tau = rt - t
  let D   = a^2 * exp(-2*z)
  loglik = (a - tau*((D/tau - v)^2 + exp(z^2))) / a
  normalise
}`)
	columns, choice := simulated(t, 500)
	rng := rand.New(rand.NewPCG(1, 9))
	var points [][]float64
	for range 12 {
		points = append(points, []float64{6*rng.Float64() - 3, 0.3 + 2*rng.Float64(), 0.1 + 0.8*rng.Float64(), 0.2 * rng.Float64()})
	}
	want, engines := map[int]float64{}, []string{"tree", "ir"}
	if os.Getenv("LIKC_LONG") != "" {
		engines = append(engines, "bound", "go")
	}
	for _, name := range engines {
		b, err := Open(m, Engine(name))
		if err != nil {
			t.Fatal(name, err)
		}
		defer b.Close()
		lik, err := b.Bind(kernel.Trials{Columns: columns, Choice: choice}, Design{})
		if err != nil {
			t.Fatal(name, err)
		}
		for i, theta := range points {
			if got := lik.LogLik(theta); name == "tree" {
				want[i] = got
			} else if !(math.Abs(got-want[i]) < 1e-9*(500+math.Abs(want[i]))) {
				t.Errorf("%s at %v: %v, the tree says %v", name, theta, got, want[i])
			}
		}
		rows, err := b.Rows(kernel.Trials{Columns: columns, Choice: choice})
		if err != nil {
			t.Fatal(err)
		}
		logp, sum := make([]float64, rows.N()), 0.0
		rows.Each(kernel.Fixed(points[0]), logp, nil)
		for _, x := range logp {
			sum += x
		}
		if !(math.Abs(sum-want[0]) < 1e-8*(500+math.Abs(want[0]))) {
			t.Errorf("%s: rows add up to %v, the sum is %v", name, sum, want[0])
		}
		if name == "tree" {
			continue
		}
		kernel.Check(t, lik, points, 500)
		few, err := b.Rows(kernel.Responses(columns[0][:20], choice[:20]))
		if err != nil {
			t.Fatal(err)
		}
		kernel.CheckRows(t, few, points[:5])
		masses, ok := b.Masses()
		for _, mass := range masses {
			if !ok || !(math.Abs(mass-1) < 5e-5) {
				t.Errorf("%s: mass %v", name, mass)
			}
		}
	}
	pointwise := boundTo(t, m, columns, choice)
	all, sum := make([][]float64, 500), 0.0
	for i := range all {
		all[i] = make([]float64, 1)
	}
	pointwise.LogDensity(all, points[:1], 0)
	density, err := TrialDensity(m, columns, choice)
	if err != nil {
		t.Fatal(err)
	}
	for i, x := range all {
		sum += x[0]
		if got := density(i, points[0]); !(math.Abs(got-x[0]) < 1e-9*(1+math.Abs(got))) {
			t.Fatalf("trial %d: %v and %v", i, got, x[0])
		}
	}
	if !(math.Abs(sum-want[0]) < 1e-8*(500+math.Abs(want[0]))) {
		t.Errorf("trials add up to %v, the sum is %v", sum, want[0])
	}
}

// A normalised model cannot be opened if its integral is infinite at a point of its ranges.
func TestNormalisedRefused(t *testing.T) {
	m := model(t, "model flat { trial rt param k in [0, 1] loglik = -k normalise }")
	if _, err := Open(m, IR); err == nil || !strings.HasPrefix(err.Error(), "normalise flat: at k=0.001: the integral over time is infinite") {
		t.Errorf("%v", err)
	}
}
