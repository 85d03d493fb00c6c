package engine

import (
	"fmt"
	"math"
	"testing"

	"likc/testdata/reference"
)

// Models of one response agree with log densities and gradients at 40 digits.
func TestOneResponseAgreesWithReference(t *testing.T) {
	for _, name := range []string{"exwald", "shifted_gamma", "lognormal_mixture"} {
		m, _ := timed(t, name)
		theta := make([]float64, len(m.Params))
		for i, row := range reference.Rows(t, "densities/"+name+"_reference.csv") {
			for j, p := range m.ParamNames() {
				theta[j] = number(t, row, p)
			}
			got, grad := rowGradient(t, m.Model, number(t, row, "rt"), 0, theta)
			what := fmt.Sprintf("%s_reference.csv row %d", name, i+2)
			if want := number(t, row, "logp"); !(math.Abs(got-want) <= 1e-8*math.Max(1, math.Abs(want))) {
				t.Errorf("%s: log density %v, want %v", what, got, want)
			}
			for j, p := range m.ParamNames() {
				if want := number(t, row, "dlogp_d"+p); !(math.Abs(grad[j]-want) <= 1e-6*math.Max(1, math.Abs(want))) {
					t.Errorf("%s: d/d%s is %v, want %v", what, p, grad[j], want)
				}
			}
		}
	}
}
