package gosrc_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"likc/compiler/emit"
	"likc/compiler/emit/gosrc"
)

// served is the source of a test of an emitted package: its tables, rather than its loops, give the sums over the whole range of their
// parameter.
const served = `package pexpr2

import (
	"math"
	"testing"
)

func TestServed(t *testing.T) {
	for _, n := range []int{700, 20_000} {
		d, err := bind(simulate(n))
		if err != nil {
			t.Fatal(err)
		}
		if !d.upper.tables || !d.lower.tables {
			t.Fatalf("%d trials: no tables", n)
		}
		for _, x := range testTables(d) {
			value := make([]float64, x.sums)
			for share := 1.0; share > 1e-9; share *= 0.7 {
				lo, hi := x.table.domain.Lo, x.table.domain.Hi
				if psi := hi - (hi-lo)*share; !x.table.At(psi, value) {
					t.Errorf("%s, %d trials: %v is not served", x.name, n, psi)
				}
			}
			if pieces, passes := x.table.Pieces(), x.table.Passes(); pieces > 32 || passes > 32*pieces {
				t.Errorf("%s, %d trials: %d pieces in %d passes", x.name, n, pieces, passes)
			}
		}
	}
	few, err := bind(simulate(200))
	if err != nil {
		t.Fatal(err)
	}
	if few.upper.tables || few.lower.tables {
		t.Error("tables for 200 trials")
	}
}

func TestEdgeIsKept(t *testing.T) {
	d, err := bind(simulate(1000))
	if err != nil {
		t.Fatal(err)
	}
	x := testTables(d)[0]
	for _, y := range testTables(d) {
		if y.table.domain.Hi < x.table.domain.Hi {
			x = y
		}
	}
	theta, value := append([]float64(nil), testCases[0].theta...), make([]float64, x.sums)
	for _, steps := range []uint64{1, 9, 700} {
		theta[x.param] = math.Float64frombits(math.Float64bits(x.table.domain.Hi) - steps)
		var sums [2][1 + Dim]float64
		for i := range sums {
			if x.table.At(theta[x.param], value) != (i == 1) {
				t.Errorf("%d steps from the edge, evaluation %d: gone over and kept are confused", steps, i)
			}
			sums[i][0] = d.LogLikGrad(theta, sums[i][1:])
		}
		if sums[0] != sums[1] || math.IsInf(sums[0][0], 0) {
			t.Errorf("%d steps from the edge: %v, then %v", steps, sums[0], sums[1])
		}
	}
}
`

// TestTablesServe runs the test in served. If the race detector is available, it also runs the package's tests of its tables with it.
func TestTablesServe(t *testing.T) {
	u := compile(t, read(t, "expr2"))
	files, err := gosrc.Emitter{}.Emit(u.Program, config(u))
	if err != nil {
		t.Fatal(err)
	}
	folder := module(t)
	files = append(files, emit.File{Name: "served_test.go", Data: []byte(served)})
	write(t, filepath.Join(folder, "expr2"), files...)
	goCommand(t, folder, "test", "-vet=off", "-run", "Table|Served|Kept", "./...")
	cgo, err := exec.Command("go", "env", "CGO_ENABLED").Output()
	if _, missing := exec.LookPath("gcc"); err != nil || missing != nil || strings.TrimSpace(string(cgo)) != "1" || os.Getenv("LIKC_LONG") == "" {
		t.Log("without the race detector: it wants cgo and LIKC_LONG=1")
		return
	}
	goCommand(t, folder, "test", "-race", "./...")
}
