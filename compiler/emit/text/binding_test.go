package text_test

import (
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"likc/compiler"
	"likc/compiler/emit"
	"likc/compiler/emit/text"
	"likc/compiler/emit/text/texttest"
	"likc/compiler/expr"
	"likc/compiler/normal"
	"likc/testdata"
)

// boundTexts are models with a binding function: one between two boundaries, mixed with lapses, whose parameters have names that the
// printed functions might use; one with a tilt and an onset, whose log integral is far out of the range of exp; and one whose polynomial is a
// constant.
var boundTexts = map[string]string{
	"between": `model between {
  trial  rt
  choice c
  param  k in [-3, 3]
  param  range in [0.3, 2.5]
  param  binding_values in [0.1, 0.9]
  param  t in [0, 2]
  support t < rt
  lower  { k = -k   binding_values = 1 - binding_values }
  let tau = rt - t
  let D = 2*range*(1 - binding_values)
  loglik = log(D) - 1.5*log(tau) - (D - k*tau)^2/(2*tau) - 0.1*tau
  normalise
  lapse 0.05 until 20
  bind {
    input tanh(k*range)
    input log(range)
    shift k { 0.02 0 0; 0.3 1 1; -0.1 0 2 }
    shift binding_values { 0.01 1 0; -0.02 2 2 }
    tilt { 0.3 0 0; 0.1 0 1 }
  }
}`,
	"far": `model far {
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
  }
}`,
	"constant": `model constant {
  trial rt
  param r in [0.5, 2]
  loglik = -r*rt
  normalise
  bind {
    input log(r)
    shift r { 0.1 0 }
  }
}`,
}

// TestBoundAgainstTree runs the printed code of models with a binding function and compares it with the model written out. They may differ only
// by the rounding of sums in another order.
func TestBoundAgainstTree(t *testing.T) {
	texts := maps.Clone(boundTexts)
	if os.Getenv("LIKC_LONG") != "" {
		for _, name := range []string{"wald_calibrated", "expr2_lapseless"} {
			texts[name], _ = testdata.Model(name)
		}
	}
	for _, in := range texttest.Interpreters {
		t.Run(string(in.Target), func(t *testing.T) {
			need(t, in)
			dir, script, want := t.TempDir(), "", []answer{}
			slopes, gradients := "", []answer{}
			for name, source := range texts {
				m := read(t, name, source)
				written, err := normal.Inlined(m)
				if err != nil {
					t.Fatal(err)
				}
				f := printedBound(t, m, in.Target)
				if err := os.WriteFile(filepath.Join(dir, f.Name), f.Data, 0o644); err != nil {
					t.Fatal(err)
				}
				cases := boundCases(written)
				script += in.Script(m, f.Name, cases)
				for _, a := range answers(written, cases) {
					a.scale = 100 * (1 + math.Abs(a.value))
					want = append(want, a)
				}
				if in.Slopes != nil {
					slopes += in.Slopes(m, f.Name, cases)
					gradients = append(gradients, gradientAnswers(written, cases)...)
				}
			}
			compare(t, in, dir, script, want)
			if in.Slopes != nil {
				compare(t, in, dir, slopes, gradients)
			}
		})
	}
}

// TestWhole runs the printed code of a normalised model. At both boundaries its log Z is computed from the parameters as the caller gives them.
func TestWhole(t *testing.T) {
	m := read(t, "whole", `model whole {
  trial  rt
  choice c
  param  v in [-3, 3]
  param  a in [0.3, 2.5]
  param  z in [0.1, 0.9]
  param  log_z in [0, 2]
  support log_z < rt
  lower  { v = -v   z = 1 - z }
  let tau = rt - log_z
  let D = 2*a*(1 - z)
  loglik = v*a - log(D) - 1.5*log(tau) - D^2/(2*tau) - tau*(0.1 + v^2/2)
  normalise
}`)
	whole, err := normal.Whole(m)
	if err != nil {
		t.Fatal(err)
	}
	for _, in := range texttest.Interpreters {
		t.Run(string(in.Target), func(t *testing.T) {
			need(t, in)
			dir, f := t.TempDir(), printed(t, whole, in.Target)
			if err := os.WriteFile(filepath.Join(dir, f.Name), f.Data, 0o644); err != nil {
				t.Fatal(err)
			}
			cases := edgeCases(whole)
			compare(t, in, dir, in.Script(whole, f.Name, cases), answers(whole, cases))
			if in.Slopes != nil {
				compare(t, in, dir, in.Slopes(whole, f.Name, cases), gradientAnswers(whole, cases))
			}
		})
	}
}

