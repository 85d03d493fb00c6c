package bound

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"likc/compiler"
	"likc/compiler/ir"
	"likc/compiler/syntax"
	_ "likc/generated/all"
	"likc/runtime/model/catalog"
	"likc/runtime/model/kernel"
	_ "likc/runtime/model/plugins"
	"likc/runtime/model/ssm"
	"likc/runtime/num/tabulate"
)

// simulated returns n trials of ddm at parameters in the middle of their ranges.
func simulated(t testing.TB, n int) (columns [][]float64, choice []float64) {
	t.Helper()
	rt, choice := make([]float64, n), make([]float64, n)
	if err := ssm.DDM.Simulate(ssm.NewRand(3, 0), ssm.DDM.Example, ssm.ExactScheme(), rt, choice); err != nil {
		t.Fatal(err)
	}
	return [][]float64{rt}, choice
}

// parsed returns the model of an expression, written for the process ddm.
func parsed(t *testing.T, text string) *catalog.Model {
	t.Helper()
	m, err := syntax.ParseExpr(text, catalog.HeaderOf(ssm.DDM))
	if err != nil {
		t.Fatal(err)
	}
	return catalog.OfExpression(m)
}

// near returns parameters of Expression 2. Their t covers its range, with many values close to the fastest trial, which is the edge of the
// support.
func near(edge float64, rng *rand.Rand) [][]float64 {
	shares := []float64{0.5, 0.1, 1e-2, 1e-3, 1e-5, 1e-7, 1e-9, 1e-12, 1e-15}
	for range 20 {
		shares = append(shares, rng.Float64())
	}
	var list [][]float64
	for _, share := range shares {
		list = append(list, []float64{6*rng.Float64() - 3, 0.3 + 2*rng.Float64(), 0.1 + 0.8*rng.Float64(), edge * (1 - share)})
	}
	return list
}

// TestEnginesAgree compares all four engines on data, value and gradient, over the sum of the terms' magnitudes.
func TestEnginesAgree(t *testing.T) {
	src, err := catalog.Open("expr2")
	if err != nil {
		t.Fatal(err)
	}
	columns, choice := simulated(t, 4000)
	engines := map[string]kernel.Sum{}
	for _, name := range Names() {
		b, err := Open(src, Engine(name))
		if err != nil {
			t.Fatal(err)
		}
		defer b.Close()
		if engines[name], err = b.Bind(kernel.Trials{Columns: columns, Choice: choice}, Design{}); err != nil {
			t.Fatal(err)
		}
	}
	tree, err := compiler.BindTree(src.Model, columns, choice)
	if err != nil {
		t.Fatal(err)
	}
	edge := math.Inf(1)
	for _, rt := range columns[0] {
		edge = min(edge, rt)
	}
	got, want := make([]float64, 4), make([]float64, 4)
	for _, theta := range near(edge, rand.New(rand.NewPCG(5, 6))) {
		value := engines["tree"].LogLikGrad(theta, want)
		scale := tree.Scale(theta)
		for _, name := range Names()[1:] {
			if y := engines[name].LogLikGrad(theta, got); !(math.Abs(y-value) <= 1e-12*scale) {
				t.Errorf("%s at %v: %v, tree %v, scale %v", name, theta, y, value, scale)
			}
			for i := range got {
				if !(math.Abs(got[i]-want[i]) <= 1e-12*scale) {
					t.Errorf("%s at %v: derivative by %s %v, tree %v, scale %v", name, theta, src.Params[i].Name, got[i], want[i], scale)
				}
			}
			if y, z := engines[name].LogLik(theta), value; !(math.Abs(y-z) <= 1e-12*scale) {
				t.Errorf("%s at %v: value alone %v, tree %v, scale %v", name, theta, y, z, scale)
			}
		}
	}
}

