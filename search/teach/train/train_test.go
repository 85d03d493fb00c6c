package train

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"likc/runtime/model/neural"
)

// parabola is a learner of one weight, whose loss is (w - target)² in training and (w - validated)² in validation.
type parabola struct {
	weight            []float32
	target, validated float64
	spoilt            int // gradients until the loss is NaN
}

func (p *parabola) Items() int         { return 10 }
func (p *parabola) Weights() []float32 { return p.weight }
func (p *parabola) Validate() float64  { return square(float64(p.weight[0]) - p.validated) }

func (p *parabola) Gradient(batch []int, _ *rand.Rand, grad []float32) float64 {
	if p.spoilt--; p.spoilt == 0 {
		return math.NaN()
	}
	grad[0] = float32(2 * (float64(p.weight[0]) - p.target))
	return square(float64(p.weight[0]) - p.target)
}

func square(x float64) float64 { return x * x }

func stage(p *parabola, epochs, patience int) []Stage {
	return []Stage{{Name: "density", Settings: Settings{Epochs: epochs, Batch: 5, Rate: 0.05, Patience: patience}, Learner: p}}
}

func TestRunFindsTheMinimum(t *testing.T) {
	p := &parabola{weight: []float32{0}, target: 1, validated: 1}
	h, err := Run(context.Background(), stage(p, 100, 0), 1, NewCheckpoint("", nil), nil)
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(float64(p.weight[0])-1) > 1e-2 || len(h) != 1 || len(h[0].Train) != 100 {
		t.Errorf("weight %v after %d epochs", p.weight[0], len(h[0].Train))
	}
	if faults := Report(h[0], 100); len(faults) > 0 {
		t.Errorf("a sound training is reported as %q", faults)
	}
}

// TestEarlyStop: the validation loss falls on the way to the target and rises after it.
func TestEarlyStop(t *testing.T) {
	p := &parabola{weight: []float32{0}, target: 1, validated: 0.5}
	h, err := Run(context.Background(), stage(p, 200, 8), 1, NewCheckpoint("", nil), nil)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(h[0].Train); n != h[0].Best+8 {
		t.Errorf("%d epochs, the best was the %d.", n, h[0].Best+1)
	}
	if math.Abs(float64(p.weight[0])-0.5) > 0.1 {
		t.Errorf("weight %v, want the best one, near 0.5", p.weight[0])
	}
	report := strings.Join(Report(h[0], 200), "; ")
	for _, word := range []string{"over-fitting", "stopped early"} {
		if !strings.Contains(report, word) {
			t.Errorf("report %q says nothing of %s", report, word)
		}
	}
}

func TestReportOfOverFitting(t *testing.T) {
	h := neural.Stage{Name: "density", Best: 19}
	for k := range 20 { // the training loss is of easier subjects from the start, and goes on falling alone
		h.Train = append(h.Train, neural.Loss(1/float64(k+1)-0.01*float64(k)-0.5))
		h.Validation = append(h.Validation, neural.Loss(1/float64(k+1)))
	}
	h.BestLoss = h.Validation[19]
	if report := strings.Join(Report(h, 20), "; "); !strings.Contains(report, "over-fitting: since epoch 5") {
		t.Errorf("report %q", report)
	}
	for k := range h.Train {
		h.Train[k] = h.Validation[k] - 0.5
	}
	if report := strings.Join(Report(h, 20), "; "); strings.Contains(report, "over-fitting") {
		t.Errorf("report %q of losses that fall together", report)
	}
}

func TestReportOfUnderFitting(t *testing.T) {
	p := &parabola{weight: []float32{-9}, target: 1, validated: 1}
	h, err := Run(context.Background(), stage(p, 20, 0), 1, NewCheckpoint("", nil), nil)
	if err != nil {
		t.Fatal(err)
	}
	// the rate falls to zero with the last epochs, so cut them off
	h[0].Train, h[0].Validation, h[0].Best = h[0].Train[:15], h[0].Validation[:15], 14
	h[0].BestLoss = h[0].Validation[14]
	if report := strings.Join(Report(h[0], 15), "; "); !strings.Contains(report, "under-fitting") {
		t.Errorf("report %q", report)
	}
}

func TestNaNStopsTheRun(t *testing.T) {
	p := &parabola{weight: []float32{0}, target: 1, validated: 1, spoilt: 7}
	_, err := Run(context.Background(), stage(p, 20, 0), 1, NewCheckpoint("", nil), nil)
	if err == nil || !strings.Contains(err.Error(), "density: epoch 4: the training loss is NaN") {
		t.Errorf("got %v", err)
	}
	p = &parabola{weight: []float32{0}, target: 1, validated: math.NaN()}
	_, err = Run(context.Background(), stage(p, 20, 0), 1, NewCheckpoint("", nil), nil)
	if err == nil || !strings.Contains(err.Error(), "validation loss is NaN") {
		t.Errorf("got %v", err)
	}
}

func TestRateRisesAndFallsToZero(t *testing.T) {
	s := Settings{Epochs: 10, Rate: 1}
	if s.rate(0) > 0.05 || math.Abs(s.rate(warmUp)-1) > 1e-12 || s.rate(10) > 1e-12 || s.rate(4) <= s.rate(6) {
		t.Errorf("rates %v %v %v %v %v", s.rate(0), s.rate(warmUp), s.rate(4), s.rate(6), s.rate(10))
	}
}
