package omission

import (
	"math"
	"testing"

	"likc/runtime/model/bound"
	"likc/runtime/model/catalog"
	"likc/runtime/model/kernel"
	"likc/runtime/model/trials"
)

// The built-in races have a survival function in closed form, which agrees with the integral of their density.
func TestRacesAreClosed(t *testing.T) {
	for _, name := range []string{"lba2", "lba3", "rdm2", "lnr3"} {
		c := deadlinesOf(t, name)
		if c.survival == nil {
			t.Errorf("%s has no closed survival", name)
			continue
		}
		integral := &Censored{model: c.model, of: c.of, choices: c.choices, onset: c.onset, sure: c.sure}
		for _, theta := range bound.Spread(c.model, 20) {
			one := kernel.Responses([]float64{c.onset(theta) + 0.7}, []float64{trials.Omitted})
			want, slopes, err := logDensityAt(integral, one, theta)
			if err != nil {
				t.Fatal(err)
			}
			got, closed, err := logDensityAt(c, one, theta)
			if err != nil || !(math.Abs(got-want) <= 1e-9*max(1, math.Abs(want))) {
				t.Errorf("%s at %v: %v, %v, want %v", name, theta, got, err, want)
			}
			for j := range slopes {
				if !(math.Abs(closed[j]-slopes[j]) <= 1e-7*max(1, math.Abs(slopes[j]))) {
					t.Errorf("%s at %v: slope %d is %v, want %v", name, theta, j, closed[j], slopes[j])
				}
			}
		}
	}
}

// A closed form is used only if it agrees with the integral. The test compares a race of exponential times
// with the right survival function and with a wrong one of the same parameters.
func TestSurvivalIsCompared(t *testing.T) {
	const text = `model half { trial rt positive choice c in {0, 1} param r[c] in [1, 3]
		loglik = log(r[c]) - r[c]*rt + sum(k != c: -r[k]*rt) }`
	m, err := catalog.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"ddm", "wald", "full_ddm"} {
		if deadlinesOf(t, name).survival != nil {
			t.Errorf("%s has a closed survival", name)
		}
	}
	p, err := bound.Open(m, bound.Tree)
	if err != nil {
		t.Fatal(err)
	}
	lied := &Censored{model: m, of: p, choices: []float64{0, 1}, onset: m.Onset(), sure: true}
	double, err := catalog.Parse(`model double { trial rt positive param r0 in [1, 3] param r1 in [1, 3] loglik = -2*(r0 + r1)*rt }`)
	if err != nil {
		t.Fatal(err)
	}
	wrong, err := bound.Open(double, bound.Tree)
	if err != nil {
		t.Fatal(err)
	}
	if lied.agrees(wrong) || lied.raceSurvival() == nil {
		t.Error("a wrong survival agrees with the integral, or the right one does not")
	}
	if right := lied.raceSurvival(); right == nil || lied.agrees(steeper{right}) {
		t.Error("a survival whose derivatives are wrong agrees with the integral")
	}
}

// steeper is a kernel whose derivatives are a thousandth too large.
type steeper struct{ kernel.Kernel }

func (k steeper) Rows(t kernel.Trials) (kernel.Rows, error) {
	rows, err := k.Kernel.Rows(t)
	return steeperRows{rows}, err
}

type steeperRows struct{ kernel.Rows }

func (r steeperRows) Each(theta [][]float64, logp []float64, grad [][]float64) {
	r.Rows.Each(theta, logp, grad)
	for _, slopes := range grad {
		for i := range slopes {
			slopes[i] *= 1.001
		}
	}
}

// deadlinesOf returns the kernel of a built-in model with deadlines.
func deadlinesOf(t *testing.T, name string) *Censored {
	t.Helper()
	m, err := catalog.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	p, err := bound.Open(m, bound.Ready)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	k, _ := m.Density()
	if k == nil {
		k = p
	}
	return Deadline{}.Kernel(m, k).(*Censored)
}
