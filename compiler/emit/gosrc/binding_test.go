package gosrc_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"likc/compiler"
	"likc/compiler/emit"
	"likc/compiler/emit/gosrc"
	"likc/compiler/expr"
	"likc/compiler/syntax"
	"likc/runtime/catalog"
	"likc/runtime/engine"
	"likc/testdata"
)

// boundTexts are models with a binding function: one between two boundaries, mixed with lapses, whose integral is another at the lower
// boundary of the bound parameters; and one with a tilt and an onset, whose log integral is far out of the range of exp.
var boundTexts = map[string]string{
	"between": header + `
  let tau = rt - t
  let D = 2*a*(1 - z)
  loglik = log(D) - 1.5*log(tau) - (D - v*tau)^2/(2*tau) - 0.1*tau
  normalise
  lapse 0.05 until 20
  bind {
    input tanh(v*a)
    input log(a)
    shift v { 0.02 0 0; 0.3 1 1; -0.1 0 2 }
    shift z { 0.01 1 0; -0.02 2 2 }
    shift t { 0.01 0 0; 0.02 1 0 }
    tilt { 0.3 0 0; 0.1 0 1 }
  }`,
	"far": `
  trial rt
  param r in [0.5, 2]
  param k in [20, 30]
  param t in [0, 0.4]
  support t < rt
  loglik = -r*(rt - t) + 100*k
  normalise
  bind {
    input log(r)
    input softplus(k - 25)
    shift r { 0.1 0 0; 0.05 2 0; 0.01 1 1 }
    tilt { 0.3 0 0; 0.1 1 0 }
  }`,
}

// TestBoundPackages runs the own tests of packages of models with a binding function, which compare them with the model written out, and
// compares them with the engine, and its gradients with differences of its values, at random parameters and trials.
func TestBoundPackages(t *testing.T) {
	models := map[string]string{}
	for name, text := range boundTexts {
		models[name] = "model " + name + " {" + text + "\n}\n"
	}
	if os.Getenv("LIKC_LONG") != "" {
		for _, name := range []string{"wald_calibrated", "expr2_calibrated", "expr2_lapseless", "found60_calibrated"} {
			models[name], _ = testdata.Model(name)
		}
	}
	folder := module(t)
	for name, text := range models {
		own, err := syntax.Read(name+".lik", strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		u, err := compiler.CompileBound(own[0], compiler.Options{Check: true})
		if err != nil {
			t.Fatal(err)
		}
		isa := emit.NoISA
		if name == "between" || os.Getenv("LIKC_LONG") != "" {
			isa = emit.AutoISA
		}
		files, err := u.Files(gosrc.Emitter{}, emit.Config{Package: "p" + name, ISA: isa, Text: text})
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(folder, "p"+name), append(files, emit.File{Name: "other_test.go", Data: []byte(byEngine(t, own[0], "p"+name))})...)
	}
	goCommand(t, folder, "test", "./...")
}

// byEngine is a test of an emitted package with what the engine says.
func byEngine(t *testing.T, m *expr.Model, pkg string) string {
	rng := rand.New(rand.NewPCG(5, 7))
	b, err := engine.Open(catalog.OfExpression(m), engine.Ready)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	var cases []string
	for len(cases) < 20 {
		columns, choice := emit.SimulateTrials(m, 30, rng)
		lik, err := b.Bind(columns, choice)
		if err != nil {
			t.Fatal(err)
		}
		theta, grad := make([]float64, len(m.Params)), make([]float64, len(m.Params))
		for j, p := range m.Params {
			theta[j] = p.Lower + (p.Upper-p.Lower)*rng.Float64()
			if p.Name == "t" {
				theta[j] = 0.2 * rng.Float64()
			}
		}
		value := lik.LogLikGrad(theta, grad)
		if math.IsInf(value, -1) {
			continue
		}
		for j := range theta {
			at := func(x float64) float64 {
				other := append([]float64(nil), theta...)
				other[j] = x
				return lik.LogLik(other)
			}
			const h = 1e-6
			if d := (at(theta[j]+h) - at(theta[j]-h)) / (2 * h); !(math.Abs(d-grad[j]) <= 1e-4*(1+math.Abs(value)+math.Abs(grad[j]))) {
				t.Errorf("%s at %v: the engine's derivative %d is %v, its differences say %v", m.Name, theta, j, grad[j], d)
			}
		}
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
		}
	}
}
`, pkg, strings.Join(cases, ",\n\t\t"))
}
