package model

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"likc/compiler/emit"
	"likc/compiler/emit/rowwise"
	"likc/runtime/model/bound"
	"likc/runtime/model/catalog"
)

// standAlone are the models whose packages are compared with the values of eval.
var standAlone = []string{"ddm", "ddm_sdv", "full_ddm", "angle", "psychometric", "leaning", "mixture", "carry_over", "kalman_ddm", "post_error", "rl_ddm", "rl_ddm_forgetting", "rl_ddm_rates",
	"rl_lba3", "rl_softmax", "awkward", "operators", "reflected",
	"gamma_drift", "hyperbolic", "lca2", "lca3", "levy", "ornstein", "race_angle2", "race_angle3", "race_angle4", "shrinking_spotlight", "weibull",
	"addm", "dmc", "exponential_collapse", "urgency", "gamma_drift_numerical", "hyperbolic_numerical", "ornstein_numerical", "shrinking_spotlight_numerical", "weibull_numerical",
	"racing", "leaking", "coherent", "single"}

// chosen returns the models of standAlone that are compared: a few, or all with LIKC_LONG=1, because compilers take seconds for each.
func chosen() []string {
	if os.Getenv("LIKC_LONG") != "" {
		return standAlone
	}
	return []string{"ddm", "full_ddm", "awkward", "operators", "ornstein", "lca3", "urgency"}
}

// written holds the texts of the models of standAlone that do not come with likc.
var written = map[string]string{
	"psychometric": `model psychometric {
  trial rt positive   trial coh   choice c
  param k in [0, 40]   param e in [0.2, 3]   param a in [0.3, 2.5]   param z in [0.1, 0.9]   param t in [0, 1]
  loglik = ddm(v = k*sign(coh)*abs(coh)^e, a = a, z = z, t = t)
}`,
	"leaning": `model leaning {
  trial rt positive   choice c
  param v in [-3, 3]   param a in [0.3, 2.5]   param lean in [-0.1, 0.1]   param t in [0.2, 1]   param sv in [0, 2]   param sz in [0, 0.4]
  state last = 0
  next { last = 0.6*last + 0.4*c }
  loglik = full_ddm(v, a, z = 0.5 + lean*last, t, sv, sz, st = 0.1)
}`,
	// This model has names that are also used in the printed languages or functions, and states that restart at different columns,
	// one of which is a trial column.
	"awkward": `model awkward {
  trial rt positive   trial double   trial func   choice grad
  param theta in [0.1, 0.9]   param d in [-3, 3]   param float64 in [0.3, 2.5]   param t0 in [0.1, 0.9]   param each in [0, 1]   param slopes0 in [-1, 1]
  state i = theta restart kind0, func   state data0 = d^2   state int = 1 restart double, n   state unused = 0 restart n
  next { i = data0   data0 = i   int = int*theta + abs(double)^slopes0 - each*i   unused = unused + 1 }
  support each < rt
  let density0 = ddm(v = d + int/8, a = float64, z = t0, t = each)
  loglik = logaddexp(log(theta) + density0, log(1 - theta) - 0.1*rt^2 + slopes0*i*grad/9)
}`,
	"operators": `model operators {
  trial rt positive   trial x   choice c
  param p in [0.1, 0.9]   param q in [-1, 1]   param t in [0, 0.5]
  state s = p
  next { s = sigmoid(s + q*x)/2 + min(p, rt)/9 + if(x < s and c <= 0 or q < x, tanh(s), sin(s))/4 }
  support t < rt
  let d = rt - t
  loglik = ddm(v = atan(x) + cbrt(s) + q, a = 0.5 + softplus(q), z = p, t)
    + (exp(-d) + log(p) + sqrt(d) + abs(q)^p + log1p(s*s) + expm1(q) + erf(x) + erfc(s) + normcdf(q*x) + sinh(s) + cosh(q) + cos(d) + logit(p)
    + logaddexp(q, s) + max(x, s) + sign(x)*q + log_normcdf(q - x) + log1mexp(-d) + lgamma(p + d) + digamma(1 + s*s) - square(x))/50
}`,
	"reflected": `model reflected {
  trial rt positive   choice c
  param m in [-1, 1]   param s in [0.2, 2]   param alpha in [0, 1]   param t in [0, 1]
  state last = 0 restart block
  next { last = alpha*c + (1 - alpha)*last }
  support t < rt
  lower { m = -m }
  loglik = -((rt - t - m - last)/s)^2 - log(s)
}`,
	"racing": `model racing {
  trial rt positive   choice c in {0, 1, 2}
  param v[c] in [0, 4]   param A in [0, 0.5]   param b in [0.5, 2]   param l in [0, 2]   param t in [0, 0.5]
  evidence x[k] after t { start uniform(0, A) drift v[k] upper A + b*exp(-l*tau) }
}`,
	"leaking": `model leaking {
  trial rt positive   trial order   choice c
  param v in [-3, 3]   param a in [0.5, 2]   param z in [0.2, 0.8]   param t in [0, 0.5]   param g in [-2, 3]   param k in [0, 2]
  evidence x after uniform(t, t + 0.2) { start uniform(a*(2*z - 1) - 0.1, a*(2*z - 1) + 0.1) drift v*if(order < 0, -1, 1) - g*x upper a/(1 + k*tau) lower -a*exp(-k*tau) }
}`,
	"coherent": `model coherent {
  trial rt positive   trial coh   trial late   choice c
  param k in [0, 5]   param a in [0.5, 2]   param z in [0.2, 0.8]   param t in [0, 0.5]   param l in [0, 1]
  evidence x after t + 0.1*abs(late)/(1 + abs(late)) { start a*(2*z - 1) drift k*coh upper a*exp(-l*tau) }
}`,
	"single": `model single {
  trial rt positive
  param v in [0.5, 4]   param b in [0.5, 2]   param t in [0, 0.5]   param l in [0, 2]
  evidence x after t { start 0 drift v upper b*exp(-l*tau) }
}`,
	"mixture": `model mixture {
  trial rt positive   choice c
  param p in [0.1, 0.9]   param v in [-3, 3]   param w in [-3, 3]   param a in [0.3, 2.5]   param z in [0.1, 0.9]   param t in [0, 1]
  loglik = logaddexp(log(p) + ddm(v, a, z, t), log(1 - p) + angle(v = w, a, z, t, theta = 0.2))
}`}

