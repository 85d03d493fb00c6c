package quadrature

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Gauss rules with n nodes, for random points, sum polynomials of degree 2n - 1 exactly, and smooth functions
// with an error of about the square of HighCoefficient.
func TestSumRules(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 7))
	x := make([]float64, 300)
	for i := range x {
		x[i] = 40 + 3*rng.NormFloat64()
	}
	sum := func(f func(float64) float64) (total float64) {
		for _, at := range x {
			total += f(at)
		}
		return total
	}
	rules := SumRules(x, 4, 8, 16)
	if len(rules) != 4 || len(rules[3].X) != 300 {
		t.Fatalf("%d rules", len(rules))
	}
	for i, n := range []int{4, 8, 16} {
		r := rules[i]
		of := func(f func(float64) float64) (total float64, values []float64) {
			for k, at := range r.X {
				values = append(values, f(at))
				total += r.W[k] * values[k]
			}
			return total, values
		}
		if len(r.X) != n {
			t.Fatalf("%d nodes, want %d", len(r.X), n)
		}
		power := func(at float64) float64 { return math.Pow((at-39)/8, float64(2*n-1)) }
		if got, _ := of(power); !(math.Abs(got-sum(power)) < 1e-10*sum(func(at float64) float64 { return math.Abs(power(at)) })) {
			t.Errorf("%d nodes: degree %d: %v, want %v", n, 2*n-1, got, sum(power))
		}
		smooth := func(at float64) float64 { return 1 / (1 + math.Exp((at-38)/4)) }
		got, values := of(smooth)
		rest, miss := r.HighCoefficient(values), math.Abs(got-sum(smooth))/300
		if !(miss < 10*rest*rest+1e-14 && rest < math.Pow(0.45, float64(n-2)) && rest > 1e-14) {
			t.Errorf("%d nodes: off by %.2g a point, rest %.2g", n, miss, rest)
		}
	}
}

// The nodes of the last rule are the distinct points.
func TestSumRulesOfFewPoints(t *testing.T) {
	rules := SumRules([]float64{2, -1, 2, 5, 2}, 2, 3, 8)
	last := rules[len(rules)-1]
	if len(rules) != 2 || len(rules[0].X) != 2 || len(last.X) != 3 || last.X[0] != -1 || last.X[2] != 5 || last.W[1] != 3 || last.HighCoefficient([]float64{1, 9, 4}) != 0 {
		t.Errorf("%+v", rules)
	}
	if only := SumRules([]float64{3, 3}, 4); len(only) != 1 || only[0].W[0] != 2 {
		t.Errorf("%+v", only)
	}
}

// TestSumRulesFarFromZero: points that are moved far away have the same rule, moved.
func TestSumRulesFarFromZero(t *testing.T) {
	const far = 1 << 20
	rng := rand.New(rand.NewPCG(5, 7))
	near, moved := make([]float64, 100), make([]float64, 100)
	for i := range near {
		near[i] = math.Round(1024*rng.NormFloat64()) / 1024 // so that moving rounds nothing
		moved[i] = near[i] + far
	}
	want, got := SumRules(near, 16)[0], SumRules(moved, 16)[0]
	for k := range want.X {
		if !(math.Abs(got.X[k]-far-want.X[k]) < 1e-8) || !(math.Abs(got.W[k]-want.W[k]) < 1e-8) {
			t.Errorf("node %d: %v of weight %v, want %v of %v", k, got.X[k]-far, got.W[k], want.X[k], want.W[k])
		}
	}
}
