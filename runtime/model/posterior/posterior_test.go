package posterior

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/diff/fd"

	"likc/runtime/fit/nuts"
	"likc/runtime/num/chains"
)

// quadratic is a log-likelihood -½Σ((θ-centre)/sd)² with a coupling of neighbours. answer, if set, may override its value.
type quadratic struct {
	centre, sd []float64
	answer     func(theta []float64) (float64, bool)
}

func (l quadratic) Dim() int { return len(l.centre) }

func (l quadratic) LogLik(theta []float64) float64 {
	return l.LogLikGrad(theta, make([]float64, len(theta)))
}

func (l quadratic) LogLikGrad(theta, grad []float64) float64 {
	clear(grad)
	if l.answer != nil {
		if v, ok := l.answer(theta); ok {
			return v
		}
	}
	sum := 0.0
	for i := range theta {
		z := (theta[i] - l.centre[i]) / l.sd[i]
		sum -= z * z / 2
		grad[i] = -z / l.sd[i]
	}
	return sum
}

// allBounds returns parameters with every kind of range and prior.
func allBounds(t testing.TB) []Parameter {
	inf := math.Inf(1)
	return []Parameter{
		{"v", -3, 3, mustParse(t, "normal(0,2)")},
		{"a", 0.3, 2.5, mustParse(t, "gamma(1.5,0.75)")},
		{"z", 0.1, 0.9, mustParse(t, "beta(10,10)")},
		{"t", 0, 2, mustParse(t, "exponential(3)")},
		{"free", -inf, inf, mustParse(t, "normal(1,1)")},
		{"positive", -1, inf, mustParse(t, "half-normal(2)")},
		{"negative", -inf, -1, Prior{}},
		{"flat", -inf, inf, Prior{}},
		{"share", -inf, inf, mustParse(t, "uniform(2,4)")},
	}
}

