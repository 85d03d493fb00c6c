package objective_test

import (
	"math"
	"testing"

	"likc/runtime/model/ssm"
	"likc/search/find/objective"
)

// noise returns a number between −½ and ½ that changes with every change of x.
func noise(x float64) float64 {
	b := math.Float64bits(x) * 0x9e3779b97f4a7c15
	b = (b ^ b>>29) * 0xbf58476d1ce4e5b9
	return float64((b^b>>32)>>11)/(1<<53) - 0.5
}

// If the surface is rough, a climb finds no maximum, and recovery is not high. The truth must not count as the estimate.
func TestRoughnessDoesNotRecover(t *testing.T) {
	both, err := simulated()
	if err != nil {
		t.Fatal(err)
	}
	r, s := rows(t), objective.Improved()
	r.Both, s.JointGroups, s.JointTrials, s.JointPoints = both, 15, 80, 0
	l := loss(t, r, model(t, "expr2"), s)
	recovered := func(amplitude float64) []float64 {
		dst := make([]float64, 8)
		objective.JointOf(l, both.RT, both.Choice, func(rt, choice float64, theta []float64) float64 {
			at := rt + theta[0] + 1.7*theta[1] + 2.3*theta[2] + 3.1*theta[3]
			return ssm.DDM.LogDensity(rt, choice, theta) + amplitude*noise(at)
		}, dst)
		return dst
	}
	exact := recovered(0)
	for _, amplitude := range []float64{1e-4, 1e-2} {
		rough := recovered(amplitude)
		t.Logf("exact %.3f, with noise of ±%v a trial %.3f", exact, amplitude/2, rough)
		for j := range exact[:4] {
			if exact[j] < 0.8 || rough[j] >= exact[j] {
				t.Errorf("parameter %d: r = %.4f, with noise of ±%v %.4f", j, exact[j], amplitude/2, rough[j])
			}
		}
	}
}

// An expression that loses digits by cancellation does not recover better than the same expression without cancellation.
func TestCancellationDoesNotPay(t *testing.T) {
	both, err := simulated()
	if err != nil {
		t.Fatal(err)
	}
	r, s := rows(t), objective.Improved()
	r.Both, s.JointGroups = both, 40
	l := loss(t, r, model(t, "expr2"), s)
	for _, clean := range []string{
		"log(a/sqrt(rt - t)) - (a - v*(rt - t))^2/(rt - t) - z",
		"sqrt(z) + z - a^2/(a + v^2) - (rt - t)*(z*(v - exp(a)/exp(z + z + z + z)/(rt - t))^2 + exp(z^2)/(a*sqrt(a)))",
	} {
		recovered := func(text string) float64 {
			_, terms := l.Exact(treeOf(t, written(t, text, model(t, "expr2"))))
			return terms[len(terms)-2]
		}
		best := recovered(clean)
		for _, large := range []string{"exp(28 + (a + v + z + t)/2 + rt/9)", "exp(32 + (a + v + z + t)/2 + rt/9)", "exp(35 + (a + v + z + t)/2 + rt/9)"} {
			got := recovered("(" + clean + " + " + large + ") - " + large)
			t.Logf("R %.3f, with %s added and subtracted %.3f", best, large, got)
			if got > best+1e-3 {
				t.Errorf("%s: R %.3f, with %s added and subtracted %.3f", clean, best, large, got)
			}
		}
	}
}
