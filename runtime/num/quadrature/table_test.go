package quadrature

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// inverseGaussian returns the density of the first passage through a boundary at distance d with drift v and
// unit noise, times exp(offset). theta holds d and v. For positive v its integral is exp(offset); the density
// is the same for each choice.
func inverseGaussian(offset float64) Density {
	return func(theta []float64, _ float64, u, dst []float64) {
		d, v := theta[0], theta[1]
		for i, x := range u {
			dst[i] = offset + math.Log(d) - 0.5*math.Log(2*math.Pi*x*x*x) - (d-v*x)*(d-v*x)/(2*x)
		}
	}
}

func inverseGaussianCDF(d, v, u float64) float64 {
	normal := distuv.UnitNormal
	return normal.CDF((v*u-d)/math.Sqrt(u)) + math.Exp(2*d*v)*normal.CDF(-(v*u+d)/math.Sqrt(u))
}

// TestLogZ compares with the known integral, which is exp(offset) for each choice.
func TestLogZ(t *testing.T) {
	grid := NewGrid(1e-5, 200, 400)
	for _, theta := range [][]float64{{0.1, 2}, {0.5, 0.6}, {1, 1}, {3, 3}, {4.5, 1}} {
		want := -700 + math.Ln2 // without the shift, its exponential would underflow
		f := inverseGaussian(-700)
		if got := NewTable(f, theta, []float64{1, -1}, grid).LogZ(); !(math.Abs(got-want) <= 1e-9) {
			t.Errorf("at %v: log Z by the grid is %v, want %v", theta, got, want)
		}
		if got := AdaptiveLogZ(f, theta, []float64{1, -1}, 1e-5, 200); !(math.Abs(got-want) <= 1e-8) {
			t.Errorf("at %v: log Z by quadrature is %v, want %v", theta, got, want)
		}
	}
}

// TestCoarseGrid checks that adaptive quadrature reveals the error of a grid that is too coarse.
func TestCoarseGrid(t *testing.T) {
	theta, f := []float64{4.5, 3}, inverseGaussian(0)
	gap := NewTable(f, theta, []float64{1}, NewGrid(1e-5, 200, 20)).LogZ() - AdaptiveLogZ(f, theta, []float64{1}, 1e-5, 200)
	if math.Abs(gap) < 1e-3 {
		t.Errorf("20 points over 17 e-folds are off by %v alone", gap)
	}
}

// TestDraw compares drawn times with the distribution function by Kolmogorov's test, and the shares of choices with their probabilities.
func TestDraw(t *testing.T) {
	theta := []float64{0.8, 1.5}
	uneven := func(theta []float64, choice float64, u, dst []float64) {
		inverseGaussian(0)(theta, choice, u, dst)
		if choice < 0 {
			for i := range dst {
				dst[i] -= math.Log(3)
			}
		}
	}
	table := NewTable(uneven, theta, []float64{1, -1}, NewGrid(1e-5, 200, 3200))
	rng := rand.New(rand.NewPCG(1, 2))
	const n = 40000
	u, upper := make([]float64, n), 0
	for i := range u {
		var c float64
		if u[i], c = table.Draw(rng); c > 0 {
			upper++
		}
	}
	slices.Sort(u)
	worst := 0.0
	for i, x := range u {
		p := inverseGaussianCDF(theta[0], theta[1], x)
		worst = max(worst, math.Abs(p-float64(i)/n), math.Abs(p-float64(i+1)/n))
	}
	if worst*math.Sqrt(n) > 1.63 { // 1 % of samples of a correct distribution exceed this
		t.Errorf("Kolmogorov's distance is %v √n", worst*math.Sqrt(n))
	}
	if share := float64(upper) / n; !(math.Abs(share-0.75) <= 4*math.Sqrt(0.75*0.25/n)) {
		t.Errorf("%v are at the upper boundary, want 0.75", share)
	}
}
