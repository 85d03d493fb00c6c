package normal

import (
	"math"
	"strings"
	"testing"
	"time"

	"likc/compiler/expr"
)

// gamma returns a normalised model whose expression is a gamma density without its constant.
func gamma() *expr.Model {
	// τ^(k-1) e^(-τ/s) for τ = rt - t: the integral is Γ(k) s^k
	rt, k, s, t := expr.Var("rt"), expr.Var("k"), expr.Var("s"), expr.Var("t")
	tau := expr.New(expr.Sub, rt, t)
	return &expr.Model{Name: "gamma", Trials: []string{"rt"}, Positive: []string{"rt"}, Normalise: true,
		Params:  []expr.Param{{Name: "k", Lower: 0.5, Upper: 20}, {Name: "s", Lower: 0.01, Upper: 2}, {Name: "t", Lower: 0, Upper: 2}},
		Support: []expr.Support{{Left: t, Right: rt}},
		LogLik:  expr.New(expr.Sub, expr.New(expr.Mul, expr.New(expr.Sub, k, expr.Num(1)), expr.New(expr.Log, tau)), expr.New(expr.Div, tau, s))}
}

// TestGammaIntegral compares log Z on the grid with its closed form, at parameters far from the points at which the grid was chosen.
func TestGammaIntegral(t *testing.T) {
	began := time.Now()
	m := gamma()
	p, err := Of(m)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d points in %v, error %.2g", len(p.Grid.U), time.Since(began), p.Grid.Error)
	d := newDensity(sinceOnset(m, "u"), "u")
	for _, theta := range [][]float64{{0.6, 1.9, 0.3}, {19.5, 0.011, 1}, {3, 0.2, 0}, {7.7, 1.3, 2}} {
		lg, _ := math.Lgamma(theta[0])
		want := lg + theta[0]*math.Log(theta[1])
		if got := d.onGrid(&p.Grid, theta); !(math.Abs(got-want) < Tolerance) {
			t.Errorf("log Z at %v is %v, want %v", theta, got, want)
		}
		from, to, err := d.reach(theta)
		if got := d.adaptive(theta, from, to); err != nil || !(math.Abs(got-want) < 1e-7) {
			t.Errorf("adaptive: %v, want %v", got, want)
		}
	}
	if again, _ := Of(m); again != p {
		t.Error("the grid is chosen again")
	}
}

// TestManyParameters: log Z is right also in corners of the ranges of a model with more parameters than have all corners checked. The scale of the
// gamma density is e^(x + y - w), so that in some corners its mass lies in seconds, in others in hours.
func TestManyParameters(t *testing.T) {
	m := gamma()
	scale := expr.New(expr.Exp, expr.New(expr.Sub, expr.New(expr.Add, expr.Var("x"), expr.Var("y")), expr.Var("w")))
	m.LogLik = expr.Substitution(map[string]*expr.Expr{"s": scale}).Map(m.LogLik)
	m.Params = []expr.Param{m.Params[0], m.Params[2], {Name: "x", Lower: -1, Upper: 3}, {Name: "y", Lower: -2, Upper: 3}, {Name: "w", Lower: -2, Upper: 2}}
	p, err := Of(m)
	if err != nil {
		t.Fatal(err)
	}
	d := newDensity(sinceOnset(m, "u"), "u")
	for corner := range 1 << 4 {
		theta := []float64{[2]float64{0.51, 19.9}[corner%2], 1, [2]float64{-1, 3}[corner/2%2], [2]float64{-2, 3}[corner/4%2], [2]float64{-2, 2}[corner/8]}
		lg, _ := math.Lgamma(theta[0])
		want := lg + theta[0]*(theta[2]+theta[3]-theta[4])
		if got := d.onGrid(&p.Grid, theta); !(math.Abs(got-want) < Tolerance) {
			t.Errorf("log Z at %v is %v, want %v", theta, got, want)
		}
	}
}

