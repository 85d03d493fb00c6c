package simplify

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"likc/compiler/expr"
	"likc/compiler/syntax"
)

const diffusion = `model expr2 {
  trial rt choice c
  param v in [-3, 3] param a in [0.3, 2.5] param z in [0.1, 0.9] param t in [0, 2]
  support t < rt
  lower { v = -v   z = 1 - z }
  let tau = rt - t
  let D = a^2 * exp(-2*z)
  let twice = a + a
  loglik = `

func readModel(t *testing.T, loglik string) *expr.Model {
	t.Helper()
	models, err := syntax.Read("test.lik", strings.NewReader(diffusion+loglik+"\n}\n"))
	if err != nil {
		t.Fatal(err)
	}
	return models[0]
}

// discovered are the five expressions of the paper's appendix "What the discovered forms look like".
var discovered = []string{
	"-a - z^4 + z + sqrt(a + abs(v)) + (t - rt)*((a^2/((t - rt)*(sqrt(a) + 16*z^4)) + v)^2 + exp(z^4))/a",
	"(a + (t - rt)*((a^2*exp(-2*z)/(t - rt) + v)^2 + exp(z^2)))/a",
	"-a^2/(a + v^2) + sqrt(z) + z + (t - rt)*(z*(v + exp(a)*exp(-4*z)/(t - rt))^2 + exp(z^2)/a^1.5)",
	"-a^2/(a + v^2) + sqrt(z) + z + (t - rt)*(z*(a^2*exp(-4*z^2)/(t - rt) + v)^2 + exp(2*z^4))",
	"sqrt(a) - a + 2*sqrt(z) - z^2 + (t - rt)*((a^2/((t - rt)*(sqrt(a) + 16*z^4)) + v)^2 + exp(z^4))",
}

func TestDiscoveredForms(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	symbols := []string{"rt", "v", "a", "z", "t"}
	for _, text := range discovered {
		m := readModel(t, text)
		s, r := Model(m, Options{})
		t.Logf("%d -> %d: %s", m.LogLik.Size(), s.LogLik.Size(), s.LogLik)
		if s.LogLik.Size() > m.LogLik.Size() || len(r.Dropped) > 0 {
			t.Errorf("%s: %s, dropped %v", text, s.LogLik, r.Dropped)
		}
		tape := expr.NewTape(symbols, m.LogLik, s.LogLik)
		for range 100 {
			x := []float64{2 + rng.Float64(), 6*rng.Float64() - 3, 0.3 + 2*rng.Float64(), 0.1 + 0.8*rng.Float64(), rng.Float64()}
			y, scale := tape.Eval(nil, x)
			if d := math.Abs(y[0] - y[1]); !(d <= 1e-12*scale) {
				t.Errorf("%s at %v: %v became %v", text, x, y[0], y[1])
			}
		}
	}
}

// TestSupport: the support makes tau positive; the parameters' ranges make nothing positive.
func TestSupport(t *testing.T) {
	for text, want := range map[string]string{
		"abs(tau)":              "rt - t",
		"abs(t - rt)":           "rt - t",
		"abs(2*tau*v)":          "2 * abs(v) * (rt - t)",
		"sqrt(tau^2*v)":         "sqrt(v) * (rt - t)",
		"sign(t - rt)":          "-1",
		"sqrt(tau)^2":           "rt - t",
		"abs(a)":                "abs(a)",
		"log(z^2)":              "log(z^2)",
		"exp(2*log(tau)) + a*a": "a^2 + (rt - t)^2",
	} {
		s, r := Model(readModel(t, text), Options{})
		if got := s.LogLik.String(); got != want || len(r.Dropped) > 0 {
			t.Errorf("%s: got %s, want %s; dropped %v", text, got, want, r.Dropped)
		}
	}
}

func TestModelKeepsUsedLets(t *testing.T) {
	m := readModel(t, "(a - tau*((D/tau - v)^2 + exp(z^2)))/a")
	s, _ := Model(m, Options{})
	var names []string
	for _, l := range s.Lets {
		names = append(names, l.Name)
	}
	if got := strings.Join(names, " "); got != "tau D" {
		t.Errorf("lets %s", got)
	}
	again, err := syntax.Read("again.lik", strings.NewReader(syntax.Format(s)))
	if err != nil || !again[0].LogLik.Equal(s.LogLik) {
		t.Errorf("printed model reads back as another: %v\n%s", err, syntax.Format(s))
	}
}

func TestAssumedIntervals(t *testing.T) {
	known := Assume{Symbols: map[string]expr.Interval{"z": {Lo: 0, Hi: 1, OpenLo: true, OpenHi: true}}}
	for text, want := range map[string]string{"abs(z)": "z", "abs(1 - z)": "1 - z", "abs(z - 2)": "2 - z", "abs(a)": "abs(a)"} {
		if got := Simplify(parse(t, text), Options{Assume: known}).Expr.String(); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}

// TestShared: graphs whose trees have 2^60 nodes are simplified as graphs.
func TestShared(t *testing.T) {
	sum, product, mixed := expr.Var("x"), expr.Var("x"), expr.Var("x")
	for range 60 {
		sum = expr.New(expr.Add, sum, sum)
		mixed = expr.New(expr.Add, expr.New(expr.Mul, mixed, mixed), expr.Var("y"))
	}
	for range 19 {
		product = expr.New(expr.Mul, product, product)
	}
	for want, e := range map[string]*expr.Expr{"1.152921504606847e+18 * x": sum, "x^524288": product} {
		if got := Simplify(e, Options{}).Expr.String(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	if got := Simplify(mixed, Options{}).Expr; len(expr.Order(got)) > 200 {
		t.Errorf("%d nodes", len(expr.Order(got)))
	}
}

func TestReassociate(t *testing.T) {
	o := Options{Sets: Default | Reassociate}
	if got := Simplify(parse(t, "x/3"), o).Expr.String(); got != "0.3333333333333333 * x" {
		t.Errorf("got %s", got)
	}
}

// TestLongSum: a sum of more terms than are collected together is still collected into one sum.
func TestLongSum(t *testing.T) {
	sum := expr.Var("x")
	for i := range 6000 {
		sum = expr.New(expr.Add, sum, expr.New(expr.Mul, expr.Num(float64(i%7)), expr.Var(names[i%len(names)])))
	}
	if got := Simplify(sum, Options{}).Expr; got.Size() > 4*len(names) {
		t.Errorf("size %d: %s", got.Size(), got)
	}
}
