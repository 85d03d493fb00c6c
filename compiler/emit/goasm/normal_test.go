package goasm

import (
	"bufio"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"likc/compiler/expr"
	"likc/compiler/ir"
)

// exactness is the largest relative error of an operator at the arguments of a table.
type exactness struct {
	op     expr.Op
	file   string
	column int     // column of the file; column 0 has the arguments
	limit  float64 // largest allowed error, in units of 2^-52
}

var exactnesses = []exactness{
	{expr.LogNormCDF, "../../expr/testdata/lognormcdf.txt", 1, 4},
	{expr.InverseMills, "../../expr/testdata/lognormcdf.txt", 2, 4},
	{expr.Log1mExp, "../../expr/testdata/log1mexp.txt", 1, 4},
	{expr.NormCDF, "testdata/normcdf.txt", 1, 4},
	{expr.Erfc, "testdata/normcdf.txt", 2, 4},
}

// rows reads the numbers of a file of reference values: one row for each line.
func rows(t *testing.T, name string) (rows [][]float64) {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "#") {
			continue
		}
		var row []float64
		for _, word := range strings.Fields(lines.Text()) {
			v, err := strconv.ParseFloat(word, 64)
			if err != nil {
				t.Fatal(err)
			}
			row = append(row, v)
		}
		rows = append(rows, row)
	}
	if len(rows) == 0 {
		t.Fatalf("%s is empty", name)
	}
	return rows
}

// TestTailsAreExact compares operators, one trial at a time, with tables that were computed in 60 digits and reach to where results underflow.
func TestTailsAreExact(t *testing.T) {
	var loops []Loop
	for _, e := range exactnesses {
		p := program(func(b *ir.Builder, x, y ir.ID) []ir.ID { return []ir.ID{b.Apply(e.op, b.Apply(expr.Mul, x, y))} })
		loops = append(loops, loopsOf(p, len(loops), map[string]bool{})...)
	}
	a := link(t, loops)
	if a.detect == 0 {
		t.Skip("no AVX2")
	}
	for isa := 1; isa <= a.detect; isa++ {
		for i, e := range exactnesses {
			table := rows(t, e.file)
			var list []request
			for _, row := range table {
				list = append(list, request{Loop: i, ISA: isa, Columns: [][]float64{{row[0]}}, Inputs: []float64{1}})
			}
			worst, worstAt := 0.0, 0.0
			for j, got := range a.run(t, list) {
				want := table[j][e.column]
				if got[0] == want || math.Abs(want) < 0x1p-1022 && math.Abs(got[0]-want) < 0x1p-1022 {
					continue
				}
				if miss := math.Abs(got[0]/want-1) * 0x1p52; !(miss <= worst) {
					worst, worstAt = miss, table[j][0]
				}
			}
			t.Logf("%v, ISA %d: at worst %.2f·2^-52, at %v", e.op, isa, worst, worstAt)
			if !(worst <= e.limit) {
				t.Errorf("%v(%v), ISA %d: relative error %.2f·2^-52, limit %v", e.op, worstAt, isa, worst, e.limit)
			}
		}
	}
}
