package fit

import (
	"math"
	"testing"

	"likc/runtime/fit/formula"
	"likc/runtime/model/omission"
	"likc/runtime/model/ssm"
	"likc/runtime/model/trials"
)

// A regression of a go/no-go task has the likelihood that the density and the distribution function give. A response contributes
// its density. A trial without one contributes the probability that no go response comes by the deadline.
func TestRegressionOfGoNoGo(t *testing.T) {
	_, base := open(t, "ddm")
	b, err := base.With(omission.Deadline{Respond: -1})
	if err != nil {
		t.Fatal(err)
	}
	const deadline = 0.9
	data := Subject{Columns: [][]float64{{0.5, 0.7, deadline, deadline, 0.61, deadline}}, Choice: []float64{-1, -1, trials.Omitted, trials.Omitted, -1, trials.Omitted},
		Table: formula.Table{Columns: []formula.DataColumn{{Name: "stimulus", Labels: []string{"go", "go", "go", "stop", "stop", "stop"}}}}}
	spec := specOf(t, b.Model, Wishes{Formulas: []string{"v ~ 0 + stimulus"}, Fixed: []string{"a=0.9", "z=0.6", "t=0.2"}})
	study, err := spec.Study(b, &data)
	if err != nil {
		t.Fatal(err)
	}
	target, err := study.Target()
	if err != nil || target.Dim() != 2 {
		t.Fatal(err, target.Dim())
	}
	want := func(v []float64) float64 {
		sum := 0.0
		for j, name := range study.Names() {
			p := study.Priors()[name]
			value, _ := p.LogDensity(v[j])
			sum += value
		}
		for i, rt := range data.Columns[0] {
			theta := []float64{v[i/3], 0.9, 0.6, 0.2}
			if data.Choice[i] == trials.Omitted {
				sum += math.Log1p(-ssm.DDM.CDF(deadline, -1, theta))
			} else {
				sum += ssm.DDM.LogDensity(rt, data.Choice[i], theta)
			}
		}
		return sum
	}
	grad := make([]float64, 2)
	for _, v := range [][]float64{{-1, 1}, {0.3, -0.2}, {2, 2.5}} {
		got, err := target.LogDensityGrad(v, grad)
		if err != nil || math.Abs(got-want(v)) > 1e-6 {
			t.Errorf("drifts %v: %v, want %v, %v", v, got, want(v), err)
		}
		for j := range v {
			const h = 1e-5
			up, down := append([]float64{}, v...), append([]float64{}, v...)
			up[j], down[j] = v[j]+h, v[j]-h
			if slope := (want(up) - want(down)) / (2 * h); math.Abs(grad[j]-slope) > 1e-4 {
				t.Errorf("drifts %v: slope %v in %s, want %v", v, grad[j], study.Names()[j], slope)
			}
		}
	}
}