// openStandAlone opens a model of standAlone: one of the texts in written, or a model that comes with likc.
func openStandAlone(t *testing.T, name string) *catalog.Model {
	t.Helper()
	open, arg := catalog.Open, name
	if text, ok := written[name]; ok {
		open, arg = catalog.Parse, text
	}
	m, err := open(arg)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// sourceOf returns a model with its networks, if it has any.
func sourceOf(t *testing.T, m *catalog.Model) rowwise.Source {
	t.Helper()
	src, err := printable(m)
	if err != nil {
		t.Fatal(err)
	}
	return src
}

// farCases returns cases at n parameter vectors: within the ranges, outside the ranges, and outside the support.
func farCases(t *testing.T, m *catalog.Model, n int) []rowwise.Case {
	t.Helper()
	p, err := bound.Open(m, bound.Ready)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	rng := rand.New(rand.NewPCG(7, 7))
	var all []rowwise.Case
	trials := 40
	if m.Origin.Kind == catalog.Numerical {
		trials = 10 // each may take milliseconds
	}
	for len(all) < n {
		reach := []float64{0.5, 0.5, 0.5, 0.75, 1.5}[len(all)%5]
		c, err := caseAt(m, p, trials, func(low, high float64) float64 {
			if start := low == 0.1 && high == 0.9; start && len(all)%10 < 2 {
				return []float64{2e-4, 1 - 2e-4}[len(all)%10] // next to a boundary, where the series take another form
			}
			return (low+high)/2 + (high-low)*reach*(2*rng.Float64()-1)
		}, rng)
		if err != nil {
			t.Fatal(err)
		}
		if within := len(all)%5 < 3; within && c.LogLik-c.LogLik != 0 && rng.Float64() < 0.95 {
			continue // most vectors within the ranges should have a finite value, so draw another
		}
		all = append(all, c)
	}
	return all
}

// compare returns the largest difference between the results of a package and those of eval, relative to Σ|terms|.
func compare(t *testing.T, name string, c rowwise.Case, value float64, grad []float64) (worst float64) {
	t.Helper()
	differ := func(what string, got, want float64) {
		if want-want != 0 || got-got != 0 {
			if got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
				t.Errorf("%s at %v: %s = %v, want %v", name, c.Theta, what, got, want)
			}
			return
		}
		worst = max(worst, math.Abs(got-want)/c.Scale)
	}
	differ("log-likelihood", value, c.LogLik)
	for j, g := range grad {
		if !math.IsNaN(c.LogLik) {
			differ(fmt.Sprint("derivative ", j), g, c.Grad[j])
		}
	}
	return worst
}

