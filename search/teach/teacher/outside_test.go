package teacher

import (
	"context"
	"math"
	"path/filepath"
	"testing"

	"likc/runtime/model/neural"
	"likc/runtime/model/process"
	"likc/runtime/model/ssm"
	"likc/search/study/bank"
)

// counterText declares a race of two Poisson counters, of 4 and of 7 events, whose rates are l0 and l1. likc knows nothing else of them.
const counterText = `model counter {
  trial  rt
  choice c in {0, 1}
  param  l[c] in [2, 20]
  param  t in [0.1, 0.5]
  support t < rt
}`

var counts = [2]int{4, 7}

// counter draws the trials of counterText.
type counter struct{}

func (counter) Draw(_ context.Context, ask ssm.Request, rt, choice []float64) error {
	r := ssm.NewRand(ask.Seed, 0)
	for i := range rt {
		first := math.Inf(1)
		for k, n := range counts {
			sum := 0.0
			for range n {
				sum += r.ExpFloat64() / ask.Theta[k]
			}
			if sum < first {
				first, choice[i] = sum, float64(k)
			}
		}
		rt[i] = ask.Theta[2] + first
	}
	return nil
}

// logErlang is the log density of a trial: the winner's Erlang density, and the probability that the other counter has not ended.
func logErlang(rt, choice float64, theta []float64) float64 {
	k, tau := int(choice), rt-theta[2]
	n, x := counts[k], theta[k]*tau
	lg, _ := math.Lgamma(float64(n))
	density := math.Log(theta[k]) + float64(n-1)*math.Log(x) - x - lg
	y, term, sum := theta[1-k]*tau, 1.0, 0.0
	for j := range counts[1-k] {
		if j > 0 {
			term *= y / float64(j)
		}
		sum += term
	}
	return density - y + math.Log(sum)
}

// TestOutside: of a process that a program draws, and whose choices are not alike, a teacher learns the density in closed form.
func TestOutside(t *testing.T) {
	ctx := ssm.WithProgram(t.Context(), counter{})
	m, err := process.Of("counter", counterText)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := PlanOf("spline", m, 1)
	if err != nil {
		t.Fatal(err)
	}
	plan.Bank.Subjects = 3000
	plan.Bank.SetTrials(60)
	kind, _ := KindNamed("spline")
	if plan.Settings, err = kind.Scale(plan.Settings, 15); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "counter")
	if _, err := Make(ctx, dir, plan, 1, nil); err != nil {
		t.Fatal(err)
	}
	o, err := neural.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	s, err := bank.SettingsOf("test-60", o.Simulator, "", 2)
	if err != nil {
		t.Fatal(err)
	}
	s.SetTrials(50)
	b, err := bank.Make(ctx, s, 1)
	if err != nil {
		t.Fatal(err)
	}
	sum, n := 0.0, 0.0
	for _, subject := range b.Subjects {
		got, theta := make([]float64, len(subject.RT)), make([][]float64, len(subject.RT))
		for i := range theta {
			theta[i] = subject.Theta
		}
		o.LogDensity(got, theta, subject.RT, subject.Choice)
		for i, rt := range subject.RT {
			sum += math.Abs(got[i] - logErlang(rt, subject.Choice[i], subject.Theta))
			n++
		}
	}
	if mean := sum / n; !(mean < 0.06) {
		t.Errorf("log densities are off by %v in the mean", mean)
	}
}
