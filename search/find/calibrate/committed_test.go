package calibrate

import (
	"math"
	"testing"

	"likc/runtime/model/bound"
	"likc/runtime/model/catalog"
	"likc/runtime/model/kernel"

	"gonum.org/v1/gonum/mat"
)

// The committed calibrated models, which were made with a teacher, are nearly unbiased under the exact density. At most points of
// the ranges, estimates from 1,000 trials are moved by less than a third, or for some models half, of a standard deviation.
func TestCommittedModels(t *testing.T) {
	const trials, n = 1000, 30
	exact := open(t, "ddm")
	for name, most := range map[string]float64{"wald_calibrated": 0.33, "found60_calibrated": 0.33, "expr2_calibrated": 0.5, "expr2_lapseless": 0.5} {
		m := open(t, name)
		b, err := bound.Open(m, bound.Ready)
		if err != nil {
			t.Fatal(err)
		}
		defer b.Close()
		var moves []float64
		for _, theta := range spreadOver(m.Model, 50_000, n) {
			moves = append(moves, move(t, m, b, exact, theta, trials))
		}
		t.Logf("%s: %.2f", name, moves)
		if median, worst := quantile(moves, 0.5), quantile(moves, 0.75); !(median <= most && worst <= 2*most) {
			t.Errorf("%s: estimates move by %.2f standard deviations, and at a quarter of the points by %.2f and more", name, median, worst)
		}
	}
}

// move returns the bias of estimates, in standard deviations of an estimate: the root of n gᵀJ⁻¹g divided by the number of
// parameters, for n trials with mean gradient g, whose variance is J. It does not depend on the curvature.
func move(t *testing.T, m *catalog.Model, b *bound.Prepared, exact *catalog.Model, theta []float64, trials float64) float64 {
	t.Helper()
	p, err := populationOf(exact, theta, Default().Lapse.Until)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := b.Rows(kernel.Responses(p.rt, p.choice))
	if err != nil {
		t.Fatal(err)
	}
	n := len(theta)
	at, grad, logp := make([][]float64, n), make([][]float64, n), make([]float64, len(p.rt))
	for j := range theta {
		at[j], grad[j] = theta[j:j+1], make([]float64, len(p.rt))
	}
	rows.Each(at, logp, grad)
	scores := make([][]float64, len(p.rt))
	mean := mat.NewVecDense(n, nil)
	for i, w := range p.weight {
		for j := range theta {
			scores[i] = append(scores[i], grad[j][i])
			mean.SetVec(j, mean.AtVec(j)+w*grad[j][i])
		}
	}
	spread := product(p.weight, scores, scores)
	for j := range n {
		spread.Set(j, j, spread.At(j, j)*(1+1e-6)) // for rounding errors, if the data do not determine a direction
	}
	var by mat.VecDense
	if err := by.SolveVec(spread, mean); err != nil {
		t.Fatal(err)
	}
	return math.Sqrt(trials * mat.Dot(mean, &by) / float64(n))
}
