package gosrc_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"likc/compiler"
	"likc/compiler/emit"
	"likc/compiler/emit/gosrc"
	"likc/compiler/expr"
	"likc/compiler/expr/exprtest"
	"likc/compiler/ir"
	"likc/compiler/syntax"
)

// checks is the test of a batch: the program that it runs compares each candidate with the interpreter's values.
const checks = `package batch

import (
	"math"
	"testing"
)

type likelihood interface {
	Dim() int
	LogLik(theta []float64) float64
	LogLikGrad(theta, grad []float64) float64
}

type check struct {
	name   string
	bind   func(columns [][]float64, choice []float64) (likelihood, error)
	theta  []float64
	columns [][]float64
	choice []float64
	value  float64
	grad   []float64
	tolerance float64
}

func near(got, want, tolerance float64) bool {
	if math.IsNaN(want) || math.IsInf(want, 0) {
		return math.IsNaN(got) || math.IsInf(got, 0)
	}
	return math.Abs(got-want) <= tolerance
}

func TestBatch(t *testing.T) {
	for _, c := range checks {
		d, err := c.bind(c.columns, c.choice)
		if err != nil {
			t.Fatal(c.name, err)
		}
		grad := make([]float64, d.Dim())
		if got := d.LogLik(c.theta); !near(got, c.value, c.tolerance) {
			t.Errorf("%s: LogLik = %v, want %v", c.name, got, c.value)
		}
		if got := d.LogLikGrad(c.theta, grad); !near(got, c.value, c.tolerance) {
			t.Errorf("%s: LogLikGrad = %v, want %v", c.name, got, c.value)
		}
		for i := range grad {
			if !near(grad[i], c.grad[i], c.tolerance) {
				t.Errorf("%s: derivative %d = %v, want %v", c.name, i, grad[i], c.grad[i])
			}
		}
		if n := testing.AllocsPerRun(5, func() { d.LogLikGrad(c.theta, grad) }); n != 0 {
			t.Errorf("%s: LogLikGrad allocates %v times", c.name, n)
		}
		bad := append([][]float64{}, c.columns...)
		bad[0] = []float64{math.NaN()}
		for _, columns := range [][][]float64{nil, bad, append(bad, bad...)} {
			if _, err := c.bind(columns, c.choice); err == nil {
				t.Errorf("%s: columns %v were accepted", c.name, columns)
			}
		}
	}
}

var checks = []check{
`

// row prints one check. Its expected values come from the interpreter of programs.
func row(t *testing.T, c gosrc.Candidate, p *ir.Program, x emit.Case) string {
	t.Helper()
	bound, err := ir.Bind(p, x.Columns, x.Choice)
	if err != nil {
		t.Fatal(err)
	}
	grad := make([]float64, len(p.Params))
	value := bound.LogLikGrad(x.Theta, grad)
	tolerance := 0.0
	for _, size := range append([]float64{x.Scale, value}, grad...) {
		if !math.IsInf(size, 0) && !math.IsNaN(size) {
			tolerance += math.Abs(size)
		}
	}
	bind := "func(columns [][]float64, choice []float64) (likelihood, error) { return " + c.New + "(columns, choice) }"
	numbers := func(v any) string {
		return strings.NewReplacer("NaN", "math.NaN()", "+Inf", "math.Inf(1)", "-Inf", "math.Inf(-1)").Replace(fmt.Sprintf("%#v", v))
	}
	return fmt.Sprintf("{%q, %s, %s, %s, %s, %s, %s, %s},\n", c.Name, bind, numbers(x.Theta), numbers(x.Columns),
		numbers(x.Choice), numbers(value), numbers(grad), numbers(1e-10*tolerance))
}

