package omission

import (
	"math"
	"path/filepath"
	"strings"
	"testing"

	"likc/runtime/model/bound"
	"likc/runtime/model/bound/boundtest"
	"likc/runtime/model/kernel"
	"likc/runtime/model/lapse"
	"likc/runtime/model/neural"
	"likc/runtime/model/neural/spline"
	"likc/runtime/model/ssm"
	"likc/runtime/model/trials"
)

var teacher = filepath.Join("..", "..", "..", "testdata", "teacher", "spline")

// censored returns the named model with deadlines.
func censored(t testing.TB, name string) *bound.Prepared { return until(t, name, 0) }

func until(t testing.TB, name string, respond float64) *bound.Prepared {
	t.Helper()
	_, b := boundtest.Open(t, name)
	c, err := b.With(Deadline{respond})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

var points = [][]float64{{1, 1.2, 0.45, 0.3}, {-2, 0.6, 0.6, 0.1}, {0.2, 2, 0.3, 0.5}, {0, 0.4, 0.5, 0.25}, {2.9, 0.5, 0.8, 0.45}}

// The probability of a response after a deadline is one minus the distribution function, which other code computes in closed form.
func TestSurvivalIsOneMinusDistribution(t *testing.T) {
	exact := censored(t, "ddm")
	neuralOne := censored(t, teacher)
	opened, err := neural.Open(teacher)
	if err != nil {
		t.Fatal(err)
	}
	curve := opened.Density.(*spline.Spline)
	for _, theta := range points {
		for _, deadline := range []float64{0.2, 0.5, 0.8, 1.5, 3} {
			var got [1]float64
			kernel.EachAt(exact, got[:], [][]float64{theta}, kernel.Responses([]float64{deadline}, []float64{trials.Omitted}))
			want := 1 - ssm.DDM.CDF(deadline, 1, theta) - ssm.DDM.CDF(deadline, -1, theta)
			if !(math.Abs(math.Exp(got[0])-want) <= 1e-9) {
				t.Errorf("exact at %v, deadline %v: %v, want %v", theta, deadline, math.Exp(got[0]), want)
			}
			kernel.EachAt(neuralOne, got[:], [][]float64{theta}, kernel.Responses([]float64{deadline}, []float64{trials.Omitted}))
			upper, lower := shares(opened, theta)
			want = 1 - upper*curve.Distribution(deadline, 1, theta) - lower*curve.Distribution(deadline, -1, theta)
			if !(math.Abs(math.Exp(got[0])-want) <= 1e-6) { // the shares are differences over a short time
				t.Errorf("teacher at %v, deadline %v: %v, want %v", theta, deadline, math.Exp(got[0]), want)
			}
		}
	}
}

// Leave-one-out evaluates a few trials at a time, which may all be omissions.
func TestLogDensityOfOmissionsAlone(t *testing.T) {
	for name, theta := range map[string][]float64{"ddm": points[0], "lnr2": {-1, -0.5, 0.5, 0.2}} {
		d := censored(t, name)
		var alone, among [3]float64
		kernel.EachAt(d, alone[:2], [][]float64{theta, theta}, kernel.Responses([]float64{1, 1.5}, []float64{trials.Omitted, trials.Omitted}))
		kernel.EachAt(d, among[:], [][]float64{theta, theta, theta}, kernel.Responses([]float64{1, 1.5, 0.7}, []float64{trials.Omitted, trials.Omitted, 1}))
		if alone[0] != among[0] || alone[1] != among[1] || !(alone[0] < 0) || !(alone[1] < alone[0]) {
			t.Errorf("%s: omissions have %v alone, %v beside a response", name, alone[:2], among[:2])
		}
	}
}

// shares returns the probabilities of the choices: the joint density at one time, divided by the derivative of the distribution
// function for that choice.
func shares(o *neural.Teacher, theta []float64) (upper, lower float64) {
	var d [2]float64
	const rt, h = 0.9, 1e-4
	o.LogDensity(d[:], [][]float64{theta, theta}, []float64{rt, rt}, []float64{1, -1})
	curve := o.Density.(*spline.Spline)
	slope := func(choice float64) float64 {
		return (curve.Distribution(rt+h, choice, theta) - curve.Distribution(rt-h, choice, theta)) / (2 * h)
	}
	return math.Exp(d[0]) / slope(1), math.Exp(d[1]) / slope(-1)
}

// data returns responses, and omissions with two deadlines.
func data() (rt, choice []float64) {
	return []float64{0.6, 1, 0.8, 1, 0.9, 0.7, 1.2, 1}, []float64{1, trials.Omitted, -1, trials.Omitted, 1, 1, trials.Omitted, trials.Omitted}
}

func TestContract(t *testing.T) {
	rt, choice := data()
	for _, name := range []string{"ddm", teacher} {
		m := censored(t, name)
		r, err := m.Rows(kernel.Responses(rt, choice))
		if err != nil {
			t.Fatal(err)
		}
		kernel.CheckRows(t, r, points[:3])
		all, err := m.Rows(kernel.Responses([]float64{1, 1}, []float64{trials.Omitted, trials.Omitted}))
		if err != nil {
			t.Fatal(err)
		}
		kernel.CheckRows(t, all, points[:2])
	}
}

// With lapses, the probability of an omission includes lapses whose response would come after the deadline.
func TestWithLapses(t *testing.T) {
	m := censored(t, "ddm")
	x, err := m.With(lapse.Lapses{Times: lapse.Window{High: 1.6}})
	if err != nil {
		t.Fatal(err)
	}
	rt, choice := data()
	r, err := x.Rows(kernel.Responses(rt, choice))
	if err != nil {
		t.Fatal(err)
	}
	var at [][]float64
	for _, theta := range points[:3] {
		at = append(at, append(append([]float64{}, theta...), 0.2))
	}
	kernel.CheckRows(t, r, at)
	logp := make([]float64, len(rt))
	r.Each(kernel.Fixed(at[0]), logp, nil)
	survival := 1 - ssm.DDM.CDF(1, 1, points[0]) - ssm.DDM.CDF(1, -1, points[0])
	if want := math.Log(0.8*survival + 0.2*0.6/1.6); !(math.Abs(logp[1]-want) <= 1e-9) {
		t.Errorf("an omission by 1 s: %v, want %v", logp[1], want)
	}
}

func TestRefuses(t *testing.T) {
	for name, want := range map[string]string{"expr2": "is not normalised: it integrates", "drift": "deadlines are for models of a response time, with or without a choice"} {
		_, b := boundtest.Open(t, name)
		if _, err := b.With(Deadline{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
	if _, err := censored(t, "ddm").Rows(kernel.Responses([]float64{0}, []float64{trials.Omitted})); err == nil {
		t.Error("a deadline of 0 is no error")
	}
}
