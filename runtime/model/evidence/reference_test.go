package evidence

import (
	"math"
	"strconv"
	"testing"

	"likc/testdata/reference"
)

const urgencyText = `model urgency {
  trial  rt positive
  choice c
  param  v in [-3, 3]   param a in [0.3, 2.5]   param z in [0.1, 0.9]   param t in [0, 2]   param g in [0, 5]   param k in [0, 4]
  evidence x after t {
    start a*(2*z - 1)
    drift v*(1 + g*tau)
    noise 1 + g*tau
    upper a*exp(-k*tau)
  }
}`

// Values and derivatives that two other solvers computed to 1e-7.
func TestUrgencyReference(t *testing.T) {
	d := density(t, urgencyText)
	worst, worstSlope, grad := 0.0, 0.0, make([]float64, 6)
	for _, row := range reference.Rows(t, "densities/urgency_reference.csv") {
		number := func(column string) float64 {
			x, err := strconv.ParseFloat(row[column], 64)
			if err != nil {
				t.Fatal(err)
			}
			return x
		}
		var theta []float64
		for _, name := range d.Model.ParamNames() {
			theta = append(theta, number(name))
		}
		want := number("logp")
		got := d.At(theta, nil, number("rt")+0.5).Log(number("rt"), int(1-number("choice"))/2, grad)
		worst = max(worst, math.Abs(got-want)/max(1, math.Abs(want)))
		if row["dlogp_dv"] == "" {
			continue
		}
		for p, name := range d.Model.ParamNames() {
			want := number("dlogp_d" + name)
			worstSlope = max(worstSlope, math.Abs(grad[p]-want)/max(1, math.Abs(want)))
		}
	}
	t.Logf("largest error of the log density %.2g, of a derivative %.2g", worst, worstSlope)
	if !(worst < 2e-7) || !(worstSlope < 2e-6) {
		t.Errorf("error %.3g of a log density, %.3g of a derivative", worst, worstSlope)
	}
}

func BenchmarkUrgency(b *testing.B) {
	d := density(b, urgencyText)
	for _, slopes := range []bool{false, true} {
		name := "value"
		if slopes {
			name = "gradient"
		}
		b.Run(name, func(b *testing.B) {
			s := d.newSpace(usual)
			copy(s.values, []float64{1, 1, 0.5, 0.3, 1, 1})
			grad := make([]float64, 6)
			if !slopes {
				grad = nil
			}
			for b.Loop() {
				d.solve(s, 3, slopes)
				for i := range 1000 {
					s.log(0.35+float64(i)*0.001, i&1, grad)
				}
			}
		})
	}
}
