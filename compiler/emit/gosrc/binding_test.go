package gosrc_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"likc/compiler"
	"likc/compiler/emit"
	"likc/compiler/emit/gosrc"
	"likc/compiler/expr"
	"likc/compiler/syntax"
	"likc/runtime/model/bound"
	"likc/runtime/model/catalog"
	"likc/runtime/model/kernel"
	"likc/testdata"
)

// between is a model with two boundaries, lapses and a tilt. Its integral differs between the two boundaries, and over the parameters' ranges
// it leaves the range of float64.
const between = "model between {" + header + `
  let tau = rt - t
  let D = 2*a*(1 - z)
  loglik = 3000*log(a) + log(D) - 1.5*log(tau) - (D - v*tau)^2/(2*tau) - 0.1*tau
  normalise
  lapse 0.05 until 20
  bind {
    input tanh(v*a)
    input log(a)
    shift v { 0.02 0 0; 0.3 1 1; -0.1 0 2 }
    shift z { 0.01 1 0; -0.02 2 0 }
    shift t { 0.01 0 0; 0.02 1 0 }
    tilt { 0.3 0 0; 0.1 0 1 }
  }
}
`

// unchosen is a model without choice and lapses, whose parameters have names that the printed functions might use.
const unchosen = `model unchosen {
  trial rt
  param p in [0.5, 2]
  param theta in [20, 30]
  param shift in [0, 0.4]
  support shift < rt
  loglik = -p*(rt - shift) + 100*theta
  normalise
  bind {
    input log(p)
    input softplus(theta - 25)
    shift p { 0.1 0 0; 0.05 2 0; 0.01 1 1 }
    tilt { 0.3 0 0; 0.1 1 0 }
  }
}
`

// edges holds parameter vectors of the model between: two corners of its ranges, then vectors at which log Z differs by 13,800 nats or more
// from log Z in the middle of the ranges.
var edges = map[string][][]float64{"between": {{-3, 0.3, 0.1, 0}, {3, 2.5, 0.9, 2}, {0.7, 100, 0.4, 0.2}, {0.7, 0.01, 0.4, 0.2}, {0.7, 1e4, 0.4, 0.2}}}

// TestBoundPackages tests emitted packages of models with a binding function. Their own tests compare them with the model written out. At
// random parameters and trials it also compares them with the engine, and the engine's gradients with differences of its values.
func TestBoundPackages(t *testing.T) {
	models := map[string]string{"between": between}
	if os.Getenv("LIKC_LONG") != "" {
		models["unchosen"] = unchosen
		for _, name := range []string{"wald_calibrated", "expr2_calibrated", "expr2_lapseless", "found60_calibrated"} {
			models[name], _ = testdata.Model(name)
		}
	}
	folder := module(t)
	for name, text := range models {
		read, err := syntax.Read(name+".lik", strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		u, err := compiler.CompileBound(read[0], compiler.Options{Check: true})
		if err != nil {
			t.Fatal(err)
		}
		files, err := u.Files(gosrc.Emitter{}, emit.Config{Package: "p" + name, ISA: emit.AutoISA, Text: text})
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(folder, "p"+name), append(files, emit.File{Name: "other_test.go", Data: []byte(byEngine(t, read[0], "p"+name))})...)
	}
	goCommand(t, folder, "test", "./...")
}

// byEngine returns the source of a test that compares an emitted package with values of the engine.
func byEngine(t *testing.T, m *expr.Model, pkg string) string {
	rng := rand.New(rand.NewPCG(5, 7))
	b, err := bound.Open(catalog.OfExpression(m), bound.Ready)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	var cases []string
	for len(cases) < 20 {
		columns, choice := emit.SimulateTrials(m, 30, rng)
		if choice != nil && len(cases)%7 == 6 { // only trials of one response
			choice = slices.Repeat(choice[:1], len(choice))
		}
		lik, err := b.Bind(kernel.Trials{Columns: columns, Choice: choice}, bound.Design{})
		if err != nil {
			t.Fatal(err)
		}
		theta, grad := boundPoint(m, len(cases), rng), make([]float64, len(m.Params))
		value := lik.LogLikGrad(theta, grad)
		if math.IsInf(value, -1) {
			continue
		}
		compareSlopes(t, m.Name, lik, theta, grad)
		cases = append(cases, fmt.Sprintf("{%#v, %#v, %#v, %#v, %#v}", theta, columns, choice, value, grad))
	}
	return fmt.Sprintf(`package %s

import (
	"math"
	"testing"
)

func TestAsTheEngine(t *testing.T) {
	for _, c := range []struct {
		theta   []float64
		columns [][]float64
		choice  []float64
		logLik  float64
		grad    []float64
	}{
		%s,
	} {
		d, err := bind(c.columns, c.choice)
		if err != nil {
			t.Fatal(err)
		}
		grad := make([]float64, Dim)
		if got := d.LogLikGrad(c.theta, grad); !near(got, c.logLik, 1e-9*(1+math.Abs(c.logLik))) || d.LogLik(c.theta) != got {
			t.Errorf("at %%v: %%v, want %%v", c.theta, got, c.logLik)
		}
		for j := range grad {
			if !near(grad[j], c.grad[j], 1e-9*(1+math.Abs(c.logLik)+math.Abs(c.grad[j]))) {
				t.Errorf("at %%v: derivative %%d is %%v, want %%v", c.theta, j, grad[j], c.grad[j])
			}
			undefined := append([]float64(nil), c.theta...)
			undefined[j] = math.NaN()
			if got := d.LogLikGrad(undefined, make([]float64, Dim)); !math.IsNaN(got) && !math.IsInf(got, -1) {
				t.Errorf("at %%v: %%v, want NaN or -Inf", undefined, got)
			}
		}
	}
}
`, pkg, strings.Join(cases, ",\n\t\t"))
}

// boundPoint draws parameters from their ranges, after the edges of the model.
func boundPoint(m *expr.Model, i int, rng *rand.Rand) []float64 {
	if i < len(edges[m.Name]) {
		return edges[m.Name][i]
	}
	theta := make([]float64, len(m.Params))
	for j, p := range m.Params {
		theta[j] = p.Lower + (p.Upper-p.Lower)*rng.Float64()
		if p.Lower == 0 { // the onset: before most trials
			theta[j] *= 0.1
		}
	}
	return theta
}

// compareSlopes compares a gradient with central differences of values.
func compareSlopes(t *testing.T, name string, lik kernel.Sum, theta, grad []float64) {
	t.Helper()
	value := lik.LogLik(theta)
	for j := range theta {
		h := 1e-6 * math.Max(1, theta[j])
		logLikAt := func(x float64) float64 {
			other := slices.Clone(theta)
			other[j] = x
			return lik.LogLik(other)
		}
		if d := (logLikAt(theta[j]+h) - logLikAt(theta[j]-h)) / (2 * h); !(math.Abs(d-grad[j]) <= 1e-4*(1+math.Abs(value)+math.Abs(grad[j]))) {
			t.Errorf("%s at %v: the engine's derivative %d is %v, its differences say %v", name, theta, j, grad[j], d)
		}
	}
}