func allBoundsPosterior(t testing.TB) *Posterior {
	n := len(allBounds(t))
	lik := quadratic{centre: make([]float64, n), sd: make([]float64, n)}
	for i := range lik.sd {
		lik.centre[i], lik.sd[i] = 0.4, 0.5+float64(i)
	}
	p, err := New(lik, allBounds(t))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestTransforms(t *testing.T) {
	inf := math.Inf(1)
	for _, bounds := range [][2]float64{{-3, 3}, {0.3, 2.5}, {0, 1e-3}, {-1, inf}, {-inf, 2}, {-inf, inf}} {
		tr := newTransform(bounds[0], bounds[1])
		logJacobian := func(q float64) float64 {
			_, _, linear, factor, _ := tr.constrain(q)
			return linear - 2*math.Log(factor)
		}
		before := math.Inf(-1)
		if math.IsInf(tr.low, -1) && !math.IsInf(tr.high, 1) {
			before = inf // runs downward
		}
		for _, q := range []float64{-30, -5, -1, -1e-3, 0, 0.7, 3, 20} {
			x, slope, _, _, tilt := tr.constrain(q)
			if !(x >= tr.low && x <= tr.high) {
				t.Errorf("%v: %v maps to %v", tr, q, x)
			}
			if (slope > 0) != (x > before) || x == before {
				t.Errorf("%v: not monotone at %v", tr, q)
			}
			before = x
			if back, err := tr.unconstrain(x); math.Abs(q) < 6 && (err != nil || !(math.Abs(back-q) <= 1e-9)) {
				t.Errorf("%v: %v returns as %v, %v", tr, q, back, err)
			}
			h := 1e-4
			if want := (tr.place(q+h) - tr.place(q-h)) / (2 * h); math.Abs(q) < 6 && !(math.Abs(slope-want) <= 1e-6*math.Abs(want)+1e-12) {
				t.Errorf("%v at %v: slope %v, finite difference %v", tr, q, slope, want)
			}
			if !(math.Abs(logJacobian(q)-math.Log(math.Abs(slope))) <= 1e-9) {
				t.Errorf("%v at %v: log Jacobian %v, slope %v", tr, q, logJacobian(q), slope)
			}
			if want := (logJacobian(q+h) - logJacobian(q-h)) / (2 * h); !(math.Abs(tilt-want) <= 1e-6) {
				t.Errorf("%v at %v: slope of the log Jacobian %v, finite difference %v", tr, q, tilt, want)
			}
		}
	}
	tr := newTransform(-3, 3)
	for _, x := range []float64{-3, 3, 4, math.NaN()} {
		if _, err := tr.unconstrain(x); err == nil {
			t.Errorf("unconstrain(%v) is no error", x)
		}
	}
}

func TestGradientAgreesWithFiniteDifferences(t *testing.T) {
	p := allBoundsPosterior(t)
	target := p.Target()
	n := p.Dim()
	scratch := make([]float64, n)
	f := func(q []float64) float64 {
		lp, err := target.LogDensityGrad(q, scratch)
		if err != nil {
			t.Fatal(err)
		}
		return lp
	}
	for seed := range 5 {
		q, grad := make([]float64, n), make([]float64, n)
		for i := range q {
			q[i] = 1.5 * math.Sin(float64(3*i+7*seed))
		}
		if _, err := target.LogDensityGrad(q, grad); err != nil {
			t.Fatal(err)
		}
		want := fd.Gradient(nil, f, q, &fd.Settings{Formula: fd.Central})
		for i := range q {
			if !(math.Abs(grad[i]-want[i]) <= 1e-5*(1+math.Abs(want[i]))) {
				t.Errorf("at %v: gradient of %s = %v, finite difference %v", q, p.Names()[i], grad[i], want[i])
			}
		}
	}
}

// TestManyParametersDoNotOverflowTheJacobian has 3,000 parameters, each with a factor of 2 in the Jacobian.
func TestManyParametersDoNotOverflowTheJacobian(t *testing.T) {
	const n = 3000
	lik := quadratic{centre: make([]float64, n), sd: make([]float64, n)}
	params := make([]Parameter, n)
	for i := range params {
		lik.sd[i] = 1
		params[i] = Parameter{Name: "x", Lower: -1, Upper: 1}
	}
	p, err := New(lik, params)
	if err != nil {
		t.Fatal(err)
	}
	got, err := p.Target().LogDensityGrad(make([]float64, n), make([]float64, n))
	if want := -n * math.Ln2; err != nil || !(math.Abs(got-want) <= 1e-6) { // width 2, slope ½
		t.Errorf("log density %v, %v, want %v", got, err, want)
	}
}

func TestGradientsDoNotAllocate(t *testing.T) {
	target := allBoundsPosterior(t).Target()
	q, grad := make([]float64, target.Dim()), make([]float64, target.Dim())
	if n := testing.AllocsPerRun(100, func() { _, _ = target.LogDensityGrad(q, grad) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
	for _, value := range []float64{math.Inf(-1), math.NaN(), math.Inf(1)} {
		lik := quadratic{make([]float64, 1), []float64{1}, func([]float64) (float64, bool) { return value, true }}
		p, err := New(lik, []Parameter{{Name: "x", Lower: -1, Upper: 1}})
		if err != nil {
			t.Fatal(err)
		}
		target := p.Target()
		if n := testing.AllocsPerRun(100, func() { _, err = target.LogDensityGrad(q[:1], grad[:1]) }); n != 0 {
			t.Errorf("%v: %v allocations", value, n)
		}
		var none *NoDensity
		if !errors.As(err, &none) || !none.Recoverable() {
			t.Errorf("%v: %v", value, err)
		}
	}
}

func TestConstrainGoesBothWays(t *testing.T) {
	p := allBoundsPosterior(t)
	q, theta, back := make([]float64, p.Dim()), make([]float64, p.Dim()), make([]float64, p.Dim())
	for i := range q {
		q[i] = float64(i) - 4
	}
	p.Constrain(q, theta)
	if err := p.Unconstrain(theta, back); err != nil {
		t.Fatal(err)
	}
	for i := range q {
		low, high := p.Bounds(i)
		if !(theta[i] > low && theta[i] < high) || !(math.Abs(back[i]-q[i]) <= 1e-9) {
			t.Errorf("%s: %v to %v to %v", p.Names()[i], q[i], theta[i], back[i])
		}
	}
	theta[1] = 9
	if err := p.Unconstrain(theta, back); err == nil || !strings.Contains(err.Error(), "parameter a: 9 is not within (0.3, 2.5)") {
		t.Errorf("outside: %v", err)
	}
}

// TestInside checks that parameters at a bound move into the range, and that all others do not change.
func TestInside(t *testing.T) {
	inf := math.Inf(1)
	p, err := New(quadratic{centre: make([]float64, 5), sd: []float64{1, 1, 1, 1, 1}},
		[]Parameter{{"low", 2, 4, Prior{}}, {"high", 2, 4, Prior{}}, {"above", 0, inf, Prior{}}, {"below", -inf, 0, Prior{}}, {"free", -inf, inf, Prior{}}})
	if err != nil {
		t.Fatal(err)
	}
	theta := []float64{2, 4.5, 0, 0, 7}
	p.Inside(theta)
	if err := p.Unconstrain(theta, make([]float64, 5)); err != nil {
		t.Error(err)
	}
	for i, want := range []float64{2 + 2e-6, 4 - 2e-6, 1e-6, -1e-6, 7} {
		if !(math.Abs(theta[i]-want) <= 1e-12) {
			t.Errorf("%v, want %v in place %d", theta, want, i)
		}
	}
	again := append([]float64{}, theta...)
	if p.Inside(again); again[0] != theta[0] || again[4] != 7 {
		t.Errorf("%v moved to %v", theta, again)
	}
}

func TestNewRefusesWhatCannotBe(t *testing.T) {
	lik := quadratic{centre: make([]float64, 1), sd: []float64{1}}
	for want, params := range map[string][]Parameter{
		"2 parameters for a likelihood of 1":        make([]Parameter, 2),
		"parameter x: nothing lies in its range":    {{Name: "x", Lower: -2, Upper: -1, Prior: mustParse(t, "gamma(1,1)")}},
		"parameter y: nothing lies in its range [1": {{Name: "y", Lower: 1, Upper: 1}},
	} {
		if _, err := New(lik, params); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

func TestCapUpper(t *testing.T) {
	params := allBounds(t)
	if err := CapUpper(params, "t", 0.41); err != nil || params[3].Upper != 0.41 {
		t.Errorf("upper end %v, %v", params[3].Upper, err)
	}
	if err := CapUpper(params, "t", 5); err != nil || params[3].Upper != 0.41 {
		t.Errorf("upper end %v, %v", params[3].Upper, err)
	}
	if err := CapUpper(params, "a", 0.2); err == nil || !strings.Contains(err.Error(), "parameter a: the data bound it by 0.2, its range starts at 0.3") {
		t.Errorf("below the range: %v", err)
	}
	if err := CapUpper(params, "nobody", 1); err == nil {
		t.Error("no such parameter is no error")
	}
}

func draw(t *testing.T, p *Posterior) []chains.Summary {
	t.Helper()
	s := nuts.DefaultSettings()
	s.Seed, s.NumSamples = 11, 2000
	r, err := nuts.Sample(context.Background(), func(int) nuts.Target { return p.Target() }, s)
	if err != nil {
		t.Fatal(err)
	}
	p.ConstrainDraws(r.Draws)
	return r.Draws.Summarise()
}

// TestSampledMomentsAgreeWithIntegrals compares draws with one-dimensional integrals: the parameters are independent.
func TestSampledMomentsAgreeWithIntegrals(t *testing.T) {
	p := allBoundsPosterior(t)
	for i, s := range draw(t, p) {
		mean, sd := marginal(p, i)
		if s.Name != p.Names()[i] {
			t.Errorf("parameter %d is called %s", i, s.Name)
		}
		if z := (s.Mean - mean) / s.MCSEMean; !(math.Abs(z) < 4.5) {
			t.Errorf("%s: mean %v, want %v (z %.1f)", s.Name, s.Mean, mean, z)
		}
		if z := (s.SD - sd) / s.MCSESD; !(math.Abs(z) < 4.5) {
			t.Errorf("%s: sd %v, want %v (z %.1f)", s.Name, s.SD, sd, z)
		}
	}
}

// marginal returns the mean and the standard deviation of parameter i, by integration of its factor of the posterior on a
// fine grid. Other parameters are fixed.
func marginal(p *Posterior, i int) (mean, sd float64) {
	n := p.Dim()
	theta, grad := make([]float64, n), make([]float64, n)
	p.Constrain(make([]float64, n), theta)
	low, high := p.Bounds(i)
	low, high = max(low, -60), min(high, 60)
	const cells = 200000
	var weight, first, second float64
	for k := range cells {
		theta[i] = low + (high-low)*(float64(k)+0.5)/cells
		w := math.Exp(p.LogDensityGrad(theta, grad))
		weight += w
		first += w * theta[i]
		second += w * theta[i] * theta[i]
	}
	mean = first / weight
	return mean, math.Sqrt(second/weight - mean*mean)
}

func TestModeOfANormalPosterior(t *testing.T) {
	lik := quadratic{centre: []float64{1, -2}, sd: []float64{0.1, 0.5}}
	inf := math.Inf(1)
	p, err := New(lik, []Parameter{{"x", -5, 5, Prior{}}, {"y", -inf, inf, mustParse(t, "normal(0,1)")}})
	if err != nil {
		t.Fatal(err)
	}
	for _, start := range [][]float64{nil, {-4, 6}} {
		mode, err := p.MAP(start)
		if err != nil {
			t.Fatal(err)
		}
		precision := 1/0.25 + 1 // precision of y: of the likelihood plus that of the prior
		want := []float64{1, -2 / 0.25 / precision}
		sd := []float64{0.1, 1 / math.Sqrt(precision)}
		for i := range want {
			if !(math.Abs(mode.Theta[i]-want[i]) <= 1e-5) || !(math.Abs(mode.SD[i]-sd[i]) <= 1e-6) {
				t.Errorf("from %v: mode %v ± %v, want %v ± %v", start, mode.Theta, mode.SD, want, sd)
			}
		}
		if got := p.LogDensityGrad(mode.Theta, make([]float64, 2)); !(math.Abs(got-mode.LogDensity) <= 1e-9) || mode.Gradients < 5 {
			t.Errorf("mode %+v, density there %v", mode, got)
		}
	}
}

// TestModeAtZero checks that the steps of finite differences, from which the standard deviation comes, do not become 0 at a mode of 0.
func TestModeAtZero(t *testing.T) {
	p, err := New(quadratic{centre: []float64{0}, sd: []float64{0.1}}, []Parameter{{Name: "x", Lower: -1, Upper: 1}})
	if err != nil {
		t.Fatal(err)
	}
	mode, err := p.MAP(nil)
	if err != nil || mode.Theta[0] != 0 || !(math.Abs(mode.SD[0]-0.1) <= 1e-6) {
		t.Errorf("mode %+v, %v, want 0 ± 0.1", mode, err)
	}
}

func TestModeOfAGammaPrior(t *testing.T) {
	flat := quadratic{centre: []float64{0}, sd: []float64{1e9}}
	p, err := New(flat, []Parameter{{"x", 0, math.Inf(1), mustParse(t, "gamma(5,2)")}})
	if err != nil {
		t.Fatal(err)
	}
	mode, err := p.MAP(nil)
	if err != nil || !(math.Abs(mode.Theta[0]-2) <= 1e-5) || !(math.Abs(mode.SD[0]-1) <= 1e-4) {
		t.Errorf("mode %+v, %v, want 2 ± 1", mode, err)
	}
}

func TestModeErrors(t *testing.T) {
	nowhere := quadratic{[]float64{0}, []float64{1}, func([]float64) (float64, bool) { return math.NaN(), true }}
	p, err := New(nowhere, []Parameter{{Name: "x", Lower: 0, Upper: 1}})
	if err != nil {
		t.Fatal(err)
	}
	for _, start := range [][]float64{nil, {0.5}, {2}, {1, 2}} {
		if _, err := p.MAP(start); err == nil {
			t.Errorf("from %v: no error", start)
		}
	}
}

// TestModeAtABoundaryHasNoSD checks a density that rises up to the end of the range.
func TestModeAtABoundaryHasNoSD(t *testing.T) {
	p, err := New(quadratic{centre: []float64{5}, sd: []float64{1}}, []Parameter{{Name: "x", Lower: 0, Upper: 1}})
	if err != nil {
		t.Fatal(err)
	}
	mode, err := p.MAP(nil)
	if err != nil || mode.Theta[0] < 0.999 || !math.IsNaN(mode.SD[0]) || !mode.AtBound[0] {
		t.Errorf("mode %+v, %v", mode, err)
	}
}

// correlated is a normal log-likelihood of precision [[2, 1], [1, 2]] about its centre.
type correlated struct{ x, y float64 }

func (correlated) Dim() int { return 2 }

func (l correlated) LogLik(theta []float64) float64 { return l.LogLikGrad(theta, make([]float64, 2)) }

func (l correlated) LogLikGrad(theta, grad []float64) float64 {
	x, y := theta[0]-l.x, theta[1]-l.y
	grad[0], grad[1] = -2*x-y, -x-2*y
	return -x*x - x*y - y*y
}

// TestOthersHaveAnSDBesideAModeAtABoundary checks the standard deviation of y if x is at its boundary: with x fixed at 1, y is normal
// with mean y0 - (1-x0)/2 and precision 2.
func TestOthersHaveAnSDBesideAModeAtABoundary(t *testing.T) {
	for _, bounds := range [][2]float64{{0, 1}, {math.Inf(-1), 1}} {
		p, err := New(correlated{3, 1}, []Parameter{{Name: "x", Lower: bounds[0], Upper: bounds[1]}, {Name: "y", Lower: -9, Upper: 9}})
		if err != nil {
			t.Fatal(err)
		}
		mode, err := p.MAP(nil)
		if err != nil {
			t.Fatal(err)
		}
		if !mode.AtBound[0] || mode.AtBound[1] || !math.IsNaN(mode.SD[0]) || !(math.Abs(mode.Theta[1]-2) <= 1e-4) || !(math.Abs(mode.SD[1]-math.Sqrt(0.5)) <= 1e-6) {
			t.Errorf("x from %v to %v: mode %+v, want y = 2 ± %v", bounds[0], bounds[1], mode, math.Sqrt(0.5))
		}
	}
}

func TestModeEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	evaluations := 0
	lik := quadratic{[]float64{1, 2}, []float64{1, 1e-3}, func([]float64) (float64, bool) {
		if evaluations++; evaluations == 5 {
			cancel()
		}
		return 0, false
	}}
	p, err := New(lik, []Parameter{{Name: "x", Lower: -5, Upper: 5}, {Name: "y", Lower: -5, Upper: 5}})
	if err != nil {
		t.Fatal(err)
	}
	if mode, err := p.MAPContext(ctx, nil); !errors.Is(err, context.Canceled) || mode != nil || evaluations > 7 {
		t.Errorf("mode %v, %v after %d evaluations", mode, err, evaluations)
	}
}

// TestNoDensityNamesWhatIsAtFault checks that errors name the prior or the likelihood, and whether the value or the gradient is not finite.
func TestNoDensityNamesWhatIsAtFault(t *testing.T) {
	fine := quadratic{centre: []float64{0}, sd: []float64{1}}
	answers := func(v float64) quadratic {
		return quadratic{[]float64{0}, []float64{1}, func([]float64) (float64, bool) { return v, true }}
	}
	for _, c := range []struct {
		lik   quadratic
		prior string
		want  string
	}{
		{fine, "normal(0,1e-200)", "the prior of x, normal(mean=0,sd=1e-200), has no finite log density or gradient"},
		{answers(math.Inf(-1)), "normal(0,1)", "the likelihood is zero: outside its support"},
		{answers(math.NaN()), "normal(0,1)", "the log-likelihood is NaN or +Inf"},
		{quadratic{centre: []float64{0}, sd: []float64{1e-160}}, "uniform", "the likelihood is zero: outside its support"},
		{quadratic{centre: []float64{0}, sd: []float64{math.NaN()}, answer: nil}, "uniform", "the log-likelihood is NaN or +Inf"},
	} {
		p, err := New(c.lik, []Parameter{{"x", -1, 1, mustParse(t, c.prior)}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.Target().LogDensityGrad([]float64{0.3}, make([]float64, 1)); err == nil || err.Error() != c.want {
			t.Errorf("prior %s: %v, want %s", c.prior, err, c.want)
		}
	}
}

// BenchmarkTarget measures the time that the posterior needs in addition to a likelihood that needs nearly none.
func BenchmarkTarget(b *testing.B) {
	nine := allBoundsPosterior(b)
	box := make([]Parameter, 4)
	for i := range box {
		box[i] = Parameter{Name: "x", Lower: -1, Upper: 1}
	}
	four, err := New(quadratic{centre: make([]float64, 4), sd: []float64{1, 1, 1, 1}}, box)
	if err != nil {
		b.Fatal(err)
	}
	for name, p := range map[string]*Posterior{"four uniform": four, "nine mixed": nine} {
		b.Run(name, func(b *testing.B) {
			target := p.Target()
			q, grad := make([]float64, target.Dim()), make([]float64, target.Dim())
			for b.Loop() {
				_, _ = target.LogDensityGrad(q, grad)
			}
		})
	}
}

// ridge is a likelihood with a ridge: it depends on the first two parameters only through their sum, and on an independent third one.
type ridge struct{}

func (ridge) Dim() int { return 3 }
func (ridge) LogLikGrad(theta, grad []float64) float64 {
	sum := theta[0] + theta[1]
	grad[0], grad[1], grad[2] = -100*sum, -100*sum, -4*theta[2]
	return -50*sum*sum - 2*theta[2]*theta[2]
}
func (r ridge) LogLik(theta []float64) float64 { return r.LogLikGrad(theta, make([]float64, 3)) }

func TestModeOnARidgeIsUndetermined(t *testing.T) {
	p, err := New(ridge{}, []Parameter{{"x", -1, 1, Prior{}}, {"y", -1, 1, Prior{}}, {"z", -9, 9, Prior{}}})
	if err != nil {
		t.Fatal(err)
	}
	mode, err := p.MAP([]float64{0.3, 0.1, 1})
	if err != nil {
		t.Fatal(err)
	}
	if !mode.Level[0] || !mode.Level[1] || !math.IsNaN(mode.SD[0]) || !math.IsNaN(mode.SD[1]) {
		t.Errorf("a ridge has sds %v, level %v", mode.SD, mode.Level)
	}
	if mode.Level[2] || !(math.Abs(mode.SD[2]-0.5) <= 1e-6) {
		t.Errorf("beside the ridge: sds %v, level %v", mode.SD, mode.Level)
	}
}

// TestModeAtALowerBoundary checks that a mode at a lower boundary is treated like one at an upper boundary, for every scale of the range
// and of the density.
func TestModeAtALowerBoundary(t *testing.T) {
	for _, c := range []struct {
		centre, sd, low, high float64
		bound                 bool
	}{
		{-4, 1, 0, 1, true},
		{4, 1, 0, 1, true},
		{-40, 10, 0, 1000, true},
		{1040, 10, 0, 1000, true},
		{-4, 2, 0, math.Inf(1), true},
		{4, 2, math.Inf(-1), 0, true},
		{0.5, 0.05, 0, 1, false},
		{3, 0.5, 0, math.Inf(1), false},
		{-3, 0.5, math.Inf(-1), 0, false},
	} {
		p, err := New(quadratic{centre: []float64{c.centre}, sd: []float64{c.sd}}, []Parameter{{Name: "x", Lower: c.low, Upper: c.high}})
		if err != nil {
			t.Fatal(err)
		}
		mode, err := p.MAP(nil)
		if err != nil {
			t.Fatal(err)
		}
		if mode.AtBound[0] != c.bound || math.IsNaN(mode.SD[0]) != c.bound || mode.Level[0] {
			t.Errorf("%+v: mode %+v", c, mode)
		}
		if !c.bound && !(math.Abs(mode.SD[0]-c.sd) <= 1e-5*c.sd) {
			t.Errorf("%+v: sd %v", c, mode.SD)
		}
	}
}

// steep has a finite value and an infinite slope.
type steep struct{}

func (steep) Dim() int                             { return 1 }
func (steep) LogLik([]float64) float64             { return 1 }
func (steep) LogLikGrad(_, grad []float64) float64 { grad[0] = math.Inf(1); return 1 }

func TestInfiniteSlopesAreNoDensity(t *testing.T) {
	p, err := New(steep{}, []Parameter{{Name: "x", Lower: math.Inf(-1), Upper: math.Inf(1)}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Target().LogDensityGrad([]float64{0.5}, make([]float64, 1)); err == nil || !strings.Contains(err.Error(), "gradient of the log-likelihood is not finite") {
		t.Errorf("an infinite slope: %v", err)
	}
}
