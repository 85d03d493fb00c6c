package csrc_test

import (
	"maps"
	"os"
	"strings"
	"testing"

	"likc/compiler"
	"likc/compiler/emit"
	"likc/compiler/emit/csrc"
	"likc/compiler/syntax"
	"likc/testdata"
)

// boundTexts are two models with a binding function. One has two boundaries and lapses, and the log of its integral varies by up to 30,000
// nats over the parameters' ranges. The other has neither choice nor lapses, and its parameters have names that the printed functions use.
var boundTexts = map[string]string{
	"between": `model between {
  trial  rt
  choice c
  param  v in [-3, 3]
  param  a in [0.3, 2.5]
  param  z in [0.1, 0.9]
  param  t in [0, 2]
  support t < rt
  lower  { v = -v   z = 1 - z }
  let tau = rt - t
  let D = 2*a*(1 - z)
  loglik = 30000*log(a) + log(D) - 1.5*log(tau) - (D - v*tau)^2/(2*tau) - 0.1*tau
  normalise
  lapse 0.05 until 20
  bind {
    input tanh(v*a)
    input log(a)
    shift v { 0.02 0 0; 0.3 1 1; -0.1 0 2 }
    shift z { 0.01 1 0; -0.02 2 2 }
    tilt { 0.3 0 0; 0.1 0 1 }
  }
}`,
	"far": `model far {
  trial rt
  param p in [0.5, 2]
  param integral in [20, 30]
  param theta in [0, 0.4]
  support theta < rt
  loglik = -p*(rt - theta) + 100*integral
  normalise
  bind {
    input log(p)
    input softplus(integral - 25)
    shift p { 0.1 0 0; 0.05 2 0; 0.01 1 1 }
    tilt { 0.3 0 0; 0.1 1 0 }
  }
}`,
}

// TestBoundCompiles compiles models with a binding function without a warning and runs their cases. The
// expected values are those of the model with its integral written out.
func TestBoundCompiles(t *testing.T) {
	need(t, "gcc")
	models, flags := maps.Clone(boundTexts), [][]string{strict}
	if os.Getenv("LIKC_LONG") != "" {
		flags = append(flags, fast)
		for _, name := range []string{"wald_calibrated", "expr2_calibrated", "expr2_lapseless", "found60_calibrated"} {
			models[name], _ = testdata.Model(name)
		}
	}
	for name, text := range models {
		read, err := syntax.Read(name+".lik", strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		u, err := compiler.CompileBound(read[0], compiler.Options{})
		if err != nil {
			t.Fatal(err)
		}
		const pkg = "integral" // a name that the integral's own names could clash with
		files, err := u.Files(csrc.Emitter{}, emit.Config{Package: pkg, Text: text})
		if err != nil {
			t.Fatal(err)
		}
		dir := write(t, files)
		for _, f := range flags {
			if said := run(t, dir, program(t, dir, "gcc", pkg, f)); !strings.HasPrefix(said, "ok: ") {
				t.Errorf("%s, %v: %s", name, f, said)
			}
		}
	}
}
