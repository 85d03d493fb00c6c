package statistic

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"
)

func TestMedianAndQuantile(t *testing.T) {
	x := []float64{4, 1, 3, 2}
	if got := Median(x); got != 2.5 || !slices.Equal(x, []float64{4, 1, 3, 2}) {
		t.Errorf("median of 1 to 4 is %v, and leaves %v", got, x)
	}
	if got := Median([]float64{9, 1, 5}); got != 5 {
		t.Errorf("median of 1, 5, 9 is %v", got)
	}
	if !math.IsNaN(Median(nil)) {
		t.Error("the median of nothing is a number")
	}
	for _, c := range []struct{ p, want float64 }{{0, 1}, {0.1, 1.3}, {0.5, 2.5}, {1, 4}} { // R's quantile(1:4, p)
		if got := Quantile([]float64{1, 2, 3, 4}, c.p); !(math.Abs(got-c.want) <= 1e-15) {
			t.Errorf("quantile %v of 1 to 4 is %v, want %v", c.p, got, c.want)
		}
	}
}

func TestCorrelation(t *testing.T) {
	x := []float64{1, 2, 3}
	if got := Correlation(x, []float64{1, 0, 2}); !(math.Abs(got-0.5) <= 1e-15) {
		t.Errorf("correlation is %v, want 0.5", got)
	}
	if !math.IsNaN(Correlation(x[:2], x[:2])) {
		t.Error("two points have a correlation")
	}
}

func TestSigned(t *testing.T) {
	if got := Signed([]float64{0.5, 0.7}, []float64{1, -1}); !slices.Equal(got, []float64{0.5, -0.7}) {
		t.Errorf("signed times are %v", got)
	}
}

// From 20,000 draws, Kernel estimates a normal density with an error of at most 6 % within two standard deviations, and an exponential
// density at its end with at most 15 %.
func TestKernel(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	normal, exponential := make([]float64, 20000), make([]float64, 20000)
	for i := range normal {
		normal[i], exponential[i] = 3+0.5*rng.NormFloat64(), rng.ExpFloat64()
	}
	for _, z := range []float64{-2, -1, 0, 0.5, 2} {
		want := math.Exp(-z*z/2) / (0.5 * math.Sqrt(2*math.Pi))
		if got := Kernel(normal, 3+0.5*z, math.Inf(-1), math.Inf(1)); !(math.Abs(got/want-1) < 0.06) {
			t.Errorf("normal at %v sd: %.4f, want %.4f", z, got, want)
		}
	}
	if got := Kernel(exponential, 0, 0, math.Inf(1)); !(math.Abs(got-1) < 0.15) {
		t.Errorf("exponential at 0: %.4f, want 1", got)
	}
	if got := Kernel(exponential, -0.1, 0, math.Inf(1)); got != 0 {
		t.Errorf("exponential below 0: %v", got)
	}
	if got := Kernel([]float64{1, 1, 1}, 1, math.Inf(-1), math.Inf(1)); got != 0 {
		t.Errorf("of equal draws: %v", got)
	}
}

// In the tails of a normal density, and of a Student density with five degrees of freedom, the bias is at most a tenth, for few draws
// and for many. The parts give the size of the error.
func TestKernelInTails(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	unit := math.Sqrt(5.0 / 3) // standard deviation of the Student density
	for _, c := range []struct{ draws, times int }{{4000, 40}, {80_000, 3}} {
		for _, z := range []float64{2, 2.5, 3} {
			student := unit * math.Gamma(3) / (math.Sqrt(5*math.Pi) * math.Gamma(2.5)) * math.Pow(1+z*z/3, -3)
			want := []float64{math.Exp(-z*z/2) / math.Sqrt(2*math.Pi), student}
			mean, square, said := make([]float64, 2), make([]float64, 2), make([]float64, 2)
			for range c.times {
				samples := [][]float64{make([]float64, c.draws), make([]float64, c.draws)}
				for i := range c.draws {
					chi := 0.0
					for range 5 {
						g := rng.NormFloat64()
						chi += g * g
					}
					samples[0][i], samples[1][i] = rng.NormFloat64(), rng.NormFloat64()/math.Sqrt(chi/5)/unit
				}
				for k, x := range samples {
					got, parts := KernelParts(x, z, math.Inf(-1), math.Inf(1))
					mean[k] += got / want[k] / float64(c.times)
					square[k] += math.Pow(got/want[k]-1, 2) / float64(c.times)
					_, sd := stat.MeanStdDev(parts, nil)
					said[k] += sd / math.Sqrt(float64(c.draws)) / float64(c.times)
				}
			}
			for k, name := range []string{"normal", "Student"} {
				t.Logf("%s, %d draws at %v sd: %.3f of the density, error %.3f, said %.3f", name, c.draws, z, mean[k], math.Sqrt(square[k]), said[k])
				if !(math.Abs(mean[k]-1) <= 0.1) {
					t.Errorf("%s, %d draws at %v sd: %.3f times the density", name, c.draws, z, mean[k])
				}
				if ratio := said[k] / math.Sqrt(square[k]); c.times >= 40 && !(ratio > 0.6 && ratio < 1.6) {
					t.Errorf("%s, %d draws at %v sd: error %.3f, the parts say %.3f", name, c.draws, z, math.Sqrt(square[k]), said[k])
				}
			}
		}
	}
}

// TestKolmogorovSmirnov compares with distances computed by hand.
func TestKolmogorovSmirnov(t *testing.T) {
	for _, c := range []struct {
		x, y []float64
		want float64
	}{
		{[]float64{1, 2, 3}, []float64{3, 1, 2}, 0},
		{[]float64{1, 2}, []float64{3, 4}, 1},
		{[]float64{1, 2, 3, 4}, []float64{2.5}, 0.5},
		{[]float64{1, 1, 2}, []float64{1, 2, 2}, 1. / 3},    // ties: 2/3 against 1/3 at 1
		{[]float64{-2, -1, 1}, []float64{-1, 1, 2}, 1. / 3}, // signs count
		{[]float64{1, 2, 3, 4, 5}, []float64{4, 5, 6, 7}, 0.6},
	} {
		if got := KolmogorovSmirnov(append([]float64(nil), c.x...), append([]float64(nil), c.y...)); !(math.Abs(got-c.want) <= 1e-15) {
			t.Errorf("KS of %v and %v is %v, want %v", c.x, c.y, got, c.want)
		}
	}
	if !math.IsNaN(KolmogorovSmirnov(nil, []float64{1})) {
		t.Error("the distance to nothing is a number")
	}
}

// TestKolmogorovSmirnovNull draws both samples from one distribution: √(n/2) KS has the median 0.8276 of Kolmogorov's distribution.
func TestKolmogorovSmirnovNull(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	const n = 1000
	var all []float64
	for range 400 {
		x, y := make([]float64, n), make([]float64, n)
		for i := range x {
			x[i], y[i] = rng.NormFloat64(), rng.NormFloat64()
		}
		all = append(all, KolmogorovSmirnov(x, y)*math.Sqrt(n/2))
	}
	if m := Median(all); !(math.Abs(m-0.8276) <= 0.035) {
		t.Errorf("median %v, want 0.8276", m)
	}
}
