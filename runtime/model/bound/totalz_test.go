package bound

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"likc/runtime/model/catalog"
	"likc/runtime/model/kernel"
)

func found60(t testing.TB) *catalog.Model {
	t.Helper()
	text, err := os.ReadFile("../../../testdata/densities/found60.lik")
	if err != nil {
		t.Fatal(err)
	}
	return model(t, string(text))
}

// regression holds columns of n trials for the parameters v, a, z and t, and coefficients.
type regression struct {
	name   string
	x      [][][]float64
	c      []float64
	onLine bool
}

func regressionsOf(n int) []regression {
	rng := rand.New(rand.NewPCG(3, 5))
	one, two, affine, binary := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range n {
		one[i], two[i], binary[i] = rng.NormFloat64(), rng.NormFloat64(), float64(i%2)
		affine[i] = 3 - 0.7*one[i]
	}
	return []regression{
		{"one column", [][][]float64{{one}, {}, {}, {}}, []float64{0.4, 0.2, 1.2, 0.45, 0.03}, true},
		{"a long line", [][][]float64{{one}, {}, {}, {}}, []float64{0.3, 0.85, 2.2, 0.6, 0.03}, true},
		{"two columns on a line", [][][]float64{{one, affine}, {affine}, {}, {}}, []float64{0.4, 0.2, 0.1, 0.9, 0.05, 0.45, 0.03}, true},
		{"two values", [][][]float64{{binary}, {}, {}, {}}, []float64{0.4, 0.9, 1.2, 0.45, 0.03}, true},
		{"one parameter of two columns", [][][]float64{{one, two}, {}, {}, {}}, []float64{0.4, 0.2, 0.3, 1.2, 0.45, 0.03}, false},
		{"two parameters", [][][]float64{{one}, {two}, {}, {}}, []float64{0.4, 0.2, 1.2, 0.1, 0.45, 0.03}, false},
	}
}

// params returns the parameters of trial i. It also returns, for each coefficient, the index of its parameter and the factor with which it
// is multiplied.
func (r *regression) params(i int) (theta []float64, of []int, times []float64) {
	for j, columns := range r.x {
		of, times = append(of, j), append(times, 1)
		for _, x := range columns {
			of, times = append(of, j), append(times, x[i])
		}
	}
	theta = make([]float64, len(r.x))
	for q, c := range r.c {
		theta[of[q]] += c * times[q]
	}
	return theta, of, times
}

// If parameters depend on columns, the log-likelihood and its gradient are the sums over single trials, with the integral computed for each
// trial.
func TestColumnsOfNormalisedAgainstSingleTrials(t *testing.T) {
	b, err := Open(found60(t), Ready)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	const n = 60
	columns, choice := simulated(t, n)
	for _, r := range regressionsOf(n) {
		lik, err := b.kernel.(kernel.Columner).SumColumns(kernel.Trials{Columns: columns, Choice: choice}, r.x)
		if err != nil {
			t.Fatal(r.name, err)
		}
		if _, is := lik.(*normalisedSum).z.(*line); is != r.onLine {
			t.Errorf("%s: on a line: %v", r.name, is)
		}
		want, slopes, scale := 0.0, make([]float64, len(r.c)), make([]float64, len(r.c))
		own := make([]float64, len(r.x))
		for i := range n {
			one, err := b.Bind(kernel.Responses(columns[0][i:i+1], choice[i:i+1]), Design{})
			if err != nil {
				t.Fatal(err)
			}
			theta, of, times := r.params(i)
			want += one.LogLikGrad(theta, own)
			for q := range slopes {
				slopes[q] += own[of[q]] * times[q]
				scale[q] += math.Abs(own[of[q]] * times[q])
			}
		}
		grad := make([]float64, len(r.c))
		if got := lik.LogLikGrad(r.c, grad); !(math.Abs(got-want) < 1e-9*(math.Abs(want)+n)) || math.Abs(lik.LogLik(r.c)-got) > 1e-10*math.Abs(want) {
			t.Errorf("%s: %v, trial by trial %v", r.name, got, want)
		}
		for q := range grad {
			if !(math.Abs(grad[q]-slopes[q]) < 1e-8*(scale[q]+1)) {
				t.Errorf("%s: derivative %d is %v, trial by trial %v", r.name, q, grad[q], slopes[q])
			}
		}
		if allocated := testing.AllocsPerRun(20, func() { lik.LogLikGrad(r.c, grad) }); allocated > 0 {
			t.Errorf("%s: an evaluation allocates %v times", r.name, allocated)
		}
	}
}

// Rows that differ in only one parameter get log Z by interpolation. The result agrees with rows that are evaluated one at a time, near and
// far from the middle of the ranges.
func TestRowsOfNormalisedAgainstSingleTrials(t *testing.T) {
	b, err := Open(found60(t), Ready)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	const n = 70
	columns, choice := simulated(t, n)
	rows, err := b.Rows(kernel.Trials{Columns: columns, Choice: choice})
	if err != nil {
		t.Fatal(err)
	}
	logp, grad, one, own := make([]float64, n), make([][]float64, 4), make([]float64, n), make([][]float64, 4)
	for j := range grad {
		grad[j], own[j] = make([]float64, n), make([]float64, n)
	}
	for _, width := range []float64{0, 0.1, 0.8} {
		theta := [][]float64{make([]float64, n), {1.2}, {0.45}, {0.03}}
		for i := range theta[0] {
			theta[0][i] = 0.5 + width*math.Sin(float64(i))
		}
		rows.Each(theta, logp, grad)
		for i := 0; i < n; i += 7 {
			rows.Each([][]float64{theta[0][i : i+1], {1.2}, {0.45}, {0.03}}, one, own)
			if !(math.Abs(logp[i]-one[i]) < 1e-9*(1+math.Abs(one[i]))) {
				t.Errorf("width %v: row %d has %v, by itself %v", width, i, logp[i], one[i])
			}
			for j := range grad {
				if !(math.Abs(grad[j][i]-own[j][i]) < 1e-8*(1+math.Abs(own[j][i]))) {
					t.Errorf("width %v: derivative %d of row %d is %v, by itself %v", width, j, i, grad[j][i], own[j][i])
				}
			}
		}
	}
}

// BenchmarkColumnsOfNormalised measures the gradient for one participant's trials, with a drift that depends linearly on a column.
func BenchmarkColumnsOfNormalised(b *testing.B) {
	binder, err := Open(found60(b), Auto)
	if err != nil {
		b.Fatal(err)
	}
	defer binder.Close()
	for _, n := range []int{100, 300, 1000} {
		columns, choice := simulated(b, n)
		for _, r := range regressionsOf(n) {
			lik, err := binder.kernel.(kernel.Columner).SumColumns(kernel.Trials{Columns: columns, Choice: choice}, r.x)
			if err != nil {
				b.Fatal(err)
			}
			grad := make([]float64, len(r.c))
			b.Run(fmt.Sprintf("%s/%d trials", r.name, n), func(b *testing.B) {
				for range b.N {
					lik.LogLikGrad(r.c, grad)
				}
			})
		}
	}
}