// TestGoPackagesAgreeWithEval compares every printed Go package with eval. The packages' results are printed as bits, so that none is rounded.
func TestGoPackagesAgreeWithEval(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go command")
	}
	dir := t.TempDir()
	write := func(name string, data []byte) {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var imports, calls strings.Builder
	cases := map[string][]rowwise.Case{}
	for _, name := range chosen() {
		m := openStandAlone(t, name)
		cases[name] = farCases(t, m, 50)
		files, err := rowwise.Go(sourceOf(t, m), emit.Config{Package: name}, cases[name][:1])
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			write(filepath.Join(name, f.Name), f.Data)
		}
		var args []string
		for j := range m.Trials {
			args = append(args, fmt.Sprintf("c.Columns[%d]", j))
		}
		if m.Choice != "" {
			args = append(args, "c.Choice")
		}
		if m.Stateful() {
			args = append(args, "c.Person")
			for j := range m.Restarts() {
				args = append(args, fmt.Sprintf("c.Blocks[%d]", j))
			}
		}
		fmt.Fprintf(&imports, "\t%q\n", "compared/"+name)
		fmt.Fprintf(&calls, "\tfor _, c := range all[%q] {\n\t\td, err := %s.NewData(%s)\n\t\tif err != nil {\n\t\t\tpanic(err)\n\t\t}\n"+
			"\t\tgrad := make([]float64, %s.Dim)\n\t\tshow(d.LogLikGrad(c.Theta, grad), grad)\n\t}\n", name, name, strings.Join(args, ", "), name)
	}
	write("go.mod", []byte("module compared\n\ngo 1.24\n"))
	write("main.go", []byte("package main\n\nimport (\n\t\"encoding/json\"\n\t\"fmt\"\n\t\"math\"\n\t\"os\"\n"+imports.String()+`)

type trials struct {
	Theta, Choice   []float64
	Columns, Blocks [][]float64
	Person          []int
}

func show(value float64, grad []float64) {
	fmt.Print(math.Float64bits(value))
	for _, g := range grad {
		fmt.Print(" ", math.Float64bits(g))
	}
	fmt.Println()
}

func main() {
	var all map[string][]trials
	if err := json.NewDecoder(os.Stdin).Decode(&all); err != nil {
		panic(err)
	}
`+calls.String()+"}\n"))
	input := map[string][]any{}
	for name, list := range cases {
		for _, c := range list {
			input[name] = append(input[name], map[string]any{"Theta": c.Theta, "Choice": c.Choice, "Columns": c.Columns, "Blocks": c.Blocks, "Person": c.Person})
		}
	}
	data, err := json.Marshal(input)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "run", ".")
	cmd.Dir, cmd.Stdin, cmd.Env = dir, bytes.NewReader(data), append(os.Environ(), "GOPROXY=off", "GOFLAGS=-mod=mod -trimpath", "GOWORK=off")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, stderr.String())
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	for _, name := range chosen() {
		n := min(len(cases[name]), len(lines))
		checkModel(t, name, lines[:n], cases[name])
		lines = lines[n:]
	}
}