// TestInnerMaximum: log Z is right where the mass lies latest at values of two parameters inside their ranges, far from the corners and from the points
// midway between them. The scale of the gamma density is 60/(1 + 40x²)(1 + 80y²).
func TestInnerMaximum(t *testing.T) {
	m := gamma()
	bell := func(name string, c float64) *expr.Expr {
		return expr.New(expr.Add, expr.Num(1), expr.New(expr.Mul, expr.Num(c), expr.New(expr.Square, expr.Var(name))))
	}
	scale := expr.New(expr.Div, expr.Num(60), expr.New(expr.Mul, bell("x", 40), bell("y", 80)))
	m.LogLik = expr.Substitution(map[string]*expr.Expr{"s": scale}).Map(m.LogLik)
	m.Params = []expr.Param{m.Params[0], {Name: "x", Lower: -1, Upper: 3}, {Name: "y", Lower: -2, Upper: 0.7}, m.Params[2]}
	p, err := Of(m)
	if err != nil {
		t.Fatal(err)
	}
	d := newDensity(sinceOnset(m, "u"), "u")
	for _, k := range []float64{0.6, 19} {
		lg, _ := math.Lgamma(k)
		if got, want := d.onGrid(&p.Grid, []float64{k, 0, 0, 1}), lg+k*math.Log(60); !(math.Abs(got-want) < Tolerance) {
			t.Errorf("log Z at k = %v is %v, want %v", k, got, want)
		}
	}
}

// TestNumberedChoices: the integral is over all numbered choices. For a race of exponential times with rates r0 and r1, the log density is
// log r_c - (r0 + r1) τ. If a constant is added to it, log Z is that constant at all parameters.
func TestNumberedChoices(t *testing.T) {
	rt, r0, r1, onset := expr.Var("rt"), expr.Var("r0"), expr.Var("r1"), expr.Var("t")
	won := expr.New(expr.If, expr.New(expr.LessEqual, expr.Var("c"), expr.Num(0)), r0, r1)
	m := &expr.Model{Name: "race", Trials: []string{"rt"}, Positive: []string{"rt"}, Choice: "c", Choices: 2, Normalise: true,
		Params:  []expr.Param{{Name: "r0", Lower: 0.1, Upper: 5}, {Name: "r1", Lower: 0.1, Upper: 5}, {Name: "t", Lower: 0, Upper: 1}},
		Support: []expr.Support{{Left: onset, Right: rt}},
		LogLik: expr.New(expr.Add, expr.Num(0.7), expr.New(expr.Sub, expr.New(expr.Log, won),
			expr.New(expr.Mul, expr.New(expr.Add, r0, r1), expr.New(expr.Sub, rt, onset))))}
	p, err := Of(m)
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Choice) != 2*len(p.Grid.U) {
		t.Errorf("%d points of two choices, of a grid of %d", len(p.Choice), len(p.Grid.U))
	}
	d := newDensity(sinceOnset(m, "u"), "u")
	for _, theta := range [][]float64{{0.15, 4.9, 0.3}, {3, 3, 1}, {1, 0.2, 0}} {
		if got := d.onGrid(&p.Grid, theta); !(math.Abs(got-0.7) < Tolerance) {
			t.Errorf("log Z at %v is %v, want 0.7", theta, got)
		}
	}
}

// TestTypical: the typical log Z is rounded to a whole number. If it is just below 0, it becomes 0 and not -0.
func TestTypical(t *testing.T) {
	rt, k := expr.Var("rt"), expr.Var("k") // the integral of exp(-k rt) is 1/k
	m := &expr.Model{Name: "decay", Trials: []string{"rt"}, Positive: []string{"rt"}, Normalise: true,
		Params: []expr.Param{{Name: "k", Lower: 1.1, Upper: 1.5}}, LogLik: expr.New(expr.Neg, expr.New(expr.Mul, k, rt))}
	p, err := Of(m)
	if err != nil {
		t.Fatal(err)
	}
	if p.Typical != 0 || math.Signbit(p.Typical) {
		t.Errorf("%v, want 0", p.Typical)
	}
}

