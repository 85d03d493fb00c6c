package text_test

import (
	"bufio"
	"cmp"
	"flag"
	"fmt"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	diff "github.com/google/go-cmp/cmp"

	"likc/compiler/emit"
	"likc/compiler/emit/text"
	"likc/compiler/expr"
	"likc/compiler/syntax"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// everyOperator is a model in which every operator that a user can write occurs, with its arguments inside its domain.
func everyOperator() string {
	var sum strings.Builder
	sum.WriteString("0.5*rt")
	for _, op := range expr.Ops() {
		if info := op.Info(); info.Notation != expr.Leaf && !info.Internal {
			args := strings.Repeat(", sigmoid(v - rt)", info.Arity)[2:]
			if slices.Contains(info.Domain, expr.Condition{Arg: 0, Must: expr.BelowZero}) {
				args = "-" + args
			}
			if info.Arity > 1 {
				args = "sigmoid(v + rt), " + strings.Repeat(", sigmoid(2*a - rt)", info.Arity-1)[2:]
			}
			fmt.Fprintf(&sum, " + a*%s(%s)", info.Name, args)
		}
	}
	return "model every { trial rt param v in [-3, 3] param a in [0.3, 2.5] loglik = " + sum.String() + " }"
}

// operators are those of the table that have a spelling of their own in some target. It is fixed, so that a new operator
// changes no golden file; TestAgainstTree tests all operators.
const operators = `model operators {
  trial rt
  param v in [-3, 3]
  param a in [0.3, 2.5]
  let p = sigmoid(v + rt)
  let q = sigmoid(2*a - rt)
  loglik = v^2 + a^1.5 + inv(p) + fma(p, q, a) + abs(v) + log1p(p) + expm1(p) + erf(p) + erfc(p) + normcdf(p)
    + atan(v) + cbrt(v) + logit(p) + softplus(v) + logaddexp(v, a) + min(p, q) + max(p, q) + sign(v) + less(p, q) + rt
}`

// integrals is a model with an integral over pieces, one of them infinite, and an integral without cuts. Its names clash with names of the
// printed code.
const integrals = `model integrals {
  trial x
  choice total
  param k in [-1, 1]
  param nodes in [0.5, 2]
  lower { k = -k }
  let s = nodes^2
  let norm = integral(u in [-infinity, k, infinity]: exp(-(u - k)^2/(2*s)))
  let x0 = integral(u in [0, nodes]: 1 + exp(-(u - x)^2*total^2/s))
  loglik = log(x0) - log(norm)
}`

// branches is a model whose integrand has conditions on nodes, on the choice and on trials. Two of its integrals are 0.
const branches = `model branches {
  trial rt
  trial x
  choice c in {0, 1, 2}
  param a in [0.5, 2]
  param b in [0.2, 1]
  let part = integral(u in [0, 0.5, 1]: if(u < 0.5, exp(-u*a), if(c <= 1, exp(-u*rt*a), b)))
  let none = integral(u in [0, 1]: 0) + integral(u in [b, b]: a*u)
  loglik = if(x < 0, log(part), log(part)*b - rt) + none + log(integral(u in [rt, infinity]: exp(-u*a - b*u^2)))
}`

// awkward is a model with names that some target language reserves, a support condition on parameters and operators that need parentheses.
const awkward = `model awkward {
  trial rt
  trial x
  choice lower_
  param lambda in [0.5, 1]
  param xp in [0.5, 1]
  param in_ in [0.5, 1]
  support xp < rt + 1
  support lambda < 2
  lower { lambda = 1.5 - xp   xp = lambda/2 }
  let tau_0 = rt - (xp - x)
  let low = if(x < 0 and lambda < 0.75, sqrt(lambda), 0)
  let far = if(0.7 < lambda, log(x), x) + if(xp <= 0.7 or tau_0 < 0, log_normcdf(20*x), 1)
  loglik = low*far - (-tau_0^2)^2/(2*lambda/in_) - (x - (rt - 1e-07*lower_)) - -(x*lower_) + 1/3*(2^-in_)^2 + (-tau_0)^3 + exp(-(x^2))^2
}`

func read(t *testing.T, name, source string) *expr.Model {
	t.Helper()
	models, err := syntax.Read(name, strings.NewReader(source))
	if err != nil {
		t.Fatal(err)
	}
	return models[0]
}

// models returns the built-in models and the models of this file.
func models(t *testing.T) []*expr.Model {
	files, err := filepath.Glob("../../../testdata/models/*.lik")
	if err != nil || len(files) < 5 {
		t.Fatal("no models", err)
	}
	list := []*expr.Model{read(t, "awkward", awkward), read(t, "every", everyOperator()), read(t, "integrals", integrals), read(t, "branches", branches)}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, read(t, f, string(data)))
	}
	return list
}

