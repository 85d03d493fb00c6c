package spline

import (
	"math"
	"testing"

	"likc/runtime/model/kernel"
)

// TestRotation checks that if accumulators are counted from accumulator 1 on, the density of choice 1 becomes that of choice 0.
func TestRotation(t *testing.T) {
	s := untrained(t, "race_angle3")
	for _, theta := range thetas(s.frame.Model, 10) {
		turned := append([]float64{theta[1], theta[2], theta[0]}, theta[3:]...)
		all := [][]float64{theta, theta, theta, turned, turned, turned}
		rt, d := []float64{0.8, 0.8, 0.8, 0.8, 0.8, 0.8}, make([]float64, 6)
		s.LogDensity(d, all, rt, []float64{1, 2, 0, 0, 1, 2})
		for k := range 3 {
			if math.Abs(d[k]-d[3+k]) > 1e-10*math.Abs(d[k]) {
				t.Errorf("at %v: %v, counted from another accumulator %v", theta, d[:3], d[3:])
			}
		}
	}
}

// TestMassOfChoices checks that the densities of all choices together integrate to 1, for random networks.
func TestMassOfChoices(t *testing.T) {
	for _, model := range []string{"lca2", "race_angle3", "lca4", "full_ddm"} {
		s := untrained(t, model)
		m := s.frame.Model
		for _, theta := range thetas(m, 3) {
			onset, total, one := s.frame.Onset(theta), 0.0, make([]float64, 1)
			for _, choice := range m.Choices {
				for k := range 4000 { // log(rt - onset) from -20 to 20, the middles of equal steps
					tau := math.Exp(-20 + (float64(k)+0.5)/100)
					s.LogDensity(one, [][]float64{theta}, []float64{onset + tau}, []float64{choice})
					total += math.Exp(one[0]) * tau / 100
				}
			}
			if math.Abs(total-1) > 1e-3 {
				t.Errorf("%s at %v: mass %v", model, theta, total)
			}
		}
	}
}

// TestRowsOfChoices checks that densities and gradients of rows agree with trials that are bound one by one. Rows differ in one
// parameter, so that they lie on a line, or in several parameters, such as the width of the onsets.
func TestRowsOfChoices(t *testing.T) {
	const n = 240
	for _, c := range []struct {
		model  string
		varies []string
		line   bool
	}{
		{"race_angle3", []string{"v1"}, true}, {"race_angle3", []string{"v0", "a", "t"}, false}, {"lca4", []string{"t"}, false},
		{"full_ddm", []string{"st"}, true}, {"full_ddm", []string{"v", "st"}, false}, {"full_ddm", []string{"t"}, false},
	} {
		s := untrained(t, c.model)
		m := s.frame.Model
		centre := thetas(m, 1)[0]
		centre[m.Index("t")] = 0.35
		rt, choice := simulated(t, m, centre, n)
		rows, err := s.Rows(kernel.Responses(rt, choice))
		if err != nil {
			t.Fatal(err)
		}
		centre[m.Index("t")] = 0.2
		theta := kernel.Fixed(append([]float64{}, centre...))
		for j, p := range m.Params {
			for _, name := range c.varies {
				if p.Name == name {
					theta[j] = make([]float64, n)
					for i := range n {
						theta[j][i] = centre[j] * (1 + 0.05*math.Sin(float64(7*i%24)))
					}
				}
			}
		}
		logp, grad := make([]float64, n), make([][]float64, m.Dim())
		for j := range grad {
			grad[j] = make([]float64, n)
		}
		rows.Each(theta, logp, grad)
		if on := LastNodes(rows) > 0; on && !c.line {
			t.Errorf("%s, %v: along a line", c.model, c.varies)
		}
		at, want := make([]float64, m.Dim()), make([]float64, m.Dim())
		for i := range n {
			for j := range at {
				at[j] = kernel.At(theta[j], i)
			}
			one, err := s.Sum(kernel.Responses(rt[i:i+1], choice[i:i+1]))
			if err != nil {
				t.Fatal(err)
			}
			value := one.LogLikGrad(at, want)
			if math.Abs(logp[i]-value) > 1e-6*max(1, math.Abs(value)) {
				t.Fatalf("%s, %v, row %d: %v, alone %v", c.model, c.varies, i, logp[i], value)
			}
			for j := range want {
				if math.Abs(grad[j][i]-want[j]) > 1e-6*max(1, math.Abs(want[j])) {
					t.Fatalf("%s, %v, row %d, %s: derivative %v, alone %v", c.model, c.varies, i, m.Params[j].Name, grad[j][i], want[j])
				}
			}
		}
	}
}
