package ssm

import (
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"likc/runtime/model/kernel"
)

// inside draws a parameter vector from the ddm model's ranges.
func inside(r *rand.Rand) []float64 {
	return []float64{-3 + 6*r.Float64(), 0.3 + 2.2*r.Float64(), 0.1 + 0.8*r.Float64(), 2 * r.Float64()}
}

// TestExactAgreesWithSingleTrials checks the column loops against the density
// of one trial at a time, over scaled times from far below the switch between the series to far above it, and next to the boundaries.
func TestExactAgreesWithSingleTrials(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 0))
	for trial := range 400 {
		theta := inside(r)
		if trial%4 == 0 {
			theta[2] = math.Pow(10, -6*r.Float64())
		}
		if trial%4 == 1 {
			theta[2] = 1 - math.Pow(10, -6*r.Float64())
		}
		n := r.IntN(700)
		rt, choice := make([]float64, n), make([]float64, n)
		var want, scale [5]float64
		for i := range rt {
			u := math.Pow(10, -4+5*r.Float64())
			rt[i] = theta[3] + 4*theta[1]*theta[1]*u
			choice[i] = float64(2*r.IntN(2) - 1)
			var one [5]float64
			one[0] = logDensityGrad(rt[i], choice[i], theta, one[1:])
			for j := range want {
				want[j] += one[j]
				scale[j] += math.Abs(one[j])
			}
		}
		e, err := NewExact(rt, choice)
		if err != nil {
			t.Fatal(err)
		}
		var got [5]float64
		got[0] = e.LogLikGrad(theta, got[1:])
		for j := range want {
			if !(math.Abs(got[j]-want[j]) <= 1e-12*(1+scale[j])) {
				t.Errorf("theta %v, n %d, quantity %d: got %v, want %v", theta, n, j, got[j], want[j])
			}
		}
		if value := e.LogLik(theta); value != got[0] {
			t.Errorf("theta %v: value %v alone, %v with gradient", theta, value, got[0])
		}
	}
}

// TestLikelihoodChecks runs the checks that any likelihood must pass, on
// trials of which some leave the support as t grows.
func TestLikelihoodChecks(t *testing.T) {
	e, theta := boundAt(t, 300)
	r := rand.New(rand.NewPCG(15, 0))
	points := [][]float64{theta, {1, 1, 0.5, 5}, {1, -1, 0.5, 0.1}, {math.NaN(), 1, 0.5, 0.1}}
	for range 20 {
		point := inside(r)
		point[3] *= 0.15
		points = append(points, point)
	}
	kernel.Check(t, e, points, 3000)
}

func TestGradientAgainstDifferences(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 0))
	for range 300 {
		theta := inside(r)
		rt := theta[3] + 4*theta[1]*theta[1]*math.Pow(10, -2+2.5*r.Float64())
		choice := float64(2*r.IntN(2) - 1)
		var grad [4]float64
		logDensityGrad(rt, choice, theta, grad[:])
		for j := range theta {
			h := 1e-4 * math.Min(1, rt-theta[3])
			at := func(k float64) float64 {
				moved := append([]float64(nil), theta...)
				moved[j] += k * h
				return logDensity(rt, choice, moved)
			}
			want := (8*(at(1)-at(-1)) - (at(2) - at(-2))) / (12 * h)
			if relative(grad[j], want) > 1e-6 {
				t.Errorf("theta %v rt %v choice %v: d%d is %v, difference %v", theta, rt, choice, j, grad[j], want)
			}
		}
	}
}

// TestSwitchIsSeamless compares the two series with each other at scaled times at which both are accurate.
func TestSwitchIsSeamless(t *testing.T) {
	for _, w := range []float64{1e-9, 1e-3, 0.1, 0.5, 0.51, 0.9, 0.999, 1 - 1e-9} {
		g := passage{drift: 0.7, width: 1.3, near: w, far: 1 - w}
		tau := switchTime * 1.3 * 1.3
		a, b := g.smallTime(tau), g.largeTime(tau)
		for i, pair := range [][2]float64{{a.value, b.value}, {a.time, b.time}, {a.drift, b.drift}, {a.width, b.width}, {a.near, b.near}} {
			if relative(pair[0], pair[1]) > 2e-14 {
				t.Errorf("w %v, quantity %d: %v by images, %v by waves", w, i, pair[0], pair[1])
			}
		}
	}
}

