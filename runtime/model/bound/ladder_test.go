package bound

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"likc/compiler"
	"likc/compiler/build"
	"likc/compiler/emit"
	"likc/compiler/emit/gosrc"
	"likc/compiler/expr"
	"likc/compiler/expr/exprtest"
	"likc/compiler/ir"
	"likc/compiler/syntax"
	"likc/runtime/model/kernel"
	"likc/runtime/model/load"
)

// candidates are compiled random models.
type candidates struct {
	models []*expr.Model
	named  []gosrc.Named
}

// randomCandidates compiles n random models.
func randomCandidates(tb testing.TB, n, size int, ops []expr.Op) candidates {
	var c candidates
	draw := exprtest.Model(ops, size)
	for i := 0; len(c.models) < n; i++ {
		m := draw.Example(i)
		u, err := compiler.Compile(m, compiler.Options{})
		if err != nil {
			tb.Fatalf("%v\n%s", err, syntax.Format(m))
		}
		c.models = append(c.models, m)
		c.named = append(c.named, gosrc.Named{Name: fmt.Sprint("m", i), Program: u.Program})
	}
	return c
}

// batch emits the candidates for one build.
func (c candidates) batch(tb testing.TB) build.Batch {
	shared, printed, failed := gosrc.Batch(c.named, "batch")
	if len(failed) > 0 {
		tb.Fatalf("%s: %v", failed[0].Name, failed[0].Err)
	}
	b := build.Batch{Shared: []emit.File{shared}}
	for _, p := range printed {
		b.Candidates = append(b.Candidates, build.Candidate{Name: p.Name, New: p.New, Files: []emit.File{p.File}})
	}
	return b
}

// TestCompiledGoAgreesWithTree builds random models in one batch and compares values and gradients of the compiled code,
// of tree evaluation and of the interpreted program. Differences are relative to a running bound of rounding errors.
func TestCompiledGoAgreesWithTree(t *testing.T) {
	search, table := 60, 20
	if os.Getenv("LIKC_LONG") != "" {
		search, table = 1000, 200
	}
	t.Run("search", func(t *testing.T) { compareCompiled(t, randomCandidates(t, search, 50, exprtest.Searchable())) })
	t.Run("table", func(t *testing.T) { compareCompiled(t, randomCandidates(t, table, 30, exprtest.Writable())) })
}

func compareCompiled(t *testing.T, c candidates) {
	a, err := build.Harness(context.Background(), c.batch(t))
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Dropped) > 0 {
		t.Fatalf("does not compile: %v", a.Dropped[0])
	}
	set, err := load.StartHarness(a.Path)
	if err != nil {
		t.Fatal(err)
	}
	defer set.Close()
	compared := 0
	for i, m := range c.models {
		rng := rand.New(rand.NewPCG(uint64(i), 9))
		columns, choice := emit.SimulateTrials(m, 13, rng)
		for k := range columns {
			for j := range columns[k] {
				columns[k][j] = math.Abs(columns[k][j]) + 0.05 // positive, because most operators are defined for positive numbers
			}
		}
		lik, err := set.Bind(c.named[i].Name, columns, choice)
		if err != nil {
			t.Fatalf("%v\n%s", err, syntax.Format(m))
		}
		for try := 0; try < 3; try++ {
			theta := make([]float64, len(m.Params))
			for j, p := range m.Params {
				theta[j] = p.Lower + (p.Upper-p.Lower)*rng.Float64()
			}
			compared += compareAt(t, m, c.named[i].Program, lik, columns, choice, theta)
		}
	}
	if set.Err() != nil || compared < len(c.models)/2 {
		t.Errorf("%d finite numbers compared; %v", compared, set.Err())
	}
}

// compareAt returns how many numbers were finite in all three engines.
func compareAt(t *testing.T, m *expr.Model, p *ir.Program, lik kernel.Sum, columns [][]float64, choice, theta []float64) int {
	tree, err := compiler.BindTree(m, columns, choice)
	if err != nil {
		t.Fatal(err)
	}
	interpreted, err := ir.Bind(p, columns, choice)
	if err != nil {
		t.Fatal(err)
	}
	engines := []kernel.Sum{tree, interpreted, lik}
	v := make([][]float64, len(engines))
	for i, e := range engines {
		v[i] = make([]float64, 1+len(theta))
		v[i][0] = e.LogLikGrad(theta, v[i][1:])
	}
	scale := interpreted.Scale(theta) + tree.Scale(theta)
	n := 0
	for j := range v[0] {
		if !allFinite(v[0][j], v[1][j], v[2][j], scale) {
			continue
		}
		n++
		for i := range engines {
			if !(math.Abs(v[i][j]-v[0][j]) <= 1e-9*scale) {
				t.Errorf("engine %d, output %d: %v, tree %v, scale %v, theta %v\n%s", i, j, v[i][j], v[0][j], scale, theta, syntax.Format(m))
			}
		}
	}
	return n
}

func allFinite(xs ...float64) bool {
	for _, x := range xs {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return false
		}
	}
	return true
}

// BenchmarkCandidates measures how long it takes to emit 500 random candidates, build them into one plugin and load it.
// Each time it builds a new batch, because a batch that was built before would come from the cache.
func BenchmarkCandidates(b *testing.B) {
	b.Setenv("LIKC_CACHE", b.TempDir())
	seed := int(time.Now().UnixNano() & 0xffff)
	for b.Loop() {
		b.StopTimer()
		c := randomCandidates(b, 500, 50, exprtest.Searchable())
		for i := range c.named {
			c.named[i].Name = fmt.Sprint("s", seed, "m", i)
		}
		seed++
		b.StartTimer()
		start := time.Now()
		batch := c.batch(b)
		emitted := time.Now()
		a, err := build.Plugin(context.Background(), batch)
		if err != nil {
			b.Fatal(err)
		}
		built := time.Now()
		set, err := load.OpenPlugin(a.Path)
		if err != nil {
			b.Fatal(err)
		}
		if n := len(set.Names()); n != 500 {
			b.Fatalf("%d candidates of 500", n)
		}
		b.ReportMetric(emitted.Sub(start).Seconds(), "s-emit")
		b.ReportMetric(built.Sub(emitted).Seconds(), "s-build")
		b.ReportMetric(time.Since(built).Seconds(), "s-load")
	}
}
