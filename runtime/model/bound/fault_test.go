package bound

import (
	"math"
	"testing"

	"likc/runtime/model/catalog"
	"likc/runtime/model/kernel"
)

// TestFindFault checks that FindFault names the impossible trial, for an expression and for an exact density. It also
// checks that the log densities of single trials add up to the log-likelihood.
func TestFindFault(t *testing.T) {
	rt, choice := []float64{0.7, 0.9, 0.2, 1.3}, []float64{1, -1, 1, 1}
	for _, name := range []string{"expr2", "ddm"} {
		m, err := catalog.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		theta := make([]float64, len(m.Params))
		for i, p := range m.Params {
			theta[i] = (p.Lower + p.Upper) / 2
		}
		theta[m.ParamIndex("t")] = 0.3
		fault, err := FindFault(m, kernel.Responses(rt, choice), theta)
		if err != nil || fault.Row != 2 || fault.Why == "" {
			t.Errorf("%s: %+v, %v", name, fault, err)
		}
		density, err := TrialDensity(m, [][]float64{rt}, choice)
		if err != nil {
			t.Fatal(err)
		}
		if x := density(2, theta); !math.IsInf(x, -1) {
			t.Errorf("%s: log density %v before the process begins", name, x)
		}
		b, err := Open(m, Ready)
		if err != nil {
			t.Fatal(err)
		}
		defer b.Close()
		whole := []int{0, 1, 3}
		columns, choices, sum := []float64{}, []float64{}, 0.0
		for _, i := range whole {
			columns, choices, sum = append(columns, rt[i]), append(choices, choice[i]), sum+density(i, theta)
		}
		lik, err := b.Bind(kernel.Responses(columns, choices), Design{})
		if err != nil {
			t.Fatal(err)
		}
		if got := lik.LogLik(theta); !(math.Abs(got-sum) <= 1e-9*math.Abs(sum)) {
			t.Errorf("%s: %v, the trials' sum is %v", name, got, sum)
		}
	}
}
