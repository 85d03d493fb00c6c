package spline

import (
	"math"
	"testing"
)

// TestLogSurvival compares the survival with one minus the distribution functions, weighted by the
// probabilities of the choices, and its gradient with finite differences. Times are in the tails and in all
// bins, different for each choice.
func TestLogSurvival(t *testing.T) {
	for _, model := range []string{"ddm", "full_ddm", "race_angle3"} {
		s := untrained(t, model)
		m := s.frame.Model
		grad, after, logs := make([]float64, m.Dim()), make([]float64, len(m.Choices)), make([]float64, len(m.Choices))
		for _, theta := range thetas(m, 6) {
			for _, tau := range []float64{-0.1, 1e-3, 0.05, 0.2, 0.4, 0.7, 1, 1.5, 3, 8} {
				for k := range after {
					after[k] = s.frame.Onset(theta) + tau*(1+0.1*float64(k))
				}
				want := 0.0
				for k, log := range s.shares(logs, theta) {
					want += math.Exp(log) * (1 - s.Distribution(after[k], m.Choices[k], theta))
				}
				got := s.LogSurvival(theta, after, grad)
				if !(math.Abs(math.Exp(got)-want) <= 1e-12) || got > 0 {
					t.Errorf("%s at %v, after %v: %v, want %v", model, theta, after, math.Exp(got), want)
				}
				if alone := s.LogSurvival(theta, after, nil); alone != got {
					t.Errorf("%s at %v, after %v: %v alone, %v with slopes", model, theta, after, alone, got)
				}
				checkSlopes(t, s, theta, after, grad)
			}
		}
		after[0] = 1
		if got := s.LogSurvival(make([]float64, m.Dim()), after, grad); !math.IsInf(got, -1) { // a boundary at 0
			t.Errorf("%s: %v outside the domain", model, got)
		}
	}
}

// shares sets logs to the log probabilities of the choices.
func (s *Spline) shares(logs, theta []float64) []float64 {
	for k := range logs {
		after := make([]float64, len(logs))
		for j := range after {
			after[j] = math.Inf(1)
		}
		after[k] = math.Inf(-1)
		logs[k] = s.LogSurvival(theta, after, nil)
	}
	return logs
}

func checkSlopes(t *testing.T, s *Spline, theta, after, grad []float64) {
	t.Helper()
	const h = 1e-6
	for j, slope := range grad {
		at := append([]float64{}, theta...)
		at[j] += h
		above := s.LogSurvival(at, after, nil)
		at[j] -= 2 * h
		if d := (above - s.LogSurvival(at, after, nil)) / (2 * h); !(math.Abs(d-slope) <= 1e-6*max(1, math.Abs(d))) {
			t.Errorf("%s at %v, after %v: derivative in %s is %v, differences say %v", s.frame.Model.Name, theta, after, s.frame.Model.Params[j].Name, slope, d)
		}
	}
}
