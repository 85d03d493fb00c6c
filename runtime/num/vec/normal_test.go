package vec

import (
	"bufio"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"likc/runtime/num/isa"
)

// table reads a file of reference values; each line is a row of numbers.
func table(t *testing.T, path ...string) (rows [][]float64) {
	t.Helper()
	f, err := os.Open(filepath.Join(append([]string{"..", "..", "..", "compiler"}, path...)...))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "#") {
			continue
		}
		var row []float64
		for word := range strings.FieldsSeq(lines.Text()) {
			v, err := strconv.ParseFloat(word, 64)
			if err != nil {
				t.Fatal(err)
			}
			row = append(row, v)
		}
		rows = append(rows, row)
	}
	if len(rows) == 0 {
		t.Fatalf("%s is empty", f.Name())
	}
	return rows
}

// The vector kernels of the normal distribution agree with 60-digit arithmetic down to the smallest numbers.
func TestTailsAreExact(t *testing.T) {
	normal := table(t, "expr", "testdata", "lognormcdf.txt")
	for _, f := range []struct {
		name   string
		run    func(dst, x []float64)
		rows   [][]float64
		column int // column of the table; column 0 has the arguments
	}{
		{"LogNormCDF", LogNormCDF, normal, 1},
		{"InverseMills", InverseMills, normal, 2},
		{"Log1mExp", Log1mExp, table(t, "expr", "testdata", "log1mexp.txt"), 1},
		{"NormCDF", NormCDF, table(t, "emit", "goasm", "testdata", "normcdf.txt"), 1},
	} {
		eachISA(t, func(t *testing.T) {
			if active == isa.Portable {
				t.Skip("package expr tests the functions that it calls")
			}
			got := make([]float64, len(f.rows))
			for i, row := range f.rows {
				got[i] = row[0]
			}
			f.run(got, got)
			for i, row := range f.rows {
				want := row[f.column]
				if !(math.Abs(got[i]-want) <= 4*0x1p-52*math.Abs(want)+0x1p-1074) {
					t.Errorf("%s(%v) = %v, want %v", f.name, row[0], got[i], want)
				}
			}
		})
	}
}

// TestLogNormalTail compares with values of 50 digits (mpmath: log of erfc(-x/√2)/2) near the middle and in the tail.
func TestLogNormalTail(t *testing.T) {
	for x, want := range map[float64]float64{
		0:      -0.69314718055994531,
		-1:     -1.8410216450092636,
		-29.99: -454.0209613044681,
		-30:    -454.3212439563432,
		-30.01: -454.62162649784114,
		-40:    -804.60844201375790,
		-100:   -5005.5242086942050,
	} {
		if got := LogNormCDFAt(x); !(math.Abs(got-want) <= 1e-11) {
			t.Errorf("log Φ(%v) = %v, want %v", x, got, want)
		}
	}
}