// randomPrograms compiles n random models over the operators, with cases of each at which the log-likelihood is finite.
func randomPrograms(t testing.TB, n int, ops []expr.Op) (programs []gosrc.Named, cases map[string][]emit.Case) {
	cases = map[string][]emit.Case{}
	for seed := 0; len(programs) < n; seed++ {
		m := exprtest.Model(ops, 30).Example(seed)
		u, err := compiler.Compile(m, compiler.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if c := emit.MakeCases(m, uint64(seed)); len(c) > 0 {
			name := fmt.Sprintf("random%d", seed)
			programs = append(programs, gosrc.Named{Name: name, Program: u.Program})
			cases[name] = c[:min(len(c), 5)]
		}
	}
	return programs, cases
}

// extremes returns cases with divisors whose products overflow, underflow or vanish, where four trials must not share a division.
func extremes(t testing.TB) []emit.Case {
	var cases []emit.Case
	for _, x := range [][]float64{
		{1e-200, 1e-200, 1, 1}, {1e200, 1e200, 1, 1}, {1, 1, 1e200, 1e-200}, {1e160, 1e160, 1e-160, 1e-160}, {1e-160, 1e-160, 1e160, 1e160}, {1e-155, 1e-155, 1e150, 1e150},
		{1e-80, 1e-80, 1e-80, 1e-80}, {-1e-70, 1e-80, 1e-75, 2}, {1e-310, 1e300, 1, 1}, {1, 2, 3, 0}, {5e-324, 1, 1, 1, 1}, {1e-150, 1e150, -1e150, 1e-150},
	} {
		c := emit.Case{Theta: []float64{0, 1}, Columns: [][]float64{x}}
		c.Evaluate(read(t, "reciprocal"))
		cases = append(cases, c)
	}
	return cases
}

// manyTrials returns cases with enough trials for tables.
func manyTrials(m *expr.Model) []emit.Case {
	columns, choice := emit.SimulateTrials(m, 3*ir.TableTrials, rand.New(rand.NewPCG(1, 2)))
	var cases []emit.Case
	for _, t := range []float64{0, 0.2, slices.Min(columns[0]) - 1e-6} {
		c := emit.Case{Theta: []float64{1, 1.2, 0.4, t}, Columns: columns, Choice: choice}
		c.Evaluate(m)
		cases = append(cases, c)
	}
	return cases
}

// TestBatchAgainstInterpreter builds the models of texts, not separated, and random models as one package. One more program in the batch
// cannot be printed.
func TestBatchAgainstInterpreter(t *testing.T) {
	programs, cases := randomPrograms(t, 50, exprtest.Writable())
	for _, name := range names() {
		m := read(t, name)
		u, err := compiler.Compile(m, compiler.Options{NoSeparate: true})
		if err != nil {
			t.Fatal(err)
		}
		programs = append(programs, gosrc.Named{Name: name, Program: u.Program})
		cases[name] = emit.MakeCases(m, 2)
	}
	numbered, err := syntax.Read("numbered.lik", strings.NewReader(`model numbered {
		trial rt positive
		choice c in {0, 1, 2}
		param m in [0, 2]
		param k in [-1, 1]
		loglik = -(log(rt) - m)^2 + k*c
	}`))
	if err != nil {
		t.Fatal(err)
	}
	programs = append(programs, gosrc.Named{Name: "numbered", Program: compile(t, numbered[0]).Program})
	cases["numbered"] = emit.MakeCases(numbered[0], 3)
	separated := compile(t, read(t, "expr2"))
	programs = append(programs, gosrc.Named{Name: "tables", Program: separated.Program})
	cases["tables"] = manyTrials(separated.Model)
	cases["reciprocal"] = append(cases["reciprocal"], extremes(t)...)
	broken := gosrc.Named{Name: "broken", Program: &ir.Program{Model: "broken"}}
	shared, candidates, failed := gosrc.Batch(append([]gosrc.Named{broken}, programs...), "batch")
	if len(failed) != 1 || failed[0].Name != "broken" || failed[0].Err == nil || len(candidates) != len(programs) {
		t.Fatalf("%d candidates and failures %v: want %d and one, of broken", len(candidates), failed, len(programs))
	}
	folder := module(t)
	text := checks
	write(t, filepath.Join(folder, "batch"), shared)
	for i, c := range candidates {
		write(t, filepath.Join(folder, "batch"), c.File)
		for _, x := range cases[c.Name] {
			text += row(t, c, programs[i].Program, x)
		}
	}
	write(t, filepath.Join(folder, "batch"), emit.File{Name: "batch_test.go", Data: []byte(text + "}\n")})
	goCommand(t, folder, "vet", "./...")
	goCommand(t, folder, "test", "-vet=off", "./...")
	if out, err := exec.Command("gofmt", "-l", folder).Output(); err == nil && strings.Contains(string(out), "k0.go") {
		t.Errorf("not formatted: %s", out)
	}
}
