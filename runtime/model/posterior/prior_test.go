package posterior

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/diff/fd"
	"gonum.org/v1/gonum/integrate/quad"
)

// everyPrior holds texts of a few priors of every family.
var everyPrior = []string{
	"uniform(-1,3)", "normal(0,2)", "normal(-3,0.1)", "halfnormal(2)", "halfcauchy(0.7)", "gamma(1.5,0.75)", "gamma(1,1)",
	"gamma(20,3)", "beta(1,1)", "beta(10,10)", "beta(2.5,1)", "exponential(0.3)", "weibull(1.5,0.3)", "weibull(1,2)",
	"truncnormal(0,1,-1,2)", "truncnormal(1,0.5,0,inf)", "truncnormal(-4,1,0,1)", "lognormal(0,0.5)", "lognormal(-1,1)",
	"student_t(3,0,2.5)", "student_t(30,1,0.2)", "cauchy(0,1)", "cauchy(-2,0.3)",
}

func mustParse(t testing.TB, text string) Prior {
	t.Helper()
	p, err := ParsePrior(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestPriorsIntegrateToOne integrates exp(LogDensity) over the support. A finite support is mapped to the
// real line by the logistic function, an infinite one by the hyperbolic sine, which reaches the heaviest
// tails.
func TestPriorsIntegrateToOne(t *testing.T) {
	covered := map[string]bool{}
	for _, text := range everyPrior {
		p := mustParse(t, text)
		covered[p.family.name] = true
		low, high := p.Support()
		tr := newTransform(low, high)
		density := func(q float64) float64 {
			x, _, linear, factor, _ := tr.constrain(q)
			jacobian := math.Exp(linear - 2*math.Log(factor))
			if math.IsInf(low, -1) && math.IsInf(high, 1) {
				x, jacobian = math.Sinh(q), math.Cosh(q)
			}
			if x <= low || x >= high {
				return 0
			}
			value, _ := p.LogDensity(x)
			return math.Exp(value) * jacobian
		}
		total := 0.0
		for piece := -40.0; piece < 40; piece++ {
			total += quad.Fixed(density, piece, piece+1, 200, quad.Legendre{}, 0)
		}
		if !(math.Abs(total-1) <= 1e-6) {
			t.Errorf("%s integrates to %v", text, total)
		}
	}
	for _, f := range families {
		if !covered[f.name] {
			t.Errorf("%s is not tested", f.name)
		}
	}
}

// The mass between two numbers is the integral of the density.
func TestMassAgreesWithQuadrature(t *testing.T) {
	for _, text := range everyPrior {
		p := mustParse(t, text)
		from, to := p.Support()
		tr := newTransform(from, to)
		low, high := tr.place(-0.7), tr.place(0.4)
		want := quad.Fixed(func(x float64) float64 { v, _ := p.LogDensity(x); return math.Exp(v) }, low, high, 200, quad.Legendre{}, 0)
		if got := p.Mass(low, high); !(math.Abs(got-want) <= 1e-9) {
			t.Errorf("%s: mass %v between %v and %v, the integral is %v", text, got, low, high, want)
		}
		if got := p.Mass(math.Inf(-1), math.Inf(1)); got != 1 {
			t.Errorf("%s: mass %v of everything", text, got)
		}
		if from > math.Inf(-1) && p.Mass(from-2, from) != 0 {
			t.Errorf("%s: mass outside the support", text)
		}
	}
}

func TestPriorSlopesAgreeWithFiniteDifferences(t *testing.T) {
	for _, text := range everyPrior {
		p := mustParse(t, text)
		low, high := p.Support()
		tr := newTransform(low, high)
		for _, q := range []float64{-2, -0.5, 0.3, 1.5} {
			x := tr.place(q)
			_, slope := p.LogDensity(x)
			want := fd.Derivative(func(x float64) float64 { v, _ := p.LogDensity(x); return v }, x,
				&fd.Settings{Formula: fd.Central, Step: 1e-5 * math.Abs(x)})
			if !(math.Abs(slope-want) <= 1e-6*(1+math.Abs(want))) {
				t.Errorf("%s at %v: slope %v, finite difference %v", text, x, slope, want)
			}
		}
	}
}

func TestParsePrior(t *testing.T) {
	for text, want := range map[string]string{
		"uniform":                       "uniform",
		" Normal( 0 , 2 ) ":             "normal(mean=0,sd=2)",
		"normal(sd=2, mean=1)":          "normal(mean=1,sd=2)",
		"normal(mu=0,sigma=1)":          "normal(mean=0,sd=1)",
		"half-normal(2)":                "halfnormal(sd=2)",
		"half_normal(sigma=0.5)":        "halfnormal(sd=0.5)",
		"gamma(1.5,0.75)":               "gamma(shape=1.5,rate=0.75)",
		"gamma(alpha=2,beta=3)":         "gamma(shape=2,rate=3)",
		"gamma(mean=1.5,sd=0.75)":       "gamma(shape=4,rate=2.6666666666666665)",
		"beta(10,10)":                   "beta(alpha=10,beta=10)",
		"exponential(1e-1)":             "exponential(rate=0.1)",
		"weibull(shape=1.5, scale=0.3)": "weibull(shape=1.5,scale=0.3)",
		"uniform(-1,1)":                 "uniform(low=-1,high=1)",
		"half-cauchy(5)":                "halfcauchy(scale=5)",
		"LogNormal(mu=0, sigma=1)":      "lognormal(mu=0,sigma=1)",
		"StudentT(nu=3,mu=0,sigma=2.5)": "student_t(nu=3,mu=0,sigma=2.5)",
		"student_t(3, 0, 2.5)":          "student_t(nu=3,mu=0,sigma=2.5)",
		"cauchy(0,5)":                   "cauchy(location=0,scale=5)",
		"truncnormal(1,2,0,inf)":        "truncnormal(mean=1,sd=2,low=0,high=+Inf)",
		"TruncatedNormal(mu=1, sigma=2, lower=0, upper=3)": "truncnormal(mean=1,sd=2,low=0,high=3)",
	} {
		p, err := ParsePrior(text)
		if err != nil || p.String() != want {
			t.Errorf("ParsePrior(%q) = %s, %v, want %s", text, p, err, want)
		}
		if again, err := ParsePrior(p.String()); err != nil || again.String() != want {
			t.Errorf("%s does not read its own form: %s, %v", text, again, err)
		}
	}
}

func TestParsePriorErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                         `"" is none of uniform, normal`,
		"gauss(0,1)":               `"gauss" is none of`,
		"normal":                   "write normal(mean, sd)",
		"normal(0,1":               "write normal(mean, sd)",
		"normal(0)":                "1 argument where normal(mean, sd) has 2",
		"halfnormal(0,1)":          "2 arguments where halfnormal(sd) has 1",
		"normal(0,x)":              `"x" is not a number`,
		"normal(0,NaN)":            `"NaN" is not a number`,
		"normal(0,0)":              "sd must be positive",
		"normal(0,sd=1)":           "are not those of normal(mean, sd)",
		"normal(shape=0,a=1)":      "are not those of normal(mean, sd)",
		"gamma(-1,2)":              "shape and rate must be positive",
		"gamma(mean=1,sd=0)":       "mean and sd must be positive",
		"beta(0,1)":                "alpha and beta must be positive",
		"exponential(0)":           "rate must be positive",
		"uniform(2,1)":             "low must be below high",
		"uniform(-inf,1)":          `"-inf" is not a number`,
		"uniform(-1e308,1e308)":    "low must be below high, and both be finite",
		"lognormal(0,0)":           "sigma must be positive",
		"student_t(0,0,1)":         "nu and sigma must be positive",
		"student_t(3,0)":           "2 arguments where student_t(nu, mu, sigma) has 3",
		"cauchy(0,-1)":             "scale must be positive",
		"truncnormal(0,1,2,1)":     "low must be below high",
		"truncnormal(0,inf,0,1)":   "sd must be positive",
		"truncnormal(0,1,100,101)": "nothing of the normal law lies between",
	} {
		if _, err := ParsePrior(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("ParsePrior(%q): %v, want %s", text, err, want)
		}
	}
}

// FuzzParsePrior checks that no text causes a panic, and that an accepted prior is printed as a text that gives the same prior.
func FuzzParsePrior(f *testing.F) {
	for _, text := range everyPrior {
		f.Add(text)
	}
	f.Add("gamma(mean=1.5,sd=0.75)")
	f.Fuzz(func(t *testing.T, text string) {
		p, err := ParsePrior(text)
		if err != nil {
			return
		}
		if again, err := ParsePrior(p.String()); err == nil && again.String() != p.String() {
			t.Errorf("%q: %s, then %s", text, p, again)
		}
	})
}
