package calibrate

import (
	"math"
	"testing"

	"likc/compiler/expr"
	"likc/runtime/model/catalog"
)

func open(t testing.TB, name string) *catalog.Model {
	t.Helper()
	m, err := catalog.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// The first and second derivatives of the mean log density over a population equal finite differences.
func TestDerivatives(t *testing.T) {
	for _, name := range []string{"wald", "expr2"} {
		m, _ := prepared(open(t, name).Model, Settings{Lapse: expr.Lapse{Probability: 0.02, Until: 20}})
		f, err := newFamily(m)
		if err != nil {
			t.Fatal(err)
		}
		theta := []float64{0.8, 1.1, 0.4, 0.3}
		p, err := populationOf(open(t, "ddm"), theta, 20)
		if err != nil {
			t.Fatal(err)
		}
		s, here, up, down := newSpace(f), newJet(4), newJet(4), newJet(4)
		at := []float64{0.7, 1, 0.45, 0.32}
		scores := make([][]float64, len(p.rt))
		for i := range scores {
			scores[i] = make([]float64, 4)
		}
		f.mean(s, p, at, here, scores)
		const step = 1e-5
		for j := range at {
			moved := append([]float64(nil), at...)
			moved[j] += step
			f.mean(s, p, moved, up, nil)
			moved[j] -= 2 * step
			f.mean(s, p, moved, down, nil)
			if d := (up.value - down.value) / (2 * step); !(math.Abs(d-here.grad[j]) <= 1e-6*(1+math.Abs(d))) {
				t.Errorf("%s: derivative %d is %v, finite differences say %v", name, j, here.grad[j], d)
			}
			for k := range at {
				if d := (up.grad[k] - down.grad[k]) / (2 * step); !(math.Abs(d-here.hess[j*4+k]) <= 1e-5*(1+math.Abs(d))) {
					t.Errorf("%s: second derivative %d,%d is %v, finite differences say %v", name, j, k, here.hess[j*4+k], d)
				}
			}
			mean := 0.0
			for i, w := range p.weight {
				mean += w * scores[i][j]
			}
			if !(math.Abs(mean-here.grad[j]) <= 1e-12) {
				t.Errorf("%s: the scores of parameter %d have mean %v, the gradient is %v", name, j, mean, here.grad[j])
			}
		}
	}
}
