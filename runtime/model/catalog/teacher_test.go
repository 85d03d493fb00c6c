package catalog

import (
	"math"
	"strings"
	"testing"

	"likc/runtime/model/kernel"
	"likc/runtime/model/ssm"
	"likc/testdata"
)

// TestTeachersThatComeWithLikc opens processes without an exact density: each is a built-in teacher, and still simulates. With special
// values of its further parameters, each process is a drift-diffusion model. Then its log density must agree with that of ddm, which no
// teacher was trained on, to 0.03 nats per trial on average. The noise of levy has variance 2, so that its drift and boundary are √2 times
// those of ddm. The drift of shrinking_spotlight is constant if all items give the same evidence.
func TestTeachersThatComeWithLikc(t *testing.T) {
	for name, further := range map[string]map[string]float64{
		"gamma_drift": {"c": 0, "peak": 0.3, "sharp": 3},
		"hyperbolic":  {"kappa": 0, "half": 1},
		"levy":        {"alpha": 2},
		"ornstein":    {"g": 0},
		"weibull":     {"alpha": 4.9, "beta": 6.9},

		"shrinking_spotlight": {"sd": 1.8, "r": 10},
	} {
		m, err := Open(name)
		if err != nil {
			t.Fatal(err)
		}
		if m.Origin.Kind != Teacher || !m.Origin.Builtin || m.Origin.Sum == "" || m.Usable() != nil || !m.Of(name) {
			t.Fatalf("%s: %+v", name, m.Origin)
		}
		off := fromDDM(t, m, further)
		t.Logf("%s: %.4f nats a trial off", name, off)
		if !(off < 0.03) {
			t.Errorf("%s: %.3f nats a trial off", name, off)
		}
	}
}

// TestTeachersOfDensities compares the teachers of angle and full_ddm with the exact densities of these processes. The mean difference of
// log densities is at most 0.02 nats, and the mean absolute difference at most 0.05 nats.
func TestTeachersOfDensities(t *testing.T) {
	for name, thetas := range map[string][][]float64{
		"angle":    {{1, 1.2, 0.45, 0.3, 0.3}, {-1, 0.8, 0.6, 0.2, 0.7}, {2, 2, 0.3, 0.5, 0.05}},
		"full_ddm": {{1, 1.2, 0.45, 0.3, 0.8, 0.2, 0.15}, {-1, 0.8, 0.6, 0.4, 0.3, 0.4, 0.05}, {2, 2, 0.4, 0.5, 2, 0.1, 0.25}},
	} {
		m, err := Open(name)
		if err != nil {
			t.Fatal(err)
		}
		teacher, err := Open("../../../testdata/teacher/" + name)
		if err != nil {
			t.Fatal(err)
		}
		if m.Origin.Kind != Exact || teacher.Origin.Kind != Teacher {
			t.Fatalf("%s is %v, its teacher %v", name, m.Origin.Kind, teacher.Origin.Kind)
		}
		for i, theta := range thetas {
			mean, absolute := meanDifferences(t, m, teacher, theta, uint64(i))
			if t.Logf("%s, %v: %.4f nats a trial, trials %.4f", name, theta, mean, absolute); !(math.Abs(mean) < 0.02 && absolute < 0.05) {
				t.Errorf("%s, %v: the teacher is %.3f nats a trial off, trials %.3f", name, theta, mean, absolute)
			}
		}
	}
}

// meanDifferences returns the mean difference of the log densities of two models, and the mean absolute difference, in nats. Trials are
// simulated by the first model.
func meanDifferences(t *testing.T, m, teacher *Model, theta []float64, stream uint64) (mean, absolute float64) {
	t.Helper()
	const n = 300
	exact, _ := m.Density()
	learnt, _ := teacher.Density()
	simulator, _ := m.Simulator()
	rt, choice, all, want, got := make([]float64, n), make([]float64, n), make([][]float64, n), make([]float64, n), make([]float64, n)
	scheme, err := ssm.SchemeNamed(simulator.Process.SchemeNames()[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := simulator.Process.Simulate(ssm.NewRand(5, stream), theta, scheme, rt, choice); err != nil {
		t.Fatal(err)
	}
	for k := range all {
		all[k] = theta
	}
	exact.(kernel.PerTrial).LogDensity(want, all, rt, choice)
	learnt.(kernel.PerTrial).LogDensity(got, all, rt, choice)
	for k := range want {
		mean, absolute = mean+(want[k]-got[k])/n, absolute+math.Abs(want[k]-got[k])/n
	}
	return mean, absolute
}

// fromDDM returns the mean absolute difference, in nats, between a model's log density and that of ddm. The map holds the values of the
// model's further parameters.
func fromDDM(t *testing.T, m *Model, further map[string]float64) float64 {
	t.Helper()
	const n = 200
	density, _ := m.Density()
	total, trials := 0.0, 0
	for i, at := range [][]float64{{1, 1, 0.5, 0.3}, {-0.5, 0.8, 0.6, 0.2}, {2, 1.2, 0.4, 0.5}, {0, 0.6, 0.5, 0.1}} {
		var theta []float64
		for _, p := range m.Params {
			x, own := further[p.Name]
			switch j := ssm.DDM.Index(p.Name); {
			case j >= 0:
				x = at[j]
			case !own: // the evidence of an item
				x = at[0]
			}
			if m.Name == "levy" && (p.Name == "v" || p.Name == "a") {
				x *= math.Sqrt2
			}
			theta = append(theta, x)
		}
		rt, choice, got, all := make([]float64, n), make([]float64, n), make([]float64, n), make([][]float64, n)
		if err := ssm.DDM.Simulate(ssm.NewRand(3, uint64(i)), at, ssm.ExactScheme(), rt, choice); err != nil {
			t.Fatal(err)
		}
		for k := range all {
			all[k] = theta
		}
		density.(kernel.PerTrial).LogDensity(got, all, rt, choice)
		for k := range rt {
			total, trials = total+math.Abs(got[k]-ssm.DDM.LogDensity(rt[k], choice[k], at)), trials+1
		}
	}
	return total / float64(trials)
}

// TestTeacherNames checks that no name leads out of the folder of teachers.
func TestTeacherNames(t *testing.T) {
	for _, name := range []string{"", ".", "../banks", "nothing", "/"} {
		if _, ok := testdata.Teacher(name); ok {
			t.Errorf("%q has a teacher", name)
		}
	}
	if _, err := Open("nothing"); err == nil || !strings.Contains(err.Error(), "no such model") {
		t.Error(err)
	}
}
