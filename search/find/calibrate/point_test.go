package calibrate

import (
	"context"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"sync"
	"testing"

	"likc/compiler/binding"
	"likc/compiler/expr"
	"likc/runtime/model/bound"
	"likc/runtime/model/catalog"
	"likc/runtime/model/kernel"

	"gonum.org/v1/gonum/mat"
)

// quiet ignores progress.
func quiet(int, int) {}

func solverOf(t testing.TB, name, teacher string) *solver {
	t.Helper()
	set := Default()
	set.Tilt = false
	m, _ := prepared(open(t, name).Model, set)
	s, err := newSolver(m, open(t, teacher), &set, 1)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// At the binding function, the mean log density, as an engine computes it, is higher than around it. Its derivatives with respect
// to the true parameters equal finite differences.
func TestBindingFunction(t *testing.T) {
	s := solverOf(t, "wald", "ddm")
	theta := []float64{1.2, 0.9, 0.6, 0.3}
	const step = 0.004
	thetas := [][]float64{theta}
	for j := range theta {
		for _, d := range []float64{step, -step} {
			moved := slices.Clone(theta)
			moved[j] += d
			thetas = append(thetas, moved)
		}
	}
	var mu sync.Mutex
	var reports []int
	points, err := s.solve(context.Background(), thetas, func(done, of int) {
		mu.Lock()
		defer mu.Unlock()
		if reports = append(reports, done); of != len(thetas) {
			t.Errorf("%d points are reported, want %d", of, len(thetas))
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if slices.Sort(reports); len(reports) != len(thetas) || reports[0] != 1 || reports[len(reports)-1] != len(thetas) {
		t.Errorf("%v points are reported as done, want 1 to %d", reports, len(thetas))
	}
	here := points[0]
	for j := range theta {
		most := 0.02
		if j == 3 {
			most = 0.1 // times with negligible density change with the onset; a standard deviation of the onset is a hundredth of those of the other parameters
		}
		for i := range theta {
			d := (points[1+2*j].bound[i] - points[2+2*j].bound[i]) / (2 * step)
			if got := here.slopes.At(i, j); !(math.Abs(got-d) <= most) {
				t.Errorf("∂b%d/∂%d is %v, differences say %v", i, j, got, d)
			}
		}
	}
	b, err := bound.Open(catalog.OfExpression(s.model), bound.Ready)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	p, err := populationOf(s.teacher, theta, s.model.Lapse.Until)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := b.Rows(kernel.Responses(p.rt, p.choice))
	if err != nil {
		t.Fatal(err)
	}
	logp := make([]float64, len(p.rt))
	mean := func(at []float64) (sum float64) {
		params := make([][]float64, len(at))
		for j := range at {
			params[j] = at[j : j+1]
		}
		rows.Each(params, logp, nil)
		for i, w := range p.weight {
			sum += w * logp[i]
		}
		return sum
	}
	best := mean(here.bound)
	c := s.climbers[0]
	if c.f.mean(c.space, p, here.bound, c.here, nil); !(math.Abs(c.here.value-best) <= 1e-6) { // the engine has another grid for the integral
		t.Errorf("the mean log density is %v, by the engine %v", c.here.value, best)
	}
	for j := range theta {
		for _, d := range []float64{0.01, -0.01} {
			moved := slices.Clone(here.bound)
			moved[j] += d
			if got := mean(moved); !(got < best) {
				t.Errorf("the mean log density is %v at the binding function and %v where parameter %d is moved by %v", best, got, j, d)
			}
		}
	}
}

// Without a drift, the normalised wald has two maxima, one on either side of the truth, because its tail requires a drift. With a
// tilt, it has one.
func TestTwoMaxima(t *testing.T) {
	s := solverOf(t, "wald", "ddm")
	thetas := [][]float64{{0.01, 1, 0.5, 0.3}, {2.2, 1, 0.5, 0.3}}
	points, err := s.solve(context.Background(), thetas, quiet)
	if err != nil {
		t.Fatal(err)
	}
	if !points[0].second || !(points[0].bound[0] > 0.2) {
		t.Errorf("with hardly a drift: second maximum %v, the highest at %v", points[0].second, points[0].bound)
	}
	if points[1].second {
		t.Errorf("with a drift: a second maximum beside %v", points[1].bound)
	}
	set := Default()
	if s, err = newSolver(s.model, s.teacher, &set, 1); err != nil {
		t.Fatal(err)
	}
	if points, err = s.solve(context.Background(), thetas[:1], quiet); err != nil {
		t.Fatal(err)
	}
	// The log density of the process falls by π²/8 per second in the tail, and that of wald does not fall.
	if b := points[0].bound; points[0].second || !(math.Abs(b[0]) < 0.1) || !(b[4] > 0.5 && b[4] < 1.3) {
		t.Errorf("tilted: second maximum %v, the highest at %v", points[0].second, b)
	}
}

// Wherever a climb begins, it ends no lower, although whole Newton steps from far away lead down.
func TestClimbNeverEndsLower(t *testing.T) {
	s := solverOf(t, "wald", "ddm")
	c, theta := s.climbers[0], []float64{2.54, 1.56, 0.433, 0.849}
	p, err := populationOf(s.teacher, theta, s.model.Lapse.Until)
	if err != nil {
		t.Fatal(err)
	}
	for _, start := range spreadOver(s.model, 100, 12) {
		c.pulled(p, theta, start, c.there)
		low := c.there.value
		if end, value, found := c.climb(p, theta, start); !(value >= low) {
			t.Errorf("from %v, at %v, to %v, at %v; a maximum: %v", start, low, end, value, found)
		}
	}
}

// The shifts of wald do not depend on the onset, because teacher and model shift trials alike.
func TestDependence(t *testing.T) {
	if os.Getenv("LIKC_LONG") == "" {
		t.Skip("long: set LIKC_LONG=1")
	}
	s := solverOf(t, "wald", "ddm")
	depends, err := s.dependence(context.Background(), 1000)
	if want := []bool{true, true, true, false}; err != nil || !slices.Equal(depends, want) {
		t.Errorf("shifts depend on %v, want %v; %v", depends, want, err)
	}
}

// Polynomials fit a function of two parameters that polynomials of low degree approximate well. Pruning and rounding do not
// reduce their accuracy, and the binding function of the model has the same values.
func TestLearn(t *testing.T) {
	m := &expr.Model{Params: []expr.Param{{Name: "p", Lower: -1, Upper: 1}, {Name: "q", Lower: 0.5, Upper: 4}}}
	var all []example
	rng := rand.New(rand.NewPCG(1, 2))
	for range 600 {
		theta := []float64{2*rng.Float64() - 1, 0.5 + 3.5*rng.Float64()}
		all = append(all, example{theta: theta, root: []float64{20, 0, 0, 20}, shift: []float64{0.3 * theta[0] * math.Log(theta[1]), math.Sin(theta[0])}})
	}
	l := newLearner([]coordinate{newCoordinate(m, plain(&m.Params[0])), newCoordinate(m, plain(&m.Params[1]))}, 4, 2)
	for range 2 {
		if err := l.learn(context.Background(), all[:500], 2); err != nil {
			t.Fatal(err)
		}
		l.prune()
	}
	l.round()
	if worst := quantile(l.errors(all[500:]), 0.95); !(worst <= 0.02) { // errors in units of standard deviations of 0.05
		t.Errorf("95 %% of errors are below %v standard deviations", worst)
	}
	m.Binding = l.binding(m)
	if n := m.Binding.Coefficients(); n < 3 || n > 8 { // p log q needs one or two of 15 terms, the sine two odd ones
		t.Errorf("%d coefficients", n)
	}
	f, bound := binding.Of(m), make([]float64, 2)
	f.At(f.NewTrace(), []float64{0.5, 2}, bound)
	if want := []float64{0.5 + 0.15*math.Ln2, 2 + math.Sin(0.5)}; !(math.Abs(bound[0]-want[0]) <= 0.002) || !(math.Abs(bound[1]-want[1]) <= 0.002) {
		t.Errorf("bound to %v, want %v", bound, want)
	}
}

// A binding function that reverses a direction has no inverse, and foldedAt returns the parameter of that direction.
func TestFolded(t *testing.T) {
	m := &expr.Model{Params: []expr.Param{{Name: "p", Lower: -1, Upper: 1}, {Name: "q", Lower: 0, Upper: 10}}}
	at := func(slopes ...float64) *point {
		return &point{theta: []float64{0, 5}, found: true, slopes: mat.NewDense(2, 2, slopes)}
	}
	if _, folded := foldedAt(m, at(1.3, 0.2, -0.1, 0.8)); folded {
		t.Error("a binding function close to the identity is folded")
	}
	if param, folded := foldedAt(m, at(1.3, 0, 0.2, -0.01)); !folded || param != 1 {
		t.Errorf("folded %v along parameter %d, want q", folded, param)
	}
	if param, folded := foldedAt(m, at(-0.01, 0, 0.2, 1)); !folded || param != 0 {
		t.Errorf("folded %v along parameter %d, want p", folded, param)
	}
	if _, folded := foldedAt(m, &point{}); !folded {
		t.Error("a point without a maximum has an inverse")
	}
}

// The model of a normal mean has the wrong variance. The posterior is too wide by a known factor, and the estimate is as good as
// the teacher's.
func TestLimits(t *testing.T) {
	one := func(x float64) *mat.Dense { return mat.NewDense(1, 1, []float64{x}) }
	// The truth has variance 4 and the model 9: its score is (x - mean)/9.
	p := &point{theta: []float64{0}, found: true, curvature: one(1. / 9), spread: one(4. / 81), information: one(1. / 4), slopes: one(1)}
	ratios, widths := make([][]float64, 1), make([][]float64, 1)
	p.limits(ratios, widths)
	if got := ratios[0][0]; !(math.Abs(got-1) <= 1e-5) {
		t.Errorf("an estimate is %v times as far off as the teacher's, want 1", got)
	}
	if got := widths[0][0]; !(math.Abs(got-1.5) <= 1e-5) {
		t.Errorf("a posterior is %v times as wide as an estimate is off, want 1.5", got)
	}
	// A pull of 0.01 nats a trial moves the estimate by 0.01·9, and the posterior's standard deviation is 0.3.
	p.pulled, p.pulls = p.curvature, []float64{0.01}
	if got := p.bias(100); !(math.Abs(got-0.3) <= 1e-9) {
		t.Errorf("the pull moves the estimate by %v standard deviations, want 0.3", got)
	}
}