func TestOutsideTheSupport(t *testing.T) {
	e, err := NewExact([]float64{0.5, 0.9}, []float64{1, -1})
	if err != nil {
		t.Fatal(err)
	}
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		theta []float64
		want  float64
	}{
		{[]float64{1, 1, 0.5, 0.5}, -inf},
		{[]float64{1, 1, 0.5, 0.7}, -inf},
		{[]float64{1, 0, 0.5, 0.1}, -inf},
		{[]float64{1, -1, 0.5, 0.1}, -inf},
		{[]float64{1, 1, 0, 0.1}, -inf},
		{[]float64{1, 1, 1, 0.1}, -inf},
		{[]float64{1, 1, -0.1, 0.1}, -inf},
		{[]float64{inf, 1, 0.5, 0.1}, -inf},
		{[]float64{1, inf, 0.5, 0.1}, -inf},
		{[]float64{inf, inf, 0.5, -inf}, -inf},
		{[]float64{nan, 1, 0.5, 0.1}, nan},
		{[]float64{1, 1, nan, 0.1}, nan},
	} {
		grad := []float64{7, 7, 7, 7}
		one := []float64{7, 7, 7, 7}
		for i, got := range []float64{e.LogLik(c.theta), e.LogLikGrad(c.theta, grad), logDensityGrad(0.5, 1, c.theta, one)} {
			if got != c.want && !(math.IsNaN(got) && math.IsNaN(c.want)) {
				t.Errorf("theta %v, way %d: got %v, want %v", c.theta, i, got, c.want)
			}
		}
		for _, g := range append(grad, one...) {
			if g != 0 {
				t.Errorf("theta %v: gradient %v %v, want zero", c.theta, grad, one)
			}
		}
	}
	if got := logDensity(0.5, 0, []float64{1, 1, 0.5, 0.1}); got != -inf {
		t.Errorf("choice 0: got %v", got)
	}
}

// TestFiniteAtExtremes looks for losses of range: wherever the leading term of
// the true value is representable the value must be finite and near it.
func TestFiniteAtExtremes(t *testing.T) {
	for _, a := range []float64{1e-8, 1, 1e8} {
		for _, u := range []float64{1e-300, 1e-160, 1e-20, 1e-3, 10, 1e20, 1e300} {
			for _, z := range []float64{1e-300, 1e-15, 0.3, 1 - 1e-15} {
				for _, v := range []float64{-1e8, 0, 3} {
					rt := 4 * a * a * u
					var grad [4]float64
					value := logDensityGrad(rt, -1, []float64{v, a, z, 0}, grad[:])
					if math.IsNaN(value) || math.IsInf(value, 1) {
						t.Errorf("a %v u %v z %v v %v: value %v", a, u, z, v, value)
					}
					if math.Abs(v*v*rt/2) < 1e300 && math.IsInf(value, 0) {
						t.Errorf("a %v u %v z %v v %v: value %v", a, u, z, v, value)
					}
					for j, g := range grad {
						if math.IsNaN(g) {
							t.Errorf("a %v u %v z %v v %v: gradient %d is NaN", a, u, z, v, j)
						}
					}
				}
			}
		}
	}
}

func TestNewExactRefuses(t *testing.T) {
	for _, c := range []struct {
		rt, choice []float64
		want       string
	}{
		{[]float64{1}, nil, "1 response times but 0 choices"},
		{[]float64{1, 0}, []float64{1, 1}, "trial 2: rt 0"},
		{[]float64{math.NaN()}, []float64{1}, "trial 1: rt NaN"},
		{[]float64{math.Inf(1)}, []float64{1}, "trial 1: rt +Inf"},
		{[]float64{1, 1, 1}, []float64{1, -1, 0}, "trial 3: choice 0"},
	} {
		if _, err := NewExact(c.rt, c.choice); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v %v: error %v, want %q", c.rt, c.choice, err, c.want)
		}
	}
}

func TestNoTrials(t *testing.T) {
	e, err := NewExact(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := e.LogLik([]float64{0, 1, 0.5, 3}); got != 0 || e.N() != 0 || e.Dim() != 4 {
		t.Errorf("empty data: value %v, n %d, dim %d", got, e.N(), e.Dim())
	}
}

func TestNoAllocation(t *testing.T) {
	e, theta := boundAt(t, 1000)
	grad := make([]float64, 4)
	if n := testing.AllocsPerRun(100, func() { e.LogLikGrad(theta, grad); e.LogLik(theta) }); n != 0 {
		t.Errorf("%v allocations an evaluation", n)
	}
}

func TestConcurrentUse(t *testing.T) {
	e, theta := boundAt(t, 1000)
	want := e.LogLik(theta)
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			var grad [4]float64
			for range 20 {
				if got := e.LogLikGrad(theta, grad[:]); got != want {
					t.Errorf("got %v, want %v", got, want)
				}
			}
		})
	}
	wait.Wait()
}

// boundAt binds n trials drawn at the centre of the ranges.
func boundAt(t testing.TB, n int) (*Exact, []float64) {
	t.Helper()
	theta := []float64{0.8, 1.2, 0.45, 0.3}
	r := rand.New(rand.NewPCG(3, 0))
	rt, choice := make([]float64, n), make([]float64, n)
	for i := range rt {
		rt[i] = 0.3 + math.Exp(0.1+0.6*r.NormFloat64())
		choice[i] = float64(2*r.IntN(2) - 1)
	}
	e, err := NewExact(rt, choice)
	if err != nil {
		t.Fatal(err)
	}
	return e, theta
}

func BenchmarkExact(b *testing.B) {
	for _, size := range []struct {
		name string
		n    int
	}{{"100", 100}, {"1000", 1000}, {"100000", 100000}} {
		e, theta := boundAt(b, size.n)
		grad := make([]float64, 4)
		b.Run("value/"+size.name, func(b *testing.B) {
			for b.Loop() {
				e.LogLik(theta)
			}
		})
		b.Run("gradient/"+size.name, func(b *testing.B) {
			for b.Loop() {
				e.LogLikGrad(theta, grad)
			}
		})
	}
}
