package text_test

import (
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	diff "github.com/google/go-cmp/cmp"

	"likc/compiler/emit"
	"likc/compiler/emit/text"
	"likc/compiler/emit/text/texttest"
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

// TestAgainstTree runs the printed code and compares it, trial by trial, with the model evaluated node by node: inside the
// support, outside it, and for a wrong choice.
func TestAgainstTree(t *testing.T) {
	list := models(t)
	cases, want := make([][]emit.Case, len(list)), make([][]answer, len(list))
	for k, m := range list {
		cases[k] = edgeCases(m)
		want[k] = answers(m, cases[k])
	}
	for _, in := range texttest.Interpreters {
		t.Run(string(in.Target), func(t *testing.T) {
			need(t, in)
			check(t, in, list, cases, want)
		})
	}
}

// check runs the printed code of the models, and compares what it returns for the cases of each model with the expected answers.
func check(t *testing.T, in texttest.Interpreter, list []*expr.Model, cases [][]emit.Case, want [][]answer) {
	t.Helper()
	dir, script, all := t.TempDir(), "", []answer{}
	for k, m := range list {
		f := printed(t, m, in.Target)
		if in.Target == expr.Julia && strings.Contains(string(f.Data), "SpecialFunctions") {
			continue // the model needs a package that is not part of the interpreter's installation
		}
		if err := os.WriteFile(filepath.Join(dir, f.Name), f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
		script += in.Script(m, f.Name, cases[k])
		all = append(all, want[k]...)
	}
	compare(t, in, dir, script, all)
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
	for _, in := range texttest.Interpreters {
		if in.Slopes == nil {
			continue
		}
		t.Run(string(in.Target), func(t *testing.T) {
			need(t, in)
			dir, script := t.TempDir(), ""
			for k, m := range list {
				f := printed(t, m, in.Target)
				if err := os.WriteFile(filepath.Join(dir, f.Name), f.Data, 0o644); err != nil {
					t.Fatal(err)
				}
				script += in.Slopes(m, f.Name, cases[k])
			}
			compare(t, in, dir, script, want)
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
	for _, in := range texttest.Interpreters {
		if !in.ByTrial {
			continue // the functions are those of a library
		}
		t.Run(string(in.Target), func(t *testing.T) {
			need(t, in)
			dir, script, want := t.TempDir(), "", []answer{}
			for _, op := range expr.Ops() {
				info := op.Info()
				if info.Notation != expr.Call || info.Internal || info.Arity != 1 {
					continue
				}
				m := read(t, info.Name, "model m { trial x param p in [0, 1] loglik = p*x }")
				m.Name, m.LogLik = "of_"+info.Name, expr.New(op, expr.Var("x"))
				f := printed(t, m, in.Target)
				if err := os.WriteFile(filepath.Join(dir, f.Name), f.Data, 0o644); err != nil {
					t.Fatal(err)
				}
				script += in.Script(m, f.Name, []emit.Case{{Columns: [][]float64{xs}, Theta: []float64{0}}})
				for _, x := range xs {
					y := info.Eval([3]float64{x})
					scale := math.Abs(y) * (1 + math.Min(x*x, 800)) * 2e-3 // 2e-15; exp(-x²/2) has the relative error of x² times x²
					if op == expr.Sin || op == expr.Cos {
						scale = 1
					}
					want = append(want, answer{fmt.Sprintf("%s(%v)", info.Name, x), y, scale})
				}
			}
			compare(t, in, dir, script, want)
		})
	}
}

// compare runs a script in a folder and compares the numbers that it prints with the answers.
func compare(t *testing.T, in runner, dir, script string, want []answer) {
	t.Helper()
	lines, err := in.Run(dir, script)
	if err != nil {
		t.Fatal(err)
	}
	for i, w := range want {
		line := ""
		if i < len(lines) {
			line = lines[i]
		}
		got, err := strconv.ParseFloat(line, 64)
		if err != nil || !(math.Abs(got-w.value) <= 1e-12*w.scale || got == w.value || math.IsNaN(got) && math.IsNaN(w.value)) {
			t.Errorf("%s: %q, want %v", w.where, line, w.value)
		}
	}
}

// runner runs printed code.
type runner interface {
	Missing() error
	Run(dir, scripts string) ([]string, error)
}

// need skips a test on a machine that cannot run the code.
func need(t *testing.T, in runner) {
	t.Helper()
	if err := in.Missing(); err != nil {
		t.Skip(err)
	}
}

// TestDifferentiated compares the gradients that torch and jax compute of the printed Python code with complex steps through the model.
func TestDifferentiated(t *testing.T) {
	for _, module := range texttest.Differentiators {
		t.Run(module.Module, func(t *testing.T) {
			t.Parallel()
			need(t, module)
			dir, script, want := t.TempDir(), "", []answer{}
			list := models(t)
			if module.Module == "jax" && os.Getenv("LIKC_LONG") == "" {
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
				script += module.Script(m, cases)
				for k, c := range cases {
					want = append(want, differentiated(m, k, c)...)
				}
			}
			compare(t, module, dir, script, want)
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
	for _, in := range texttest.Interpreters {
		if in.ByTrial {
			continue
		}
		t.Run(string(in.Target), func(t *testing.T) {
			need(t, in)
			dir, f := t.TempDir(), printed(t, m, in.Target)
			if err := os.WriteFile(filepath.Join(dir, f.Name), f.Data, 0o644); err != nil {
				t.Fatal(err)
			}
			script := in.Script(m, f.Name, []emit.Case{
				{Columns: [][]float64{rt}, Choice: []float64{-1}, Theta: theta},
				{Columns: [][]float64{{0.4}}, Choice: []float64{-1}, Theta: []float64{9, 1.5}},
			})
			list := map[expr.Target]string{expr.R: "c(0.5, 0.7, 1.1)"}[in.Target]
			if list == "" {
				list = "[0.5, 0.7, 1.1]"
			}
			script = strings.NewReplacer("float(9)", list, ", 9, ", ", "+list+", ").Replace(script)
			compare(t, in, dir, script, want)
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
	one := texttest.SingleTrial(c, i)
	evaluate(&one)
	if c.Choice != nil && !slices.Contains(m.Codes(), c.Choice[i]) {
		one.LogLik, one.Scale = math.NaN(), 0
	}
	return one
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
