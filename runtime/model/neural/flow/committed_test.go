package flow

import (
	"math"
	"os"
	"testing"

	"gonum.org/v1/gonum/stat"

	"likc/runtime/model/ssm"
)

func committed(t testing.TB) *Teacher {
	t.Helper()
	data, err := os.ReadFile("../../../../testdata/teacher/flow/weights.bin")
	if err != nil {
		t.Fatal(err)
	}
	m, err := ssm.Lookup("ddm")
	if err != nil {
		t.Fatal(err)
	}
	teacher, err := Read(m, data)
	if err != nil {
		t.Fatal(err)
	}
	return teacher
}

// TestCommittedSteps checks that the paper's 20 steps are as good as adaptive integration. It also checks that the
// density is near the exact density, which was not used in training.
func TestCommittedSteps(t *testing.T) {
	teacher := committed(t)
	r := ssm.NewRand(11, 12)
	miss, worst, total := 0.0, 0.0, 0.0
	var ours, exact []float64
	for range 60 {
		theta := make([]float64, 4)
		for i, p := range teacher.Frame.Model.Params {
			theta[i] = p.Lower + (p.Upper-p.Lower)*r.Float64()
		}
		rt, choice, logs := make([]float64, 20), make([]float64, 20), make([]float64, 20)
		if err := teacher.Frame.Model.Simulate(r, theta, ssm.Scheme{}, rt, choice); err != nil {
			t.Fatal(err)
		}
		thetas := make([][]float64, len(rt))
		for i := range thetas {
			thetas[i] = theta
		}
		teacher.Flow.LogDensity(logs, thetas, rt, choice)
		for i := range rt[:4] {
			reference, err := teacher.Adaptive(theta, rt[i], choice[i], 1e-8)
			if err != nil {
				t.Fatal(err)
			}
			miss += math.Abs(logs[i]-reference) / 240
			worst = math.Max(worst, math.Abs(logs[i]-reference))
		}
		teacher.LogDensity(logs, thetas, rt, choice)
		for i, x := range rt {
			e := ssm.DDM.LogDensity(x, choice[i], theta)
			ours, exact = append(ours, logs[i]), append(exact, e)
			total += math.Abs(logs[i] - e)
		}
	}
	rho, mae := stat.Correlation(ours, exact, nil), total/float64(len(ours))
	t.Logf("error of 20 steps: mean %.2g, worst %.2g nats; against the exact density r = %.5f, mean absolute error %.4f", miss, worst, rho, mae)
	if miss > 0.01 || rho < 0.99 || mae > 0.1 {
		t.Errorf("error of steps %v, r %v, mean absolute error %v", miss, rho, mae)
	}
}
