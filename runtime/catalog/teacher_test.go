package catalog

import (
	"math"
	"strings"
	"testing"

	"likc/runtime/ssm"
	"likc/testdata"
)

// TestTeachersThatComeWithLikc: a process without an exact density is the teacher that comes with the program, and still simulates. Where
// its further parameters leave the drift-diffusion model as it is, its log density is the exact one of that, which trained
// nothing: at most 0.03 nats a trial apart on average. That of levy has noise of variance 2, so that its drift and boundary are √2 of the ddm's.
// The drift of shrinking_spotlight is constant where all items give the same evidence.
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

// TestTeacherOfAngle: angle is its exact density, from which the teacher in the folder of that name is at most 0.02 nats a trial on average.
func TestTeacherOfAngle(t *testing.T) {
	m, err := Open("angle")
	if err != nil {
		t.Fatal(err)
	}
	teacher, err := Open("../../testdata/teacher/angle")
	if err != nil {
		t.Fatal(err)
	}
	if m.Origin.Kind != Exact || teacher.Origin.Kind != Teacher {
		t.Fatalf("angle is %v, its teacher %v", m.Origin.Kind, teacher.Origin.Kind)
	}
	exact, _ := m.Density()
	learnt, _ := teacher.Density()
	simulator, _ := m.Simulator()
	const n = 300
	rt, choice, all, want, got := make([]float64, n), make([]float64, n), make([][]float64, n), make([]float64, n), make([]float64, n)
	for i, theta := range [][]float64{{1, 1.2, 0.45, 0.3, 0.3}, {-1, 0.8, 0.6, 0.2, 0.7}, {2, 2, 0.3, 0.5, 0.05}} {
		if err := simulator.Process.Simulate(ssm.NewRand(5, uint64(i)), theta, ssm.BridgeScheme(), rt, choice); err != nil {
			t.Fatal(err)
		}
		for k := range all {
			all[k] = theta
		}
		exact.LogDensity(want, all, rt, choice)
		learnt.LogDensity(got, all, rt, choice)
		off := 0.0
		for k := range want {
			off += (want[k] - got[k]) / n
		}
		if t.Logf("%v: %.4f nats a trial", theta, off); !(math.Abs(off) < 0.02) {
			t.Errorf("%v: the teacher is %.3f nats a trial off", theta, off)
		}
	}
}

// fromDDM is the mean absolute difference of a model's log densities from the exact ones of ddm, where further parameters have given values.
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
		density.LogDensity(got, all, rt, choice)
		for k := range rt {
			total, trials = total+math.Abs(got[k]-ssm.DDM.LogDensity(rt[k], choice[k], at)), trials+1
		}
	}
	return total / float64(trials)
}

// TestTeacherNames: no path leads out of the folder of teachers.
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
