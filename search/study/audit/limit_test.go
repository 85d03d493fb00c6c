package audit

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/diff/fd"
	"gonum.org/v1/gonum/integrate/quad"

	"likc/runtime/model/kernel"
	"likc/runtime/model/posterior"
	"likc/runtime/model/ssm"
	"likc/search/study"
)

// cut is a response time after which many trials of truths[0] come: the density is far from 0 there.
const cut = 0.9

// TestExactIsTheCutDensity compares the share of each choice and the mean response time among trials before cut with
// Gauss-Legendre quadrature of the density.
func TestExactIsTheCutDensity(t *testing.T) {
	testCut(t, ssm.DDM, truths[0])
	full, err := ssm.Lookup("full_ddm")
	if err != nil {
		t.Fatal(err)
	}
	testCut(t, full, full.Example)
}

func testCut(t *testing.T, m *ssm.Model, theta []float64) {
	integral := func(choice float64, f func(rt float64) float64) float64 {
		return quad.Fixed(func(rt float64) float64 {
			return f(rt) * math.Exp(m.LogDensity(rt, choice, theta))
		}, m.Earliest(theta), cut, 400, nil, 0)
	}
	mass := func(choice float64) float64 { return integral(choice, func(float64) float64 { return 1 }) }
	time := func(rt float64) float64 { return rt }
	total := mass(1) + mass(-1)
	wantUpper, wantTime := mass(1)/total, (integral(1, time)+integral(-1, time))/total

	p := Exact(m, theta, cut)
	sum, upper, mean := 0.0, 0.0, 0.0
	for i, w := range p.Weight {
		sum += w
		mean += w * p.RT[i]
		if p.Choice[i] > 0 {
			upper += w
		}
		if p.RT[i] <= m.Earliest(theta) || p.RT[i] > cut+1e-12 {
			t.Fatalf("%s: a trial of %v s", m.Name, p.RT[i])
		}
	}
	// the trapezoid rule errs by h²/12 = 3e-5 of the density's slope at the end, with steps of h = 0.018
	if !(math.Abs(sum-1) <= 1e-12) || !(math.Abs(upper-wantUpper) <= 1e-6) || !(math.Abs(mean-wantTime) <= 5e-5) {
		t.Errorf("%s: weights %v, upper %v, mean time %v; want 1, %v, %v", m.Name, sum, upper, mean, wantUpper, wantTime)
	}
}

// TestSimulatedIsCut: a sample has no trial at or after the longest time, and its weights are equal and sum to 1.
func TestSimulatedIsCut(t *testing.T) {
	const trials = 2000
	p, err := Simulated(ssm.DDM, ssm.ExactScheme(), ssm.NewRand(1, 1), truths[0], trials, cut)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(p.RT); n < trials/10 || n > trials*9/10 || len(p.Choice) != n || len(p.Weight) != n {
		t.Fatalf("%d response times, %d choices, %d weights", len(p.RT), len(p.Choice), len(p.Weight))
	}
	for i, rt := range p.RT {
		if rt >= cut || p.Weight[i] != 1/float64(len(p.RT)) {
			t.Errorf("a trial of %v s weighs %v of %d", rt, p.Weight[i], len(p.RT))
		}
	}
}

// TestGradients compares the gradient of a mean with central differences.
func TestGradients(t *testing.T) {
	p := Exact(ssm.DDM, truths[2], cut)
	mean := MeanDensity{p, ssm.DDM}
	for name, c := range map[string]struct {
		lik    kernel.Sum
		factor float64
	}{"mean": {mean, 1}} {
		at := []float64{0.4, 1.5, 0.6, 0.5}
		grad := []float64{9, 9, 9, 9} // old values in grad must not matter
		value := c.lik.LogLikGrad(at, grad)
		if want := c.factor * direct(p, at); !(math.Abs(value-want) <= 1e-9*math.Abs(want)) || !(math.Abs(c.lik.LogLik(at)-want) <= 1e-9*math.Abs(want)) {
			t.Errorf("%s: %v and %v, want %v", name, value, c.lik.LogLik(at), want)
		}
		for j, want := range fd.Gradient(nil, c.lik.LogLik, at, &fd.Settings{Formula: fd.Central}) {
			if !(math.Abs(grad[j]-want) <= 1e-5*max(c.factor, math.Abs(want))) {
				t.Errorf("%s: ∂/∂θ[%d] is %v, by differences %v", name, j, grad[j], want)
			}
		}
	}
	grad := []float64{9, 9, 9, 9}
	if value := mean.LogLikGrad([]float64{0.4, 1.5, 0.6, cut}, grad); !math.IsInf(value, -1) || grad[0] != 0 || grad[3] != 0 {
		t.Errorf("with all trials before the onset: %v, gradient %v", value, grad)
	}
}

