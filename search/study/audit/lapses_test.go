package audit

import (
	"context"
	"math"
	"strings"
	"testing"

	"likc/runtime/model/catalog"
	"likc/runtime/model/ssm"
	"likc/search/study/bank"
	"likc/search/study/ppc"
)

func openModel(t *testing.T, name string) *catalog.Model {
	t.Helper()
	m, err := catalog.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func opened(t *testing.T, name string, b *bank.Bank, lapse string) *Auditor {
	t.Helper()
	sim, err := ppc.SimulatorOf(b)
	if err != nil {
		t.Fatal(err)
	}
	a, done, err := Open(context.Background(), openModel(t, name), b, sim,
		Settings{Guesses: Guesses{From: 0.1, To: 0.3}, Sample: 1000, Seed: 1, Lapse: lapse})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { done() })
	return a
}

// TestLapsesRecover: guesses come before the onset of most subjects. A likelihood with lapses, of a fixed or an unknown
// probability, still recovers non-decision times; one without lapses does not.
func TestLapsesRecover(t *testing.T) {
	s, err := bank.NewSettings("test-60", "ddm", "exact", 7)
	if err != nil {
		t.Fatal(err)
	}
	s.Subjects = 5
	s.SetTrials(40)
	b, err := bank.Make(context.Background(), s, 1)
	if err != nil {
		t.Fatal(err)
	}
	for lapse, recovers := range map[string]bool{"": false, "0.05": true, "beta(1,20)": true} {
		got, err := opened(t, "ddm", b, lapse).Recovery(context.Background(), 0.05)
		if err != nil {
			t.Fatal(err)
		}
		if len(got.R) != 4 || got.Failed > 0 {
			t.Fatalf("lapse %q: %+v", lapse, got)
		}
		if r := float64(got.R[3]); r > 0.95 != recovers {
			t.Errorf("lapse %q: r of t is %v with 5 %% guesses", lapse, r)
		}
	}
}

// TestLimitsWithoutAnExpression: over a population, the mean log density of a teacher, and of a normalised expression, is near
// that of the exact density. Its gradient equals finite differences.
func TestLimitsWithoutAnExpression(t *testing.T) {
	b := &bank.Bank{Settings: bank.Settings{Model: "ddm", Scheme: "exact"}}
	p := Exact(ssm.DDM, truths[0], 60)
	at := []float64{0.8, 1.3, 0.55, 0.28}
	for _, name := range []string{"../../../testdata/teacher/spline", "found57"} {
		lik, err := opened(t, name, b, "").Model().Bind(p)
		if err != nil {
			t.Fatal(err)
		}
		grad, want := make([]float64, 4), make([]float64, 4)
		got, exact := lik.LogLikGrad(at, grad), MeanDensity{p, ssm.DDM}.LogLikGrad(at, want)
		if !(math.Abs(got-exact) <= 0.01) || math.Abs(exact) < 0.1 { // .008 is the teacher's mean absolute error
			t.Errorf("%s: mean %v, that of the density %v", name, got, exact)
		}
		for j, slope := range grad {
			const h = 1e-5
			up, down := append([]float64(nil), at...), append([]float64(nil), at...)
			up[j] += h
			down[j] -= h
			if diff := (lik.LogLik(up) - lik.LogLik(down)) / (2 * h); !(math.Abs(slope-diff) <= 1e-4*max(1, math.Abs(diff))) {
				t.Errorf("%s: ∂/∂θ[%d] is %v, by differences %v", name, j, slope, diff)
			}
		}
	}
}

// TestLapsesAreOfDensities: lapses cannot be mixed with an expression whose mass is not 1.
func TestLapsesAreOfDensities(t *testing.T) {
	if err := AdmitsLapses(openModel(t, "ddm")); err != nil {
		t.Error(err)
	}
	if err := AdmitsLapses(openModel(t, "expr2")); err == nil || !strings.HasPrefix(err.Error(), "--lapse: expr2 is no density that lapses can be mixed with") {
		t.Error(err)
	}
}
