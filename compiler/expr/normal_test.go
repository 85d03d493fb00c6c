package expr_test

import (
	"bufio"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"likc/compiler/expr"
)

// table reads the numbers of a file of reference values: one row for each line.
func table(t *testing.T, name string) [][]float64 {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var rows [][]float64
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

// TestTailsAreExact compares with 60-digit arithmetic, from -1e154 on.
func TestTailsAreExact(t *testing.T) {
	check := func(op expr.Op, x, want float64) {
		if got := op.Info().Eval([3]float64{x}); !(math.Abs(got/want-1) <= 1e-14) && got != want {
			t.Errorf("%v(%v) = %v, want %v: relative error %.1e", op, x, got, want, got/want-1)
		}
	}
	for _, row := range table(t, "testdata/lognormcdf.txt") {
		check(expr.LogNormCDF, row[0], row[1])
		check(expr.InverseMills, row[0], row[2])
	}
	for _, row := range table(t, "testdata/log1mexp.txt") {
		check(expr.Log1mExp, row[0], row[1])
	}
}

// TestTailsAtTheEnds: at ±Inf the operators have their limits, and at NaN they are NaN.
func TestTailsAtTheEnds(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for op, want := range map[expr.Op][3]float64{
		expr.LogNormCDF: {-inf, 0, nan}, expr.InverseMills: {inf, 0, nan}, expr.Log1mExp: {0, nan, nan},
	} {
		for i, x := range []float64{-inf, inf, nan} {
			if got := op.Info().Eval([3]float64{x}); got != want[i] && !(math.IsNaN(got) && math.IsNaN(want[i])) {
				t.Errorf("%v(%v) = %v, want %v", op, x, got, want[i])
			}
		}
	}
}
