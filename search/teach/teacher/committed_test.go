package teacher

import (
	"context"
	"math"
	"os"
	"testing"

	"gonum.org/v1/gonum/stat"

	"likc/runtime/model/kernel"
	"likc/runtime/model/neural"
	"likc/runtime/model/ssm"
	"likc/search/study/bank"
)

const committed = "../../../testdata/teacher/spline"

func open(t *testing.T) *neural.Teacher {
	t.Helper()
	o, err := neural.Open(committed)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// gateBank is the bank that admits teachers.
func gateBank(t *testing.T) *bank.Bank {
	t.Helper()
	s, err := bank.NewSettings("gate-100", "ddm", "exact", 1)
	if err != nil {
		t.Fatal(err)
	}
	b, err := bank.Make(context.Background(), s, 2)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// densities asks a teacher for a subject's trials.
func densities(o *neural.Teacher, s bank.Subject) []float64 {
	dst, theta := make([]float64, len(s.RT)), make([][]float64, len(s.RT))
	for i := range theta {
		theta[i] = s.Theta
	}
	o.LogDensity(dst, theta, s.RT, s.Choice)
	return dst
}

// TestCommittedIsAccurate holds the default teacher to the exact density, which it never saw.
func TestCommittedIsAccurate(t *testing.T) {
	o := open(t)
	var ours, exact []float64
	total := 0.0
	for _, s := range gateBank(t).Subjects {
		for i, d := range densities(o, s) {
			e := ssm.DDM.LogDensity(s.RT[i], s.Choice[i], s.Theta)
			ours, exact = append(ours, d), append(exact, e)
			total += math.Abs(d - e)
		}
	}
	r, mae := stat.Correlation(ours, exact, nil), total/float64(len(ours))
	t.Logf("r = %.6f, mean absolute error %.5f over %d trials", r, mae, len(ours))
	if !(r >= 0.997) || !(mae <= 0.05) {
		t.Errorf("r = %v and mean absolute error %v, want .997 and .05", r, mae)
	}
}

// TestCommittedIsCalibrated: the values of the distribution at simulated trials are uniform.
func TestCommittedIsCalibrated(t *testing.T) {
	o := open(t)
	d, ok := o.Density.(interface {
		Distribution(rt, choice float64, theta []float64) float64
	})
	if !ok {
		t.Fatal("no distribution")
	}
	counts, n := make([]float64, 10), 0.0
	for _, s := range gateBank(t).Subjects {
		for i, rt := range s.RT {
			counts[min(9, int(10*d.Distribution(rt, s.Choice[i], s.Theta)))]++
			n++
		}
	}
	ece, below := 0.0, 0.0
	for k, c := range counts {
		below += c / n
		ece += math.Abs(below-float64(k+1)/10) / 10
	}
	t.Logf("ECE = %.5f", ece)
	if !(ece <= 0.041) {
		t.Errorf("ECE = %v, want at most .041", ece)
	}
}

// TestCommittedLikelihood compares bound trials with the exact density, value and gradient, where there is data enough.
func TestCommittedLikelihood(t *testing.T) {
	o := open(t)
	for _, s := range gateBank(t).Subjects[:20] {
		lik, err := o.Density.Sum(kernel.Responses(s.RT, s.Choice))
		if err != nil {
			t.Fatal(err)
		}
		want := 0.0
		for _, d := range densities(o, s) {
			want += d
		}
		if got := lik.LogLik(s.Theta); math.Abs(got-want) > 1e-9*math.Max(100, math.Abs(want)) {
			t.Errorf("bound trials give %v, single ones sum to %v", got, want)
		}
		exact, err := ssm.DDM.Bind(s.RT, s.Choice)
		if err != nil {
			t.Fatal(err)
		}
		if e := exact.LogLik(s.Theta); math.Abs(want-e) > 0.02*float64(len(s.RT)) {
			t.Errorf("at %v: %v, the exact density says %v", s.Theta, want, e)
		}
	}
}

func TestExamined(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(committed)); err != nil {
		t.Fatal(err)
	}
	if err := Examined(dir, []byte(`{"pass":true}`)); err != nil {
		t.Fatal(err)
	}
	o, err := neural.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if string(o.Gate) != `{"pass":true}` {
		t.Errorf("gate is %q", o.Gate)
	}
}
