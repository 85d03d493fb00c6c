package main

import (
	"likc/runtime/catalog"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"likc/compiler"
	"likc/compiler/ir"
	"likc/runtime/tabulate"
)

// subjects reads the trials of Cavanagh et al. (2011).
func subjects(t *testing.T, src *catalog.Model) (columns [][]float64, choice []float64) {
	t.Helper()
	folder := os.Getenv("LIKC_SHARED")
	if folder == "" {
		folder = filepath.Join("..", "..", "..", "shared")
	}
	path := filepath.Join(folder, "data", "cavanagh_theta_nn.csv")
	if _, err := os.Stat(path); err != nil {
		t.Skip("trials absent: set LIKC_SHARED to the folder that has data/cavanagh_theta_nn.csv")
	}
	table, err := (&dataFlags{data: path}).read(src, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	return table.Columns, table.Choice
}

// near are parameters of Expression 2 with t all over its range up to the fastest trial, the edge of the support.
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
	src, err := readModel("expr2")
	if err != nil {
		t.Fatal(err)
	}
	columns, choice := subjects(t, src)
	engines := map[string]bound{}
	for _, name := range []string{"tree", "ir", "bound", "go"} {
		if engines[name], err = bind(name, src, columns, choice); err != nil {
			t.Fatal(err)
		}
		defer engines[name].Close()
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
		for _, name := range []string{"ir", "bound", "go"} {
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

// TestBoundEngineTabulates wants tables, not loops, behind the bound engine, and sums that do not depend on the order of
// evaluations.
func TestBoundEngineTabulates(t *testing.T) {
	src, err := readModel("expr2")
	if err != nil {
		t.Fatal(err)
	}
	columns, choice := subjects(t, src)
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
