package dictionary_test

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"likc/compiler/expr"
	"likc/compiler/normal"
	"likc/compiler/syntax"
	"likc/runtime/model/catalog"
	"likc/runtime/model/ssm"
	"likc/search/find/dictionary"
)

// angle is a process whose exact density is known: boundaries collapse linearly.
const angle = `model m {
  trial rt positive
  choice c
  param v in [-3, 3]  param a in [0.3, 3]  param z in [0.1, 0.9]  param t in [0.001, 2]  param theta in [-0.1, 1.3]
  evidence x after t { start a*(2*z - 1)  drift v  upper a - tau*sin(theta)/cos(theta) }
}`

func process(t *testing.T, text string) ([]*dictionary.Library, *expr.Model) {
	t.Helper()
	models, err := syntax.Read("m.lik", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	libraries, header, err := dictionary.OfProcess(models[0], nil)
	if err != nil {
		t.Fatal(err)
	}
	return libraries, header
}

// TestStripIsExact: for linear boundaries the strip is the exact log density, up to a function of the parameters, at both boundaries.
func TestStripIsExact(t *testing.T) {
	libraries, header := process(t, angle)
	exact, err := ssm.Lookup("angle")
	if err != nil {
		t.Fatal(err)
	}
	l := libraries[1]
	strip := l.Expr(l.Terms[l.Start.Terms[slices.Index(l.Start.By, 1)]], 1)
	tape := expr.NewTape(append(header.ParamNames(), "rt"), strip)
	reflected := expr.NewTape(header.ParamNames(), header.Reflected()...)
	for _, theta := range [][]float64{{1, 1.2, 0.45, 0.3, 0.3}, {-2, 2, 0.7, 0, 0.9}, {0.2, 0.5, 0.2, 1, -0.05}} {
		first := math.NaN()
		for _, choice := range []float64{1, -1} {
			at := theta
			if choice < 0 {
				at, _ = reflected.Eval(nil, theta)
			}
			for _, share := range []float64{0.05, 0.2, 0.5, 0.8} {
				rt := theta[3] + share*theta[1]/max(math.Tan(theta[4]), 0.8)
				got, _ := tape.Eval(nil, append(slices.Clone(at), rt))
				difference := got[0] - exact.LogDensity(rt, choice, theta)
				if first != first {
					first = difference
				}
				if !(math.Abs(difference-first) < 0.02) { // the floor that keeps boundaries apart moves them by 0.5 % when a fifth of their distance is left
					t.Errorf("at %v, rt %v, choice %v: off by %v, elsewhere by %v", theta, rt, choice, difference, first)
				}
			}
		}
	}
}

// TestProcessAtoms: with the process's own atoms a few terms suffice.
func TestProcessAtoms(t *testing.T) {
	libraries, header := process(t, angle)
	exact, err := ssm.Lookup("angle")
	if err != nil {
		t.Fatal(err)
	}
	s := dictionary.Default()
	s.Vectors, s.Tests, s.Terms, s.Runs, s.Price = 60, 80, 7, 1, 0.005
	front, err := dictionary.Find(context.Background(), header, density(func(rt, choice float64, theta []float64) float64 { return exact.LogDensity(rt, choice, theta) }),
		libraries, s)
	if err != nil {
		t.Fatal(err)
	}
	if e := front[len(front)-1]; !(e.Terms <= 7 && e.Score.Median < 0.001 && e.Score.Mean < 0.002) {
		t.Errorf("the nearest is %v", e.String())
	}
}

// TestSides: a process that is no mirror image of itself is seen from the boundary that was reached, by the choice's sign; others get a reflection.
func TestSides(t *testing.T) {
	_, header := process(t, angle)
	var lower []string
	for _, a := range header.Lower {
		lower = append(lower, a.Param+" = "+a.Value.String())
	}
	if want := []string{"v = -v", "z = 1 - z"}; !slices.Equal(lower, want) {
		t.Errorf("reflection %q, want %q", lower, want)
	}
	libraries, header := process(t, strings.Replace(angle, "upper a -", "lower -a upper a -", 1))
	if len(header.Lower) > 0 || !slices.ContainsFunc(libraries[0].Atoms, func(a dictionary.Atom) bool { return slices.Contains(expr.Symbols(a.Expr), "c") }) {
		t.Errorf("an asymmetric process: reflection %v", header.Lower)
	}
	for _, refused := range []string{"drift v*x^2", "drift v reflect 0"} {
		models, err := syntax.Read("m.lik", strings.NewReader(strings.Replace(angle, "drift v", refused, 1)))
		if err != nil {
			continue // the language refuses it
		}
		if _, _, err := dictionary.OfProcess(models[0], nil); err == nil {
			t.Errorf("%s has atoms", refused)
		}
	}
}

// exact is the exact density of a process that comes with likc.
func exact(t *testing.T, name string) density {
	t.Helper()
	p, err := ssm.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	return func(rt, choice float64, theta []float64) float64 { return p.Density.Log(rt, choice, theta, nil) }
}

// TestVarying: the image, averaged over starts, drifts and onsets, is near the exact density with nothing fitted where the other boundary is far, and
// a few terms more are near it everywhere.
func TestVarying(t *testing.T) {
	m, err := catalog.Open("full_ddm")
	if err != nil {
		t.Fatal(err)
	}
	e, sd, err := m.WrittenProcess()
	if err != nil {
		t.Fatal(err)
	}
	own := *m.Model
	own.Evidence = e
	libraries, header, err := dictionary.OfProcess(&own, sd)
	if err != nil {
		t.Fatal(err)
	}
	log := exact(t, "full_ddm")
	l := libraries[1]
	first := slices.Index(l.Start.By, 1)
	tape := expr.NewTape(append(header.ParamNames(), "rt"), l.Expr(l.Terms[l.Start.Terms[first]], 1))
	theta := []float64{1.5, 2.4, 0.6, 0.4, 1.2, 0.2, 0.2}
	var differences []float64
	for _, rt := range []float64{0.45, 0.55, 0.7, 1, 1.4} {
		got, _ := tape.Eval(nil, append(slices.Clone(theta), rt))
		differences = append(differences, got[0]-log(rt, 1, theta))
	}
	if spread := slices.Max(differences) - slices.Min(differences); !(spread < 0.03) {
		t.Errorf("the image is off by %v", differences)
	}
	s := dictionary.Default()
	s.Vectors, s.Tests, s.Terms, s.Runs, s.Price = 60, 80, 6, 1, 0.005
	front, err := dictionary.Find(context.Background(), header, log, libraries[1:], s)
	if err != nil {
		t.Fatal(err)
	}
	formula := *header
	formula.LogLik, formula.Normalise, formula.Lets = front[len(front)-1].Expr, true, nil
	if _, err := normal.Of(&formula); err != nil {
		t.Error(err)
	}
	if e := front[len(front)-1]; !(e.Terms <= 6 && e.Score.Median < 0.0006 && e.Score.Mean < 0.0015) {
		t.Errorf("the nearest is %d terms: %+v", e.Terms, e.Score)
	}
}

// TestLeak: atoms of a leaky process are numbers at all times, also where exp(gτ) is not, and without a leak they are those of a process that has none.
func TestLeak(t *testing.T) {
	const leaky = `model m {
  trial rt positive
  choice c
  param v in [-2, 2]  param a in [0.3, 3]  param z in [0.1, 0.9]  param g in [-1, 1]  param t in [0.001, 2]
  evidence x after t { start a*(2*z - 1)  drift v - g*x  upper a }
}`
	libraries, header := process(t, leaky)
	still, plain := process(t, strings.ReplaceAll(leaky, "- g*x", ""))
	for k, l := range libraries {
		for _, a := range l.Atoms {
			tape := expr.NewTape(append(header.ParamNames(), "rt"), a.Expr)
			for _, g := range []float64{-1, -0.07, 0, 1e-9, 0.6, 1} {
				for _, tau := range []float64{1e-6, 0.5, 20, 3000} {
					if x, _ := tape.Eval(nil, []float64{0.7, 2, 0.4, g, 0.2, 0.2 + tau}); x[0] != x[0] {
						t.Errorf("library %d: at g = %v and τ = %v the atom %v is %v", k, g, tau, a.Expr, x[0])
					}
				}
			}
		}
	}
	strips := []*expr.Tape{}
	for i, l := range []*dictionary.Library{libraries[1], still[1]} {
		strips = append(strips, expr.NewTape(append([]*expr.Model{header, plain}[i].ParamNames(), "rt"), l.Expr(l.Terms[l.Start.Terms[slices.Index(l.Start.By, 1)]], 1)))
	}
	for _, tau := range []float64{0.1, 0.5, 2, 5} {
		a, _ := strips[0].Eval(nil, []float64{0.7, 2, 0.4, 0, 0.2, 0.2 + tau})
		b, _ := strips[1].Eval(nil, []float64{0.7, 2, 0.4, 0, 0.2, 0.2 + tau})
		if !(math.Abs(a[0]-b[0]) < 1e-9) {
			t.Errorf("at τ = %v the strip without a leak is %v, of a process without one %v", tau, a[0], b[0])
		}
	}
}

// TestWell: for evidence that is pulled to a point, or pushed from it, the strip is near the log density with nothing fitted, up to a function of the
// parameters; so it is where evidence leaves seldom.
func TestWell(t *testing.T) {
	libraries, header := process(t, `model m {
  trial rt positive
  choice c
  param v in [-2, 2]  param a in [0.3, 3]  param z in [0.1, 0.9]  param g in [-1, 1]  param t in [0.001, 2]
  evidence x after t { start a*(2*z - 1)  drift v - g*x  upper a }
}`)
	m, err := catalog.Open("ornstein_numerical")
	if err != nil {
		t.Fatal(err)
	}
	exact, ok := m.Evidence()
	if !ok {
		t.Fatal("no density")
	}
	l := libraries[1]
	if len(l.Start.Terms) != 1 {
		t.Fatalf("the search starts from %d terms", len(l.Start.Terms))
	}
	tape := expr.NewTape(append(header.ParamNames(), "rt"), l.Expr(l.Terms[l.Start.Terms[0]], 1))
	reflected := expr.NewTape(header.ParamNames(), header.Reflected()...)
	for _, c := range []struct {
		theta []float64
		near  float64
	}{
		{[]float64{0.5, 1, 0.5, 0.5, 0.3}, 0.001},
		{[]float64{-0.7, 1.2, 0.3, -0.8, 0.3}, 0.005},
		{[]float64{1, 2, 0.6, 0.9, 0.3}, 0.01},
		{[]float64{0.3, 2.8, 0.4, 0.9, 0.3}, 0.01}, // evidence leaves after some minutes
	} {
		curve := exact.At(c.theta, nil, 3000)
		other, _ := reflected.Eval(nil, c.theta)
		mean, z, mass := 0.0, 0.0, 0.0
		for i := range 300 { // of equal steps in the log of time
			tau := math.Exp(-6 + float64(i)/300*(math.Log(3000)+6))
			for k, at := range [][]float64{c.theta, other} {
				got, _ := tape.Eval(nil, append(slices.Clone(at), c.theta[4]+tau))
				log := curve.Log(c.theta[4]+tau, k, nil)
				p := tau * math.Exp(log)
				mean, z, mass = mean+p*(log-got[0]), z+tau*math.Exp(got[0]), mass+p
			}
		}
		if kl := mean/mass + math.Log(z/mass); !(kl > -1e-6 && kl < c.near) {
			t.Errorf("at %v the strip is %.4f nats away", c.theta, kl)
		}
	}
}
