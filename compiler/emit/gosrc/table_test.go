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

// served is a test of an emitted package: its tables, rather than its loops, answer all over the range of their parameter.
const served = `package pexpr2

import "testing"

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
`

// TestTablesServe runs that test, and the tables' own with the race detector where there is one.
func TestTablesServe(t *testing.T) {
	u := compile(t, read(t, "expr2"))
	files, err := gosrc.Emitter{}.Emit(u.Program, config(u))
	if err != nil {
		t.Fatal(err)
	}
	folder := module(t)
	files = append(files, emit.File{Name: "served_test.go", Data: []byte(served)})
	write(t, filepath.Join(folder, "expr2"), files...)
	goCommand(t, folder, "test", "-run", "Table|Served", "./...")
	cgo, err := exec.Command("go", "env", "CGO_ENABLED").Output()
	if _, missing := exec.LookPath("gcc"); err != nil || missing != nil || strings.TrimSpace(string(cgo)) != "1" || os.Getenv("LIKC_LONG") == "" {
		t.Log("without the race detector: it wants cgo and LIKC_LONG=1")
		return
	}
	goCommand(t, folder, "test", "-race", "./...")
}