// direct is the weighted sum of log densities, term by term.
func direct(p Population, theta []float64) (sum float64) {
	for i := range p.RT {
		sum += p.Weight[i] * ssm.DDM.LogDensity(p.RT[i], p.Choice[i], theta)
	}
	return sum
}

// peaks is a density of two parameters. In the first it has a low maximum at -1 and a higher one at 1; in the second it is
// constant.
type peaks struct{ where *[][]float64 }

func (peaks) Dim() int { return 2 }
func (p peaks) LogLik(theta []float64) float64 {
	var grad [2]float64
	return p.LogLikGrad(theta, grad[:])
}
func (p peaks) LogLikGrad(theta, grad []float64) float64 {
	*p.where = append(*p.where, append([]float64(nil), theta...))
	x := theta[0]
	grad[0], grad[1] = scale*(-4*x*(x*x-1)+0.3), 0
	return scale * (-(x*x-1)*(x*x-1) + 0.3*x)
}

func twoPeaks(where *[][]float64, lower, upper float64) Model {
	return Model{Name: "peaks", Onset: -1,
		Params: []posterior.Parameter{{Name: "x", Lower: lower, Upper: upper}, {Name: "y", Lower: 0, Upper: 10}},
		Bind:   func(Population) (kernel.Sum, error) { return peaks{where}, nil }}
}

// TestHighestMaximumWins: the truth is at the lower maximum, and the search from other points finds the higher one.
func TestHighestMaximumWins(t *testing.T) {
	var where [][]float64
	got, err := findLimit(context.Background(), twoPeaks(&where, -2, 2), Population{RT: []float64{1}}, 0, []float64{-1, 5})
	if err != nil || got.Error != "" {
		t.Fatal(err, got.Error)
	}
	// the root near 1 of 4x(x² - 1) = 0.3
	root := 1.0
	for range 50 {
		root -= (4*root*(root*root-1) - 0.3) / (12*root*root - 4)
	}
	value := func(x float64) float64 { return -(x*x-1)*(x*x-1) + 0.3*x }
	if !(math.Abs(float64(got.Argmax[0])-root) <= 1e-4) || !(math.Abs(float64(got.Gain)-(value(root)-value(-1))) <= 1e-6) {
		t.Errorf("argmax %v, gain %v; want %v, %v", got.Argmax, got.Gain, root, value(root)-value(-1))
	}
}

// TestStarts: the starts are the truth (moved inwards if it is within 1% of a bound), the middle of the ranges, and two random
// points that depend on the subject.
func TestStarts(t *testing.T) {
	var where [][]float64
	m := twoPeaks(&where, -2, 2)
	post, err := posterior.New(peaks{&where}, m.Params)
	if err != nil {
		t.Fatal(err)
	}
	near := func(got []float64, want ...float64) bool {
		return math.Abs(got[0]-want[0]) < 1e-12 && math.Abs(got[1]-want[1]) < 1e-12
	}
	for i, c := range []struct{ truth, want []float64 }{
		{[]float64{0.5, 3}, []float64{0.5, 3}},
		{[]float64{-2, 10}, []float64{-1.96, 9.9}},
		{[]float64{1.99, 0.01}, []float64{1.96, 0.1}},
	} {
		all := starts(post, &study.Case{ID: i, Truth: c.truth})
		if len(all) != 4 || !near(all[0], c.want...) || !near(all[1], 0, 5) {
			t.Errorf("starts from %v: %v", c.truth, all)
		}
		others := starts(post, &study.Case{ID: i + 1, Truth: c.truth})
		for k := 2; k < 4; k++ {
			if x := all[k]; !(x[0] >= -1.96 && x[0] <= 1.96 && x[1] >= 0.1 && x[1] <= 9.9) || near(x, others[k]...) || near(x, all[5-k]...) {
				t.Errorf("start %d is %v; of the next subject %v", k, x, others[k])
			}
		}
	}
	low, high := math.Inf(1), math.Inf(-1)
	for subject := range 500 {
		x := starts(post, &study.Case{ID: subject, Truth: []float64{0, 5}})[2][0]
		low, high = min(low, x), max(high, x)
	}
	if low > -1.9 || high < 1.9 {
		t.Errorf("random starts lie between %v and %v of -2 and 2", low, high)
	}
}