// boundCases returns small cases of a model, one with parameters at which the inputs are undefined, and one with a choice that the model does
// not have.
func boundCases(m *expr.Model) []emit.Case {
	cases := emit.MakeLongCases(m, 3)[:3]
	negative := cases[0]
	negative.Theta = slices.Clone(negative.Theta)
	for i := range negative.Theta {
		negative.Theta[i] = -1
	}
	cases = append(cases, negative)
	if m.Choice != "" {
		wrong := cases[0]
		wrong.Choice = append([]float64{0.5}, wrong.Choice[1:]...)
		cases = append(cases, wrong)
	}
	return cases
}

// boundUnits are compiled models by name.
var boundUnits = map[string]*compiler.Unit{}

// printedBound compiles a model with a binding function, and prints it in the target language.
func printedBound(t *testing.T, m *expr.Model, target expr.Target) emit.File {
	t.Helper()
	u := boundUnits[m.Name]
	if u == nil {
		var err error
		if u, err = compiler.CompileBound(m, compiler.Options{}); err != nil {
			t.Fatal(err)
		}
		boundUnits[m.Name] = u
	}
	files, err := u.Files(text.Emitter{Target: target}, emit.Config{Package: m.Name})
	if err != nil {
		t.Fatal(err)
	}
	return files[0]
}

// TestStanParses lets rstan parse printed code within a small program. Version 2.21 is the oldest that must work.
func TestStanParses(t *testing.T) {
	if err := exec.Command("Rscript", "-e", "library(rstan)").Run(); err != nil {
		t.Skip("R has no rstan on this machine: what is printed for Stan is not parsed")
	}
	files := []emit.File{printedBound(t, read(t, "between", boundTexts["between"]), expr.Stan)}
	normalised, _ := testdata.Model("found57")
	files = append(files, printedBound(t, read(t, "found57", normalised), expr.Stan))
	for _, name := range []string{"expr2", "lnr3", "stop_signal", "lognormal"} {
		source, _ := testdata.Model(name)
		files = append(files, printed(t, read(t, name, source), expr.Stan))
	}
	for _, source := range []string{awkward, everyOperator(), integrals, branches} {
		files = append(files, printed(t, read(t, "m", source), expr.Stan))
	}
	dir, script := t.TempDir(), "library(rstan)\n"
	for _, f := range files {
		data := append(f.Data, "parameters { real q; }\nmodel { q ~ normal(0, 1); }\n"...)
		if err := os.WriteFile(filepath.Join(dir, f.Name), data, 0o644); err != nil {
			t.Fatal(err)
		}
		script += "stanc('" + f.Name + "')\n"
	}
	cmd := exec.Command("Rscript", "--vanilla", "-e", script)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestBoundStan checks lines of the printed Stan code, which no test runs, and that its braces match.
func TestBoundStan(t *testing.T) {
	got := string(printedBound(t, read(t, "between", boundTexts["between"]), expr.Stan).Data)
	for _, want := range []string{
		"real between_given(real rt, real c, real k, real range, real binding_values_2, real t, real tilt, real logz) {",
		"vector between_binding(real k, real range, real binding_values_2, real t) {",
		"vector[2] binding_inputs = [tanh(k * range), log(range)]';",
		"binding_values[3] += binding_shifts[2];",
		"binding_shifts = between_coefficients()' * [1.0, ",
		" = between_log_terms(between_times(), between_log_weights(), -1.0, binding_values[1], binding_values[2], binding_values[3], binding_values[4], binding_values[5], 0.0);",
		"return between_given(rt, c, binding_values[1], binding_values[2],",
		"real between_trial(real rt, real c, real k, real range, real binding_values_2, real t) {",
		"real between_lpdf(vector rt, vector c, real k, real range, real binding_values_2, real t) {",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if open, end := strings.Count(got, "{"), strings.Count(got, "}"); open != end {
		t.Errorf("%d braces open and %d close", open, end)
	}
}