// TestBoundEngineTabulates checks that the engine "bound" uses tables instead of loops over trials, and that sums do not depend on the
// order of evaluations.
func TestBoundEngineTabulates(t *testing.T) {
	src, err := catalog.Open("expr2")
	if err != nil {
		t.Fatal(err)
	}
	columns, choice := simulated(t, 4000)
	u, err := compiler.Compile(src.Model, compiler.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var tables []*tabulate.Table
	b, err := ir.Bind(u.Program, columns, choice, ir.WithTables(func(k int, lo, hi float64, edge ir.Edge, sum func(psi, value, abs []float64)) ir.Table {
		table := newTable(k, lo, hi, edge, sum).(*tabulate.Table)
		tables = append(tables, table)
		return table
	}))
	if err != nil {
		t.Fatal(err)
	}
	theta, grad := []float64{1, 1.5, 0.5, 0.1}, make([]float64, 4)
	for range 3 {
		b.LogLikGrad(theta, grad)
		b.LogLik(theta)
	}
	if len(tables) != 2 {
		t.Fatalf("%d tables, want one a boundary", len(tables))
	}
	for i, table := range tables {
		if table.Pieces() != 1 || table.Passes() != 32 {
			t.Errorf("table %d: %d pieces in %d passes, want 1 in 32", i, table.Pieces(), table.Passes())
		}
	}
	if n := testing.AllocsPerRun(20, func() { b.LogLikGrad(theta, grad) }); n != 0 {
		t.Errorf("an evaluation allocates %v times", n)
	}
}

// With a few trials of each choice, sums from tables agree with sums over trials up to rounding.
func TestFewTrialsAreTabulated(t *testing.T) {
	m := parsed(t, "v - log(rt - t) * z - (a - v * (rt - t))^2 / (rt - t)")
	all, why, err := PrepareAll(context.Background(), []*catalog.Model{m}, Auto, 1)
	if err != nil || why != nil {
		t.Skip("no plugins here: ", why, err)
	}
	rt, choice := make([]float64, 100), make([]float64, 100)
	for i := range rt {
		rt[i], choice[i] = 0.4+0.01*float64(i*i%97), 1
		if i%3 == 0 {
			choice[i] = -1
		}
	}
	lik, err := all[0].Prepared.Bind(kernel.Responses(rt, choice), Design{})
	if err != nil {
		t.Fatal(err)
	}
	if !lik.UseTables(true) {
		t.Fatalf("%s: no tables to turn off", all[0].Tier)
	}
	for _, at := range []float64{0, 0.2, 0.39, 0.3999} {
		theta, got, want := []float64{0.5, 1.1, 0.45, at}, make([]float64, 4), make([]float64, 4)
		x := lik.LogLikGrad(theta, got)
		lik.UseTables(false)
		y := lik.LogLikGrad(theta, want)
		lik.UseTables(true)
		if !(math.Abs(x-y) <= 1e-10*(1+math.Abs(y))) {
			t.Errorf("t = %v: %v and %v", at, x, y)
		}
		for j := range got {
			if !(math.Abs(got[j]-want[j]) <= 1e-9*(1+math.Abs(want[j]))) {
				t.Errorf("t = %v, slope %d: %v and %v", at, j, got[j], want[j])
			}
		}
	}
}

// The interpreter agrees with plugins up to rounding.
func TestInterpreterStandsIn(t *testing.T) {
	ctx := context.Background()
	var models []*catalog.Model
	for _, text := range []string{"v*a*z - (rt - t)", "a - exp(z)*(rt - t)*v^2", "v - log(rt - t) * z - (a - v * (rt - t))^2 / (rt - t)", "sqrt(a*exp(v)) - exp(rt - t)*z"} {
		models = append(models, parsed(t, text))
	}
	plugin, why, err := PrepareAll(ctx, models, Auto, 2)
	if err != nil || why != nil {
		t.Skip("no plugins here: ", why, err)
	}
	columns, choice := simulated(t, 300)
	theta, a, b := []float64{0.5, 1.1, 0.45, 0.01}, make([]float64, 4), make([]float64, 4)
	for i, m := range models {
		slow := prepare(m, Auto)
		slow.interpret(m)
		one, err := plugin[i].Prepared.Bind(kernel.Trials{Columns: columns, Choice: choice}, Design{})
		if err != nil {
			t.Fatal(err)
		}
		other, err := slow.Prepared.Bind(kernel.Trials{Columns: columns, Choice: choice}, Design{})
		if err != nil {
			t.Fatal(err)
		}
		x, y := one.LogLikGrad(theta, a), other.LogLikGrad(theta, b)
		if !(math.Abs(x-y) <= 1e-9*(1+math.Abs(y))) {
			t.Errorf("%s: %v and %v", m.LogLik, x, y)
		}
		for j := range a {
			if !(math.Abs(a[j]-b[j]) <= 1e-8*(1+math.Abs(b[j]))) {
				t.Errorf("%s: slope %d: %v and %v", m.LogLik, j, a[j], b[j])
			}
		}
	}
}

// TestBuildingEnds checks that an interrupt ends the building of a package, and that the model is then not interpreted instead.
func TestBuildingEnds(t *testing.T) {
	m := parsed(t, "v - log(rt - t) * z - (a - v * (rt - t))^2")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, e := range []Engine{Auto, Go, Tabled} {
		if b, err := Prepare(ctx, m, e); !errors.Is(err, context.Canceled) || b != nil {
			t.Errorf("%q: %v, %v", e, b, err)
		}
	}
}