// TestLinear: a log density that is a linear combination of functions of time is written as such. A log density that is none, or that loses
// digits when it is multiplied out, is not changed.
func TestLinear(t *testing.T) {
	k, u := expr.Var("k"), expr.Var("u")
	square := expr.New(expr.Square, expr.New(expr.Sub, u, k)) // u² - 2ku + k²
	for name, c := range map[string]struct {
		f    *expr.Expr
		from float64 // k
		want string
	}{
		"a combination": {expr.New(expr.Neg, square), 1, "(k + k) * u - u^2 - k^2"},
		"digits cancel": {expr.New(expr.Neg, square), 1e5, "-(u - k)^2"},
		"not one":       {expr.New(expr.Sin, expr.New(expr.Mul, k, u)), 1, "sin(k * u)"},
	} {
		m := &expr.Model{Name: "m", Trials: []string{"u"}, Params: []expr.Param{{Name: "k", Lower: c.from, Upper: c.from + 1}}, LogLik: c.f}
		g := newGrid(math.Log(c.from)-0.001, math.Log(c.from+2)+0.001, 0.0001*1e5/c.from)
		points := [][]float64{{c.from + 0.2}, {c.from + 0.8}}
		if got := linear(m, newDensity(m, "u"), &g, points).String(); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// TestOnsetOfAnExpression: if the onset is an expression of several parameters, the integral does not contain it, as if it were one parameter.
func TestOnsetOfAnExpression(t *testing.T) {
	m := gamma()
	late := expr.New(expr.Add, expr.New(expr.Mul, expr.Var("k"), expr.Num(0.1)), expr.New(expr.Exp, expr.New(expr.Sub, expr.Var("t"), expr.Var("s"))))
	put := expr.Substitution(map[string]*expr.Expr{"t": late})
	m.LogLik, m.Support = put.Map(m.LogLik), []expr.Support{{Left: late, Right: expr.Var("rt")}}
	p, err := Of(m)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range expr.Symbols(p.Integral.LogLik) {
		if s == "t" || s == "onset" {
			t.Errorf("%s stays in the integral: %s", s, p.Integral.LogLik)
		}
	}
}

// TestRefused: a model whose integral is infinite, undefined or too rough is refused, and the error names the parameters at which that was found.
func TestRefused(t *testing.T) {
	rt, k := expr.Var("rt"), expr.Var("k")
	withLogLik := func(f *expr.Expr) *expr.Model {
		return &expr.Model{Name: "m", Trials: []string{"rt"}, Positive: []string{"rt"}, Normalise: true, Params: []expr.Param{{Name: "k", Lower: 0, Upper: 1}}, LogLik: f}
	}
	rough := expr.New(expr.Neg, expr.New(expr.Add, rt, expr.New(expr.Square, expr.New(expr.Sin, expr.New(expr.Mul, expr.Num(900), rt)))))
	for want, m := range map[string]*expr.Model{
		"normalise m: at k=0.001: the integral over time is infinite or zero": withLogLik(expr.New(expr.Neg, k)),
		"normalise m: at k=0.001: the log density is undefined there":         withLogLik(expr.New(expr.Log, expr.New(expr.Sub, k, rt))),
		"changes too fast": withLogLik(rough),
	} {
		if _, err := Of(m); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	m := withLogLik(expr.New(expr.Neg, rt))
	m.Trials = append(m.Trials, "x")
	if _, err := Of(m); err == nil || err.Error() != "normalise m: the model has 2 trial columns, expected one, the response time" {
		t.Errorf("%v", err)
	}
	m = withLogLik(expr.New(expr.Neg, rt))
	m.Support = []expr.Support{{Left: rt, Right: k}}
	if _, err := Of(m); err == nil || !strings.HasSuffix(err.Error(), "support rt < k, expected one of parameters < rt") {
		t.Errorf("%v", err)
	}
}