// TestOnsetIsCapped: the argmax's onset is not later than the truth's, and the model keeps its ranges.
func TestOnsetIsCapped(t *testing.T) {
	m := Model{Onset: 1, Params: []posterior.Parameter{{Name: "x", Upper: 1}, {Name: "t", Lower: 0.1, Upper: 2}}}
	for onset, want := range map[float64]float64{0.5: 0.5, 3: 2, 0.1: 0.1 + 1e-9, 0.05: 0.1 + 1e-9} {
		if got := m.capped([]float64{7, onset}); got[1].Upper != want || got[0].Upper != 1 || m.Params[1].Upper != 2 {
			t.Errorf("onset %v: %v, want an upper end of %v; the model has %v", onset, got, want, m.Params)
		}
	}
	m.Onset = 0
	if got := m.capped([]float64{0.5, 7}); got[0].Upper != 0.5 || got[1].Upper != 2 {
		t.Errorf("with the onset first: %v", got)
	}
	m.Onset = -1
	if got := m.capped([]float64{7, 0.5}); got[1].Upper != 2 {
		t.Errorf("without an onset: %v", got)
	}
}

// TestFailuresAreTold: the failure of a subject is stored in its limit, without numbers. An interrupt is an error.
func TestFailuresAreTold(t *testing.T) {
	m := exactModel()
	m.Bind = func(Population) (kernel.Sum, error) {
		return nil, errors.New("out of order")
	}
	got, err := findLimit(context.Background(), m, Population{RT: []float64{1}}, 3, truths[0])
	if err != nil || got.Error != "out of order" || got.Subject != 3 || len(got.Argmax) != 4 || !math.IsNaN(float64(got.Argmax[0])) || !math.IsNaN(float64(got.Gain)) {
		t.Errorf("%+v, %v", got, err)
	}
	m.Bind = func(Population) (kernel.Sum, error) { return impossible{}, nil }
	if got, err = findLimit(context.Background(), m, Population{RT: []float64{1}}, 3, truths[0]); err != nil || !strings.HasPrefix(got.Error, "no maximum found: ") {
		t.Errorf("%+v, %v", got, err)
	}
	m.Bind = func(p Population) (kernel.Sum, error) { return MeanDensity{p, ssm.DDM}, nil }
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err = findLimit(ctx, m, Exact(ssm.DDM, truths[0], cut), 3, truths[0]); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// impossible is a density without support.
type impossible struct{}

func (impossible) Dim() int                          { return 4 }
func (impossible) LogLik([]float64) float64          { return math.Inf(-1) }
func (impossible) LogLikGrad(_, g []float64) float64 { clear(g); return math.Inf(-1) }

// MeanDensity is the mean of a process's exact log density over a population.
type MeanDensity struct {
	Population
	Process *ssm.Model
}

// Dim is the number of the process's parameters.
func (l MeanDensity) Dim() int { return l.Process.Dim() }

// LogLik is the weighted sum of log densities.
func (l MeanDensity) LogLik(theta []float64) float64 {
	sum := 0.0
	for i, rt := range l.RT {
		sum += l.Weight[i] * l.Process.LogDensity(rt, l.Choice[i], theta)
	}
	return sum
}

// LogLikGrad is LogLik and its gradient.
func (l MeanDensity) LogLikGrad(theta, grad []float64) float64 {
	clear(grad)
	sum := 0.0
	one := make([]float64, l.Dim())
	for i, rt := range l.RT {
		sum += l.Weight[i] * l.Process.LogDensityGrad(rt, l.Choice[i], theta, one)
		for j, slope := range one {
			grad[j] += l.Weight[i] * slope
		}
	}
	if math.IsInf(sum, -1) {
		clear(grad)
	}
	return sum
}