// checkModel compares lines of bits, one for each case, with the values of eval.
func checkModel(t *testing.T, name string, lines []string, cases []rowwise.Case) {
	t.Helper()
	if len(lines) != len(cases) {
		t.Fatalf("%s: %d lines for %d cases", name, len(lines), len(cases))
	}
	worst, finite, off := 0.0, 0, 0
	for i, c := range cases {
		var numbers []float64
		for _, word := range strings.Fields(lines[i]) {
			var bits uint64
			if _, err := fmt.Sscan(word, &bits); err != nil {
				t.Fatal(err)
			}
			numbers = append(numbers, math.Float64frombits(bits))
		}
		if c.LogLik-c.LogLik == 0 {
			finite++
		}
		differs := compare(t, name, c, numbers[0], numbers[1:])
		if worst = max(worst, differs); differs > 1e-9 {
			off++
		}
	}
	t.Logf("%-18s %2d of %d finite, at most %.2g of Σ|terms| from eval, %d above 1e-9", name, finite, len(cases), worst, off)
	limit, most := 1e-12, 0
	switch m := openStandAlone(t, name); {
	case m.Origin.Kind == catalog.Numerical:
		limit, most = 1e-5, 2 // in tails, such as log densities of -1,000,000 of urgency: a late density is a small difference of large numbers, and decides a slope
	case name == "full_ddm" || name == "leaning":
		limit = 1e-11 // eval's own polynomials err by this much in derivatives: its sums differ so from its densities trial by trial
	}
	if worst > limit || off > most || finite < 20 {
		t.Errorf("%s: %d finite, %.2g of Σ|terms| from eval, %d above 1e-9: want 20, %.2g and %d", name, finite, worst, off, limit, most)
	}
}

// TestCPackagesAgreeWithEval compares every package in C, which must compile without a warning.
func TestCPackagesAgreeWithEval(t *testing.T) {
	compilers := []string{}
	for _, cc := range []string{"gcc", "clang"} {
		if _, err := exec.LookPath(cc); err == nil {
			compilers = append(compilers, cc)
		}
	}
	if len(compilers) == 0 {
		t.Skip("no C compiler")
	}
	if os.Getenv("LIKC_LONG") == "" {
		compilers = compilers[:1]
	}
	for _, name := range chosen() {
		for _, cc := range compilers {
			t.Run(name+"/"+cc, func(t *testing.T) {
				t.Parallel()
				m := openStandAlone(t, name)
				cases := farCases(t, m, 50)
				files, err := rowwise.C(sourceOf(t, m), emit.Config{Package: name}, cases[:1])
				if err != nil {
					t.Fatal(err)
				}
				dir := t.TempDir()
				files = append(files, emit.File{Name: "main.c", Data: mainInC(m)})
				for _, f := range files {
					if err := os.WriteFile(filepath.Join(dir, f.Name), f.Data, 0o644); err != nil {
						t.Fatal(err)
					}
				}
				build := exec.Command(cc, "-std=c99", "-pedantic", "-O1", "-Wall", "-Wextra", "-Werror", "-o", "compared", name+".c", "main.c", "-lm")
				build.Dir = dir
				if said, err := build.CombinedOutput(); err != nil {
					t.Fatalf("%v: %s", err, said)
				}
				run := exec.Command(filepath.Join(dir, "compared"))
				run.Stdin = inDoubles(t, m, cases)
				out, err := run.Output()
				if err != nil {
					t.Fatal(err)
				}
				checkModel(t, name, strings.Split(strings.TrimSpace(string(out)), "\n"), cases)
			})
		}
	}
}

