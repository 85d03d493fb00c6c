package ssm

import (
	"math"
	"strconv"
	"testing"

	"likc/testdata/reference"
)

func number(t *testing.T, row map[string]string, column string) float64 {
	t.Helper()
	x, err := strconv.ParseFloat(row[column], 64)
	if err != nil {
		t.Fatalf("column %s: %v", column, err)
	}
	return x
}

// relative is the error of got over max(1, |want|).
func relative(got, want float64) float64 {
	return math.Abs(got-want) / math.Max(1, math.Abs(want))
}

func referenceTheta(t *testing.T, row map[string]string) []float64 {
	t.Helper()
	return []float64{number(t, row, "v"), number(t, row, "a_half"), number(t, row, "z"), number(t, row, "t")}
}

// TestHighPrecision compares value and gradient, one trial at a time and
// bound, with values computed at 50 digits.
func TestHighPrecision(t *testing.T) {
	columns := []string{"logp", "dlogp_dv", "dlogp_da_half", "dlogp_dz", "dlogp_dt"}
	worst := make([]float64, 2)
	for i, row := range reference.Rows(t, "densities/wiener_highprec.csv") {
		theta := referenceTheta(t, row)
		rt, choice := number(t, row, "rt"), number(t, row, "response")
		var one, bound [5]float64
		one[0] = logDensityGrad(rt, choice, theta, one[1:])
		e, err := NewExact([]float64{rt}, []float64{choice})
		if err != nil {
			t.Fatal(err)
		}
		bound[0] = e.LogLikGrad(theta, bound[1:])
		for j, column := range columns {
			want := number(t, row, column)
			for k, got := range []float64{one[j], bound[j]} {
				err := relative(got, want)
				worst[k] = math.Max(worst[k], err)
				if !(err <= 1e-10) {
					t.Errorf("row %d, %s (way %d): got %v, want %v", i+2, column, k, got, want)
				}
			}
		}
	}
	t.Logf("largest relative error: one trial %.2g, bound %.2g", worst[0], worst[1])
}

// TestPublishedValues compares with values published by other packages, those
// of the model without variability; tolerances are the publishers'.
func TestPublishedValues(t *testing.T) {
	compared := 0
	for i, row := range reference.Rows(t, "densities/wiener_reference.csv") {
		if number(t, row, "sv") != 0 || number(t, row, "sw") != 0 || number(t, row, "st0") != 0 {
			continue
		}
		theta := referenceTheta(t, row)
		var grad [4]float64
		value := logDensityGrad(number(t, row, "rt"), number(t, row, "response"), theta, grad[:])
		grad[1] /= 2 // the file differentiates in the full separation
		want := []float64{number(t, row, "logp_mp"), number(t, row, "dlogp_dv"),
			number(t, row, "dlogp_da_sep"), number(t, row, "dlogp_dz"), number(t, row, "dlogp_dt")}
		for j, got := range append([]float64{value}, grad[:]...) {
			if err := relative(got, want[j]); !(err <= 1e-10) {
				t.Errorf("row %d, quantity %d: got %v, want %v", i+2, j, got, want[j])
			}
		}
		compared++
	}
	if compared < 20 {
		t.Errorf("only %d rows without variability", compared)
	}
}
