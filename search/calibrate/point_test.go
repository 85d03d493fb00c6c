package calibrate

import (
	"context"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"likc/compiler/expr"
	"likc/runtime/catalog"
	"likc/runtime/engine"

	"gonum.org/v1/gonum/mat"
)

func quiet(int, int) {}

func solverOf(t testing.TB, name, teacher string) *solver {
	t.Helper()
	s, err := newSolver(prepared(open(t, name).Model, Default()), open(t, teacher), 1)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// At the binding function the mean log density, as an engine evaluates the model, is higher than around it, and its derivatives in the
// true parameters are those of differences.
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
	points, err := s.solve(context.Background(), thetas, quiet)
	if err != nil {
		t.Fatal(err)
	}
	here := points[0]
	for j := range theta {
		for i := range theta {
			d := (points[1+2*j].bound[i] - points[2+2*j].bound[i]) / (2 * step)
			if got := here.slopes.At(i, j); !(math.Abs(got-d) <= 0.02) {
				t.Errorf("∂b%d/∂%d is %v, differences say %v", i, j, got, d)
			}
		}
	}
	b, err := engine.Open(catalog.OfExpression(s.model), engine.Ready)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	p, err := populationOf(s.teacher, theta, s.model.Lapse.Until)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := b.Rows([][]float64{p.rt}, p.choice)
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

// Without a drift the normalised wald has two maxima, one on either side of the truth: its tail must have a drift.
func TestTwoMaxima(t *testing.T) {
	s := solverOf(t, "wald", "ddm")
	points, err := s.solve(context.Background(), [][]float64{{0.01, 1, 0.5, 0.3}, {2.2, 1, 0.5, 0.3}}, quiet)
	if err != nil {
		t.Fatal(err)
	}
	if !points[0].second || !(points[0].bound[0] > 0.2) {
		t.Errorf("with hardly a drift: second maximum %v, the highest at %v", points[0].second, points[0].bound)
	}
	if points[1].second {
		t.Errorf("with a drift: a second maximum beside %v", points[1].bound)
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

// A network learns a smooth function of two parameters, and the binding that is written gives what the network does.
func TestLearn(t *testing.T) {
	m := &expr.Model{Params: []expr.Param{{Name: "p", Lower: -1, Upper: 1}, {Name: "q", Lower: 0.5, Upper: 4}}}
	l := &learner{inputs: coordinatesOf(m, []bool{true, true})}
	if !l.inputs[1].Log || l.inputs[0].Log {
		t.Fatalf("inputs %v: want p and the log of q", l.inputs)
	}
	var all []example
	rng := rand.New(rand.NewPCG(1, 2))
	for range 600 {
		theta := []float64{2*rng.Float64() - 1, 0.5 + 3.5*rng.Float64()}
		e := example{precision: []float64{400, 0, 0, 400}, shift: []float64{0.3 * theta[0] * math.Log(theta[1]), math.Sin(theta[0])}}
		for i := range l.inputs {
			e.in = append(e.in, l.inputs[i].of(theta))
		}
		all = append(all, e)
	}
	if err := l.learn(context.Background(), all[:500], []int{10}, 600, rng, quiet); err != nil {
		t.Fatal(err)
	}
	if worst := quantile(l.errors(all[500:]), 0.95); !(worst <= 0.5) { // of standard deviations of 0.05
		t.Errorf("95 %% of errors are below %v standard deviations", worst)
	}
	m.Binding = l.binding(m)
	if got := m.Binding.Weights(); got != 10*3+2*11 {
		t.Errorf("%d weights", got)
	}
}

// A binding function that turns a direction round has no inverse, and the direction is named.
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

// A normal mean whose model has the wrong variance: the posterior is too wide by a known factor, and the estimate as good as any.
func TestLimits(t *testing.T) {
	one := func(x float64) *mat.Dense { return mat.NewDense(1, 1, []float64{x}) }
	// The truth has variance 4 and the model 9: its score is (x - mean)/9.
	p := &point{theta: []float64{0}, found: true, curvature: one(1. / 9), spread: one(4. / 81), information: one(1. / 4), slopes: one(1)}
	ratios, widths := make([][]float64, 1), make([][]float64, 1)
	p.limits(100, ratios, widths)
	if got := ratios[0][0]; !(math.Abs(got-1) <= 1e-5) {
		t.Errorf("an estimate is %v times as far off as the teacher's, want 1", got)
	}
	if got := widths[0][0]; !(math.Abs(got-1.5) <= 1e-5) {
		t.Errorf("a posterior is %v times as wide as an estimate is off, want 1.5", got)
	}
}