// mainInC reads cases as float64: the number of trials, parameters, all columns, persons; it prints value and gradient as bits.
func mainInC(m *catalog.Model) []byte {
	columns := len(m.DataColumns())
	if m.Choice != "" {
		columns++
	}
	var args strings.Builder
	for j := range columns - len(m.Restarts()) {
		fmt.Fprintf(&args, ", x + %d * n", j)
	}
	if m.Stateful() {
		args.WriteString(", person")
		for j := range m.Restarts() {
			fmt.Fprintf(&args, ", x + %d * n", columns-len(m.Restarts())+j)
		}
	}
	text := `#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "NAME.h"

static void show(double x)
{
	uint64_t u;
	memcpy(&u, &x, sizeof u);
	printf("%" PRIu64 " ", u);
}

int main(void)
{
	double head;
	while (fread(&head, sizeof head, 1, stdin) == 1) {
		const size_t n = (size_t)head, cells = COLUMNS * n;
		double theta[DIM], grad[DIM], *x = malloc((cells + n) * sizeof *x);
		int *person = malloc(n * sizeof *person);
		const char *error = "";
		if (fread(theta, sizeof *theta, DIM, stdin) != DIM || fread(x, sizeof *x, cells + n, stdin) != cells + n)
			return 1;
		for (size_t i = 0; i < n; i++)
			person[i] = (int)x[cells + i];
		NAME_data *d = NAME_new(nARGS, &error);
		if (d == NULL) {
			puts(error);
			return 1;
		}
		show(NAME_loglik_grad(d, theta, grad));
		for (size_t j = 0; j < DIM; j++)
			show(grad[j]);
		putchar('\n');
		NAME_free(d);
		free(person);
		free(x);
	}
	return 0;
}
`
	return []byte(strings.NewReplacer("NAME", m.Name, "COLUMNS", fmt.Sprint(columns), "DIM", fmt.Sprint(len(m.Params)), "ARGS", args.String()).Replace(text))
}

// inDoubles returns the cases in the format that mainInC reads.
func inDoubles(t *testing.T, m *catalog.Model, cases []rowwise.Case) *bytes.Buffer {
	t.Helper()
	var b bytes.Buffer
	for _, c := range cases {
		all := append([][]float64{{float64(len(c.Columns[0]))}, c.Theta}, c.Columns...)
		if m.Choice != "" {
			all = append(all, c.Choice)
		}
		all = append(all, c.Blocks...)
		person := make([]float64, len(c.Columns[0]))
		for i, p := range c.Person {
			person[i] = float64(p)
		}
		for _, x := range append(all, person) {
			if err := binary.Write(&b, binary.NativeEndian, x); err != nil {
				t.Fatal(err)
			}
		}
	}
	return &b
}

// TestTooManyDerivatives: a model with too many derivatives to print is refused with an error of one line.
func TestTooManyDerivatives(t *testing.T) {
	var text strings.Builder
	text.WriteString("model endless { trial rt positive choice c\n")
	var sum []string
	for k := range 40 {
		fmt.Fprintf(&text, "param p%d in [0, 1]\nstate s%d = p%d\n", k, k, k)
		sum = append(sum, fmt.Sprintf("s%d", k))
	}
	all := strings.Join(sum, " + ")
	text.WriteString("next {\n")
	for k := range 40 {
		fmt.Fprintf(&text, "s%d = p%d*(%s)\n", k, k, all)
	}
	fmt.Fprintf(&text, "}\nlower { }\nloglik = -rt*(%s)^2 }", all)
	m, err := catalog.Parse(text.String())
	if err != nil {
		t.Fatal(err)
	}
	_, err = rowwise.Go(rowwise.Source{Model: m.Model}, emit.Config{Package: "endless"}, make([]rowwise.Case, 1))
	if err == nil || !strings.Contains(err.Error(), "operations") {
		t.Errorf("error %v, want one that counts operations", err)
	}
}