// printed prints a model in the target language.
func printed(t *testing.T, m *expr.Model, target expr.Target) emit.File {
	t.Helper()
	cfg := emit.Config{Model: m, Package: m.Name}
	if looped, ok := m.WithLoops(); ok && target != expr.LaTeX {
		cfg.Looped = looped
	}
	files, err := text.Emitter{Target: target}.Emit(nil, cfg)
	if err != nil || len(files) != 1 {
		t.Fatalf("%s: %d files, %v", m.Name, len(files), err)
	}
	return files[0]
}

func TestGolden(t *testing.T) {
	for _, target := range text.Targets() {
		for _, m := range []*expr.Model{read(t, "awkward", awkward), read(t, "operators", operators), read(t, "integrals", integrals)} {
			f := printed(t, m, target)
			golden := filepath.Join("testdata", f.Name)
			if *update {
				if err := os.WriteFile(golden, f.Data, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if d := diff.Diff(string(want), string(f.Data)); d != "" {
				t.Errorf("%s, -want +got (rewrite with -update):\n%s", golden, d)
			}
		}
	}
}

// TestLaTeXNames: a name keeps its letter, and two names that look alike do not become a product, as \sigma2 would.
func TestLaTeXNames(t *testing.T) {
	m := read(t, "names", "model names { trial rt param sigma in [0, 1] param x1 in [0, 1] param x_1 in [0, 1] loglik = -sigma*rt + x1*x_1^2 }")
	if got := string(printed(t, m, expr.LaTeX).Data); !strings.Contains(got, `-\sigma \cdot \mathrm{rt} + x_{1} \cdot {x_{1}'}^{2}`) {
		t.Errorf("names are not told apart:\n%s", got)
	}
}

func TestRefused(t *testing.T) {
	m := read(t, "m", "model m { trial rt param v in [0, 1] loglik = v*rt }")
	if _, err := (text.Emitter{Target: expr.Python}).Emit(nil, emit.Config{Model: m, Package: "日本"}); err == nil {
		t.Error("a package name that some targets cannot have is accepted")
	}
	for range 40 { // 2^40 nodes as text
		m.LogLik = expr.New(expr.Add, m.LogLik, m.LogLik)
	}
	if _, err := (text.Emitter{Target: expr.Stan}).Emit(nil, emit.Config{Model: m}); err == nil {
		t.Error("an expression that is too long is printed")
	}
}

// interpreter is a program that runs a target's files, with a script that prints the log density of every trial of every
// case, one number for each line.
type interpreter struct {
	target  expr.Target
	command []string // runs a file, named after it
	probe   []string // fails where the command or a library is missing
	script  func(m *expr.Model, file string, cases []emit.Case) string
	around  [2]string                                                  // the text before and after the scripts of a run
	byTrial bool                                                       // the functions take the numbers of one trial, and no arrays
	slopes  func(m *expr.Model, file string, cases []emit.Case) string // a script that prints each trial's log density and gradient; nil: no gradient
}

var interpreters = []interpreter{
	{target: expr.Python, command: []string{python(), "-B"}, probe: []string{python(), "-c", "import numpy"}, script: pythonScript},
	{target: expr.R, command: []string{"Rscript", "--vanilla"}, probe: []string{"Rscript", "--version"}, script: rScript, slopes: rSlopes},
	{target: expr.Julia, command: []string{"julia", "--startup-file=no"}, probe: []string{"julia", "--version"}, script: juliaScript},
	{target: expr.JavaScript, command: []string{"node"}, probe: []string{"node", "--version"}, script: javaScript, slopes: javaScriptSlopes, byTrial: true,
		around: [2]string{"(async () => {\n", "})()"}},
	{target: expr.Rust, command: []string{"sh", "-c", `rustc --edition 2021 -D warnings -o check "$0" && ./check`}, probe: []string{"rustc", "--version"},
		script: rustScript, slopes: rustSlopes, byTrial: true, around: [2]string{"fn main() {\n", "}"}},
}

// TestAgainstTree runs the printed code and compares it, trial by trial, with the model evaluated node by node: inside the
// support, outside it, and for a wrong choice.
func TestAgainstTree(t *testing.T) {
	list := models(t)
	cases, want := make([][]emit.Case, len(list)), make([][]answer, len(list))
	for k, m := range list {
		cases[k] = edgeCases(m)
		want[k] = answers(m, cases[k])
	}
	for _, in := range interpreters {
		t.Run(string(in.target), func(t *testing.T) {
			if err := exec.Command(in.probe[0], in.probe[1:]...).Run(); err != nil {
				t.Skipf("%q does not run on this machine: what is printed for %s is compared as text only", in.probe, in.target)
			}
			in.check(t, list, cases, want)
		})
	}
}

// check runs the printed code of the models, and compares what it returns for the cases of each model with the expected answers.
func (in interpreter) check(t *testing.T, list []*expr.Model, cases [][]emit.Case, want [][]answer) {
	t.Helper()
	dir, script, all := t.TempDir(), "", []answer{}
	for k, m := range list {
		f := printed(t, m, in.target)
		if in.target == expr.Julia && strings.Contains(string(f.Data), "SpecialFunctions") {
			continue // the model needs a package that is not part of the interpreter's installation
		}
		if err := os.WriteFile(filepath.Join(dir, f.Name), f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
		script += in.script(m, f.Name, cases[k])
		all = append(all, want[k]...)
	}
	in.compare(t, dir, script, all)
}

// TestGradients runs the gradients of the printed code and compares them, trial by trial, with complex steps through the model.
func TestGradients(t *testing.T) {
	list := models(t)
	var cases [][]emit.Case
	var want []answer
	for k, m := range list {
		cases = append(cases, slices.DeleteFunc(edgeCases(m), func(c emit.Case) bool {
			return len(c.Columns[0]) > 12 && os.Getenv("LIKC_LONG") == ""
		}))
		want = append(want, gradientAnswers(m, cases[k])...)
	}
	for _, in := range interpreters {
		if in.slopes == nil {
			continue
		}
		t.Run(string(in.target), func(t *testing.T) {
			if err := exec.Command(in.probe[0], in.probe[1:]...).Run(); err != nil {
				t.Skipf("%q does not run on this machine: gradients in %s are not run", in.probe, in.target)
			}
			dir, script := t.TempDir(), ""
			for k, m := range list {
				f := printed(t, m, in.target)
				if err := os.WriteFile(filepath.Join(dir, f.Name), f.Data, 0o644); err != nil {
					t.Fatal(err)
				}
				script += in.slopes(m, f.Name, cases[k])
			}
			in.compare(t, dir, script, want)
		})
	}
}

// gradientAnswers returns the log density of each trial of the cases and its derivatives. A derivative may have a hundred times the error of
// the value.
func gradientAnswers(m *expr.Model, cases []emit.Case) (list []answer) {
	evaluate := emit.Evaluator(m)
	for k, c := range cases {
		for i := range c.Columns[0] {
			one := evaluated(m, c, i, evaluate)
			list = append(list, answer{fmt.Sprintf("%s, case %d, trial %d", m.Name, k, i), one.LogLik, one.Scale})
			for j, d := range one.Grad {
				slope := answer{fmt.Sprintf("%s, case %d, trial %d by %s", m.Name, k, i, m.Params[j].Name), d, 100 * one.Scale}
				if math.IsNaN(one.LogLik) {
					slope.value = one.LogLik
				} else if math.IsNaN(d) { // the complex step has no value here, so any number is accepted
					slope.value, slope.scale = 0, math.Inf(1)
				}
				list = append(list, slope)
			}
		}
	}
	return list
}

// TestFunctions compares every function of one argument over its whole domain, because a function that the printed file defines itself has
// several branches. The tolerance is a few roundings of the value, or of the square of the argument.
func TestFunctions(t *testing.T) {
	xs := []float64{1e-300, 1e-20, 1e-9, 0.2, 0.23, 0.24, 0.5, 0.731, 0.75, 0.84, 0.85, 0.899, 0.9, 0.95, 1, 1.1, 1.2316, 1.24, 1.26, 1.5, 1.73, 1.74, 1.9, 2, 2.5, 2.85, 2.86, 3.5,
		5.99, 6.01, 7.9, 8.1, 20.25, 27.9, 28.1, 36.9, 37.1, 38.9, 39.1, 300, 1e5, 1e19}
	for _, x := range slices.Clone(xs) {
		xs = append(xs, -x)
	}
	for _, in := range interpreters {
		if !in.byTrial {
			continue // the functions are those of a library
		}
		t.Run(string(in.target), func(t *testing.T) {
			if err := exec.Command(in.probe[0], in.probe[1:]...).Run(); err != nil {
				t.Skipf("%q does not run on this machine", in.probe)
			}
			dir, script, want := t.TempDir(), "", []answer{}
			for _, op := range expr.Ops() {
				info := op.Info()
				if info.Notation != expr.Call || info.Internal || info.Arity != 1 {
					continue
				}
				m := read(t, info.Name, "model m { trial x param p in [0, 1] loglik = p*x }")
				m.Name, m.LogLik = "of_"+info.Name, expr.New(op, expr.Var("x"))
				f := printed(t, m, in.target)
				if err := os.WriteFile(filepath.Join(dir, f.Name), f.Data, 0o644); err != nil {
					t.Fatal(err)
				}
				script += in.script(m, f.Name, []emit.Case{{Columns: [][]float64{xs}, Theta: []float64{0}}})
				for _, x := range xs {
					y := info.Eval([3]float64{x})
					scale := math.Abs(y) * (1 + math.Min(x*x, 800)) * 2e-3 // 2e-15; exp(-x²/2) has the relative error of x² times x²
					if op == expr.Sin || op == expr.Cos {
						scale = 1
					}
					want = append(want, answer{fmt.Sprintf("%s(%v)", info.Name, x), y, scale})
				}
			}
			in.compare(t, dir, script, want)
		})
	}
}

// compare runs a script in a folder and compares the numbers that it prints with the answers.
func (in interpreter) compare(t *testing.T, dir, script string, want []answer) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, "check.txt"), []byte(in.around[0]+script+in.around[1]), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(in.command[0], append(in.command[1:], "check.txt")...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "R_ENABLE_JIT=0") // R would compile each function at its second call, for longer than it runs
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	lines := bufio.NewScanner(strings.NewReader(string(out)))
	for _, w := range want {
		lines.Scan()
		got, err := strconv.ParseFloat(lines.Text(), 64)
		if err != nil || !(math.Abs(got-w.value) <= 1e-12*w.scale || got == w.value || math.IsNaN(got) && math.IsNaN(w.value)) {
			t.Errorf("%s: %q, want %v", w.where, lines.Text(), w.value)
		}
	}
}

// differentiate holds, for each Python module that can differentiate the printed code, a script that defines gradient(logpdf, trials, theta). It
// returns the log densities, and the derivative of the sum of the finite ones in each parameter.
var differentiate = map[string]string{
	"torch": `import math, torch
def gradient(logpdf, trials, theta):
    theta = [torch.tensor(x, dtype=torch.float64, requires_grad=True) for x in theta]
    value = logpdf(*(torch.tensor(x, dtype=torch.float64) for x in trials), *theta, xp=torch)
    zero = sum(0.0 * x for x in theta)
    return value.tolist(), [x.tolist() for x in torch.autograd.grad(torch.where(torch.isfinite(value), value, 0.0).sum() + zero, theta)]
`,
	"jax": `import jax
jax.config.update("jax_enable_x64", True)
import jax.numpy as jnp
def gradient(logpdf, trials, theta):
    trials = [jnp.asarray(x) for x in trials]
    value = logpdf(*trials, *theta, xp=jnp)
    def total(theta):
        value = logpdf(*trials, *theta, xp=jnp)
        return jnp.where(jnp.isfinite(value), value, 0.0).sum()
    return value.tolist(), [x.tolist() for x in jax.grad(total)([jnp.asarray(x) for x in theta])]
`,
}

// python is the interpreter that has the modules which differentiate; the environment may name another one.
func python() string { return cmp.Or(os.Getenv("LIKC_PYTHON"), "python3") }

// TestDifferentiated compares the gradients that torch and jax compute of the printed Python code with complex steps through the model.
func TestDifferentiated(t *testing.T) {
	for _, module := range slices.Sorted(maps.Keys(differentiate)) {
		t.Run(module, func(t *testing.T) {
			t.Parallel()
			if err := exec.Command(python(), "-c", "import "+module).Run(); err != nil {
				t.Skipf("%s has no module %s: set LIKC_PYTHON to one that has", python(), module)
			}
			dir, script, want := t.TempDir(), differentiate[module], []answer{}
			list := models(t)
			if module == "jax" && os.Getenv("LIKC_LONG") == "" {
				list = list[:4] // four models have all operators, and the language compiles slowly
			}
			for _, m := range list {
				f := printed(t, m, expr.Python)
				if err := os.WriteFile(filepath.Join(dir, f.Name), f.Data, 0o644); err != nil {
					t.Fatal(err)
				}
				cases := edgeCases(m)
				if os.Getenv("LIKC_LONG") == "" {
					cases = cases[len(cases)-3:]
				}
				script += "import " + m.Name + "\n"
				for k, c := range cases {
					n := len(c.Columns)
					if c.Choice != nil {
						n++
					}
					args := strings.SplitAfterN(arguments(c, "[", "]", expr.Literal), "], ", n+1)
					script += fmt.Sprintf("value, slope = gradient(%s.logpdf, [%s], [%s])\nfor x in value + slope: print(x)\n", m.Name, strings.Join(args[:n], ""), args[n])
					want = append(want, differentiated(m, k, c)...)
				}
			}
			in := interpreter{command: []string{python(), "-B"}}
			in.compare(t, dir, script, want)
		})
	}
}

// differentiated returns the log densities of a case's trials, then the gradient of the sum of the finite ones.
func differentiated(m *expr.Model, k int, c emit.Case) []answer {
	list, grad, scales := []answer{}, make([]float64, len(c.Theta)), make([]float64, len(c.Theta))
	evaluate := emit.Evaluator(m)
	for i := range c.Columns[0] {
		one := evaluated(m, c, i, evaluate)
		list = append(list, answer{fmt.Sprintf("%s, case %d, trial %d", m.Name, k, i), one.LogLik, one.Scale})
		if math.IsInf(one.LogLik, 0) || math.IsNaN(one.LogLik) {
			continue
		}
		for j, d := range one.Grad {
			grad[j], scales[j] = grad[j]+d, scales[j]+math.Abs(d)+one.Scale*1e-2
		}
	}
	for j, d := range grad {
		list = append(list, answer{fmt.Sprintf("%s, case %d, derivative by %s", m.Name, k, m.Params[j].Name), d, 100 * scales[j]})
	}
	return list
}

// TestRecycled passes one choice for many trials, then one trial and choice for many values of the first parameter: a single number is repeated
// to the length of the other arguments.
func TestRecycled(t *testing.T) {
	m := read(t, "recycled", "model recycled { trial rt choice c param v in [-3, 3] param a in [0.3, 2.5] lower { v = -v } loglik = v*a - rt*v^2 }")
	rt, theta := []float64{0.5, 0.7, 1.1}, []float64{0.4, 1.5}
	var want []answer
	for i, x := range rt { // the log density at -1 by hand
		want = append(want, answer{fmt.Sprintf("trial %d", i), -0.4*1.5 - x*0.16, 1})
	}
	for i, v := range rt { // at rt = 0.4
		want = append(want, answer{fmt.Sprintf("parameter %d", i), -v*1.5 - 0.4*v*v, 1})
	}
	for _, in := range interpreters {
		if in.byTrial {
			continue
		}
		t.Run(string(in.target), func(t *testing.T) {
			if err := exec.Command(in.probe[0], in.probe[1:]...).Run(); err != nil {
				t.Skipf("%q does not run on this machine", in.probe)
			}
			dir, f := t.TempDir(), printed(t, m, in.target)
			if err := os.WriteFile(filepath.Join(dir, f.Name), f.Data, 0o644); err != nil {
				t.Fatal(err)
			}
			script := in.script(m, f.Name, []emit.Case{
				{Columns: [][]float64{rt}, Choice: []float64{-1}, Theta: theta},
				{Columns: [][]float64{{0.4}}, Choice: []float64{-1}, Theta: []float64{9, 1.5}},
			})
			list := map[expr.Target]string{expr.R: "c(0.5, 0.7, 1.1)"}[in.target]
			if list == "" {
				list = "[0.5, 0.7, 1.1]"
			}
			script = strings.NewReplacer("float(9)", list, ", 9, ", ", "+list+", ").Replace(script)
			in.compare(t, dir, script, want)
		})
	}
}

// answer is an expected number, with the scale of its rounding errors.
type answer struct {
	where        string
	value, scale float64
}

// answers returns the expected log density of each trial of the cases.
func answers(m *expr.Model, cases []emit.Case) []answer {
	var list []answer
	evaluate := emit.Evaluator(m)
	for k, c := range cases {
		for i := range c.Columns[0] {
			one := evaluated(m, c, i, evaluate)
			list = append(list, answer{fmt.Sprintf("%s, case %d, trial %d", m.Name, k, i), one.LogLik, one.Scale})
		}
	}
	return list
}

// edgeCases returns cases of the model, one with trials outside the support, and one with a choice that the model does not have.
func edgeCases(m *expr.Model) []emit.Case {
	cases := emit.MakeCases(m, 3)
	beyond := cases[0]
	beyond.Theta = append([]float64{}, beyond.Theta...)
	for i := range beyond.Theta {
		beyond.Theta[i] += 5
	}
	cases = append(cases, beyond)
	if m.Choice != "" {
		wrong := cases[0]
		wrong.Choice = append([]float64{}, wrong.Choice...)
		wrong.Choice[0] = 0.5
		cases = append(cases, wrong)
	}
	return cases
}

// evaluated returns trial i of a case as a case, evaluated node by node: its log density, the gradient and the scale of errors. The log density of
// a choice that the model does not have is NaN.
func evaluated(m *expr.Model, c emit.Case, i int, evaluate func(*emit.Case)) emit.Case {
	one := singleTrial(c, i)
	evaluate(&one)
	if c.Choice != nil && !slices.Contains(m.Codes(), c.Choice[i]) {
		one.LogLik, one.Scale = math.NaN(), 0
	}
	return one
}

// singleTrial returns trial i of a case as a case.
func singleTrial(c emit.Case, i int) emit.Case {
	one := emit.Case{Theta: c.Theta}
	for _, x := range c.Columns {
		one.Columns = append(one.Columns, x[i:i+1])
	}
	if c.Choice != nil {
		one.Choice = c.Choice[i : i+1]
	}
	return one
}

// arguments writes a case's columns, choice and parameters.
func arguments(c emit.Case, open, end string, number func(float64) string) string {
	var args []string
	for _, x := range append(append([][]float64{}, c.Columns...), c.Choice) {
		if x == nil {
			continue
		}
		var list []string
		for _, v := range x {
			list = append(list, number(v))
		}
		args = append(args, open+strings.Join(list, ", ")+end)
	}
	for _, v := range c.Theta {
		args = append(args, number(v))
	}
	return strings.Join(args, ", ")
}

func pythonScript(m *expr.Model, file string, cases []emit.Case) string {
	s := "import " + m.Name + ", warnings\nwarnings.simplefilter('error')\n"
	for _, c := range cases {
		s += "for x in " + m.Name + ".logpdf(" + arguments(c, "[", "]", expr.Literal) + "): print(float(x))\n"
	}
	return s
}

func rScript(m *expr.Model, file string, cases []emit.Case) string {
	s := "options(warn = 2); source('" + file + "')\n"
	for _, c := range cases {
		s += "cat(sprintf('%.17g\\n', " + m.Name + "_logpdf(" + arguments(c, "c(", ")", expr.Literal) + ")), sep = '')\n"
	}
	return s
}

func rSlopes(m *expr.Model, file string, cases []emit.Case) string {
	s := "options(warn = 2); source('" + file + "')\n"
	for _, c := range cases {
		s += "y <- " + m.Name + "_logpdf_grad(" + arguments(c, "c(", ")", expr.Literal) + "); cat(sprintf('%.17g\n', t(cbind(y, attr(y, 'gradient')))), sep = '')\n"
	}
	return s
}

func juliaScript(m *expr.Model, file string, cases []emit.Case) string {
	float := func(x float64) string { return "float(" + expr.Literal(x) + ")" }
	s := "include(\"" + file + "\")\n"
	for _, c := range cases {
		s += "foreach(println, " + m.Name + "_logpdf.(" + arguments(c, "[", "]", float) + "))\n"
	}
	return s
}

// trialByTrial writes a line for each trial of the cases, with its arguments.
func trialByTrial(line string, cases []emit.Case, number func(float64) string) (s string) {
	for _, c := range cases {
		for i := range c.Columns[0] {
			s += fmt.Sprintf(line, arguments(singleTrial(c, i), "", "", number))
		}
	}
	return s
}

func javaScript(m *expr.Model, file string, cases []emit.Case) string {
	s := "const " + m.Name + " = await import('./" + file + "');\n"
	return s + trialByTrial("console.log("+m.Name+".logpdf(%s));\n", cases, expr.Literal)
}

func javaScriptSlopes(m *expr.Model, file string, cases []emit.Case) string {
	s := "const " + m.Name + " = await import('./" + file + "');\n"
	return s + trialByTrial("for (const x of "+m.Name+".logpdf_grad(%s).flat()) console.log(x);\n", cases, expr.Literal)
}

func rustSlopes(m *expr.Model, file string, cases []emit.Case) string {
	float := func(x float64) string { return expr.Literal(x) + "_f64" }
	s := "#[path = \"" + file + "\"] mod " + m.Name + ";\nfor (x, slopes) in [\n"
	return s + trialByTrial(m.Name+"::logpdf_grad(%s),\n", cases, float) + "] { println!(\"{x}\"); for d in slopes { println!(\"{d}\") } }\n"
}

func rustScript(m *expr.Model, file string, cases []emit.Case) string {
	float := func(x float64) string { return expr.Literal(x) + "_f64" }
	s := "#[path = \"" + file + "\"] mod " + m.Name + ";\nfor x in [\n"
	return s + trialByTrial(m.Name+"::logpdf(%s),\n", cases, float) + "] { println!(\"{x}\") }\n"
}

// TestPowerOfSmallNumber: a number that LaTeX shows as a product, such as 1.5·10⁻⁷, is put in parentheses if it is the base of a power.
func TestPowerOfSmallNumber(t *testing.T) {
	m := read(t, "m", "model m { trial rt param v in [1, 2] loglik = rt*0.00000015^v - 0.00000015*rt }")
	got := string(printed(t, m, expr.LaTeX).Data)
	for _, want := range []string{`{\left({1.5 \cdot 10^{-7}}\right)}^{v}`, ` - {1.5 \cdot 10^{-7}} \cdot \mathrm{rt}`} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
}

// TestMissing: the comments of printed code say which number stands for a missing value, because the code does not accept NA.
func TestMissing(t *testing.T) {
	m := read(t, "m.lik", "model m { trial rt missing 1 trial ssd positive missing 1000 choice c in {0, 1} missing 0 param p in [0.1, 1] loglik = if(c <= 0, log(p), -p*rt/ssd) }")
	for _, target := range []expr.Target{expr.R, expr.Python, expr.Stan, expr.Julia, expr.JavaScript, expr.Rust} {
		files, err := text.Emitter{Target: target}.Emit(nil, emit.Config{Model: m, Package: "m", Source: "m.lik"})
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(files[0].Data), "Where a trial has none, the number to give: rt = 1, ssd = 1000, c = 0.") {
			t.Errorf("%v: %s", target, files[0].Data)
		}
	}
}
