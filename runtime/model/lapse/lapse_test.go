package lapse

import (
	"context"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/integrate/quad"

	"likc/runtime/fit/loo"
	"likc/runtime/model/bound"
	"likc/runtime/model/bound/boundtest"
	"likc/runtime/model/catalog"
	"likc/runtime/model/kernel"
	"likc/runtime/model/ssm"
)

var spline = filepath.Join("..", "..", "..", "testdata", "teacher", "spline")

// mix returns the named model with lapses.
func mix(t testing.TB, name string, w Window) *bound.Prepared {
	t.Helper()
	_, b := boundtest.Open(t, name)
	x, err := b.With(Lapses{Times: w})
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// points are parameters of ddm, and of its teacher, with the probability of a lapse.
var points = [][]float64{{1, 1.2, 0.45, 0.3, 0.05}, {-2, 0.6, 0.6, 0.1, 0.4}, {0.2, 2, 0.3, 0.5, 0.001}}

// integral returns the mass of a density over time and choices, by Gauss's rule on many intervals. The ends of intervals
// include breaks, the times at which the density is not smooth.
func integral(x *bound.Prepared, theta []float64, breaks ...float64) (total float64) {
	var rt, weight, choice []float64
	var same [][]float64
	for k := 1; k < len(breaks); k++ {
		const pieces, points = 400, 8
		width := (breaks[k] - breaks[k-1]) / pieces
		for i := range pieces {
			at, w := make([]float64, points), make([]float64, points)
			from := breaks[k-1] + float64(i)*width
			quad.Legendre{}.FixedLocations(at, w, from, from+width)
			for _, c := range []float64{1, -1} {
				for j := range at {
					rt, weight, choice, same = append(rt, at[j]), append(weight, w[j]), append(choice, c), append(same, theta)
				}
			}
		}
	}
	dst := make([]float64, len(rt))
	kernel.EachAt(x, dst, same, kernel.Responses(rt, choice))
	for i, w := range weight {
		total += w * math.Exp(dst[i])
	}
	return total
}

// Every mixture has mass one, for every window.
func TestMass(t *testing.T) {
	for _, name := range []string{"ddm", spline} {
		for _, w := range []Window{{0, 5}, {0.25, 1.5}, {0, 30}} {
			x := mix(t, name, w)
			for _, theta := range points {
				breaks := []float64{0, w.Low, theta[3], theta[3] + 0.3, w.High, w.High + 2, w.High + 10, 1e2, 1e3, 1e5, 1e7} // the tail of the teacher, a mass of 1e-5, is long
				slices.Sort(breaks)
				mass := integral(x, theta, slices.Compact(breaks)...)
				if !(math.Abs(mass-1) <= 1e-6) {
					t.Errorf("%s at %v, window %v: mass %v", x.Model.Name, theta, w, mass)
				}
			}
		}
	}
}

// The mixture agrees with its formula, also for trials before the onset, and its gradient with finite differences.
func TestContract(t *testing.T) {
	rt, choice := make([]float64, 12), make([]float64, 12)
	if err := ssm.DDM.Simulate(ssm.NewRand(1, 1), points[0][:4], ssm.ExactScheme(), rt, choice); err != nil {
		t.Fatal(err)
	}
	rt[0], rt[1] = 0.05, 0.2999
	for _, name := range []string{"ddm", spline} {
		x := mix(t, name, Window{0, 6})
		rows, err := x.Rows(kernel.Responses(rt, choice))
		if err != nil {
			t.Fatal(err)
		}
		kernel.CheckRows(t, rows, points)
		logp, pure := make([]float64, 12), make([]float64, 12)
		density, _ := x.Bare().Model.Density()
		for _, theta := range points {
			rows.Each(kernel.Fixed(theta), logp, nil)
			same := make([][]float64, 12)
			for i := range same {
				same[i] = theta[:4]
			}
			density.(kernel.PerTrial).LogDensity(pure, same, rt, choice)
			for i := range logp {
				if want := math.Log((1-theta[4])*math.Exp(pure[i]) + theta[4]/12); !(math.Abs(logp[i]-want) <= 1e-12*max(1, math.Abs(want))) {
					t.Errorf("%s at %v, rt %v: %v, want %v", name, theta, rt[i], logp[i], want)
				}
			}
		}
	}
}

// Probabilities of 0 and 1, and densities beyond floating point, give no NaN.
func TestExtremes(t *testing.T) {
	x := mix(t, "ddm", Window{0, 6})
	rows, err := x.Rows(kernel.Responses([]float64{0.1, 0.5, 5.9}, []float64{1, -1, 1}))
	if err != nil {
		t.Fatal(err)
	}
	logp, grad := make([]float64, 3), make([][]float64, 5)
	for j := range grad {
		grad[j] = make([]float64, 3)
	}
	for _, c := range []struct {
		theta []float64
		want  [3]float64
	}{
		{[]float64{1, 1, 0.5, 0.2, 1}, [3]float64{-math.Log(12), -math.Log(12), -math.Log(12)}},
		{[]float64{1, 1, 0.5, 0.2, 0}, [3]float64{math.Inf(-1), ssm.DDM.LogDensity(0.5, -1, []float64{1, 1, 0.5, 0.2}), ssm.DDM.LogDensity(5.9, 1, []float64{1, 1, 0.5, 0.2})}},
		{[]float64{40, 1, 0.5, 0.05, 0}, [3]float64{ssm.DDM.LogDensity(0.1, 1, []float64{40, 1, 0.5, 0.05}), ssm.DDM.LogDensity(0.5, -1, []float64{40, 1, 0.5, 0.05}), ssm.DDM.LogDensity(5.9, 1, []float64{40, 1, 0.5, 0.05})}},
	} {
		rows.Each(kernel.Fixed(c.theta), logp, grad)
		for i, want := range c.want {
			if logp[i] != want && !(math.Abs(logp[i]-want) <= 1e-9*math.Abs(want)) {
				t.Errorf("at %v, row %d: %v, want %v", c.theta, i, logp[i], want)
			}
			for j := range grad {
				if math.IsNaN(grad[j][i]) {
					t.Errorf("at %v, row %d: derivative %d is NaN", c.theta, i, j)
				}
			}
		}
	}
}

// An expression can be mixed with lapses if it is normalised. A model without choices counts as having one choice.
func TestExpressions(t *testing.T) {
	x := mix(t, "lognormal", Window{0, 10})
	rt := []float64{0.1, 0.5, 3}
	rows, err := x.Rows(kernel.Responses(rt, nil))
	if err != nil {
		t.Fatal(err)
	}
	at := [][]float64{{0.3, 0.5, 0.1}, {-0.5, 0.8, 0.3}}
	kernel.CheckRows(t, rows, at)
	p, err := x.Bind(kernel.Responses(rt, nil), bound.Design{})
	if err != nil {
		t.Fatal(err)
	}
	var one loo.Pointwise = p
	dst := [][]float64{make([]float64, 2), make([]float64, 2), make([]float64, 2)}
	one.LogDensity(dst, at, 0)
	logp := make([]float64, 3)
	for s, theta := range at {
		rows.Each(kernel.Fixed(theta), logp, nil)
		for i := range logp {
			if !(math.Abs(dst[i][s]-logp[i]) <= 1e-12) {
				t.Errorf("trial %d at %v: %v alone, %v among others", i, theta, dst[i][s], logp[i])
			}
		}
	}
}

func TestRefuses(t *testing.T) {
	for name, want := range map[string]string{
		"expr2": "is not normalised: it integrates to",
		"drift": "reads the trial columns rt, x: lapses are for",
	} {
		_, b := boundtest.Open(t, name)
		if _, err := b.With(Lapses{Times: Window{0, 5}}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
	endless, err := catalog.Parse("model endless { trial rt positive param k in [1, 2] loglik = -log(rt + k) }")
	if err != nil {
		t.Fatal(err)
	}
	b, err := bound.Open(endless, bound.Ready)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if _, err := b.With(Lapses{Times: Window{0, 5}}); err == nil || !strings.Contains(err.Error(), "cannot be normalised") {
		t.Errorf("a density whose integral is infinite: %v", err)
	}
	if _, err := mix(t, "ddm", Window{0.2, 5}).With(Lapses{Times: Window{0, 5}}); err == nil || !strings.Contains(err.Error(), "called lapse already") {
		t.Errorf("lapses of lapses: %v", err)
	}
}

// A response outside the window is no lapse.
func TestOutsideTheWindow(t *testing.T) {
	x := mix(t, "ddm", Window{0.4, 5})
	theta, logp := []float64{1, 1.2, 0.45, 0.3, 0.05}, make([]float64, 2)
	kernel.EachAt(x, logp, [][]float64{theta, theta}, kernel.Responses([]float64{0.35, 6}, []float64{1, -1}))
	for i, want := range []float64{ssm.DDM.LogDensity(0.35, 1, theta[:4]), ssm.DDM.LogDensity(6, -1, theta[:4])} {
		if want += math.Log(0.95); !(math.Abs(logp[i]-want) <= 1e-12*math.Abs(want)) {
			t.Errorf("trial %d: %v, want %v", i, logp[i], want)
		}
	}
}

// The simulator mixes in lapses.
func TestSimulator(t *testing.T) {
	x := mix(t, "ddm", Window{0, 100})
	w, base := x.Wrapped()
	draw := w.Draw(base.Model, func(_ context.Context, rng *rand.Rand, theta []float64, _ []int, rt, choice []float64) error {
		return ssm.DDM.Simulate(rng, theta, ssm.ExactScheme(), rt, choice)
	})
	const n = 20000
	rt, choice := make([]float64, n), make([]float64, n)
	if err := draw(t.Context(), ssm.NewRand(1, 1), []float64{3, 1, 0.5, 0.2, 0.3}, nil, rt, choice); err != nil {
		t.Fatal(err)
	}
	late, lower := 0.0, 0.0
	for i := range rt {
		if rt[i] > 10 { // at these parameters, ddm has no responses as late as this
			late++
			if choice[i] < 0 {
				lower++
			}
		}
	}
	if share := late / n; !(math.Abs(share-0.27) <= 4*math.Sqrt(0.27*0.73/n)) {
		t.Errorf("%v are lapses after 10 s, want 0.27", share)
	}
	if share := lower / late; !(math.Abs(share-0.5) <= 4*math.Sqrt(0.25/late)) {
		t.Errorf("%v of the lapses are at the lower boundary", share)
	}
}

func BenchmarkGradient(b *testing.B) {
	x := mix(b, "ddm", Window{0, 20})
	rt, choice := make([]float64, 1000), make([]float64, 1000)
	if err := ssm.DDM.Simulate(ssm.NewRand(1, 1), points[0][:4], ssm.ExactScheme(), rt, choice); err != nil {
		b.Fatal(err)
	}
	rows, err := x.Rows(kernel.Responses(rt, choice))
	if err != nil {
		b.Fatal(err)
	}
	lik := bound.SumOf(rows)
	grad := make([]float64, 5)
	for b.Loop() {
		lik.LogLikGrad(points[0], grad)
	}
}
