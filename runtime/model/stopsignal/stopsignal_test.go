package stopsignal

import (
	"math"
	"math/rand/v2"
	"testing"

	"likc/runtime/model/ssm"
)

var example = []float64{0.45, 0.06, 0.12, 0.18, 0.04, 0.05, 0.08, 0.02}

// A staircase finds the delay at which half of the signals stop the response. On trials without a signal, a
// response is missing only because of go failures.
func TestStaircase(t *testing.T) {
	s := Simulate(rand.New(rand.NewPCG(1, 2)), example, Design{Trials: 40_000, Signals: 0.25})
	signals, stopped, failed := 0.0, 0.0, 0.0
	delay := first
	for i, choice := range s.Choice {
		if (choice == Response) == math.IsNaN(s.RT[i]) {
			t.Fatalf("trial %d: choice %v, response time %v", i, choice, s.RT[i])
		}
		if math.IsNaN(s.Delay[i]) {
			failed += 1 - choice
			continue
		}
		if math.Abs(s.Delay[i]-delay) > 1e-9 {
			t.Fatalf("trial %d: delay %v, want %v", i, s.Delay[i], delay)
		}
		signals, stopped = signals+1, stopped+1-choice
		if delay += step; choice == Response {
			delay = math.Max(step, delay-2*step)
		}
	}
	if signals != 10_000 || math.Abs(stopped/signals-0.5) > 0.01 {
		t.Errorf("%v signals, of which %v stopped the response: want 10000, of which half", signals, stopped)
	}
	if share := failed / 30_000; math.Abs(share-0.02) > 4*math.Sqrt(0.02*0.98/30_000) {
		t.Errorf("go failures on a share of %v of the trials, want 0.02", share)
	}
}

// The delays of a list are equally frequent, and the same seed gives the same session.
func TestListOfDelays(t *testing.T) {
	d := Design{Trials: 9_000, Signals: 1, Delays: []float64{0.1, 0.3, 0.3}}
	s, again := Simulate(rand.New(rand.NewPCG(3, 4)), example, d), Simulate(rand.New(rand.NewPCG(3, 4)), example, d)
	short := 0.0
	for i, x := range s.Delay {
		if x != again.Delay[i] || s.Choice[i] != again.Choice[i] {
			t.Fatalf("trial %d differs", i)
		}
		if x == 0.1 {
			short++
		}
	}
	if math.Abs(short-3000) > 4*math.Sqrt(9000*2.0/9) {
		t.Errorf("%v of 9000 signals have the delay 0.1, want a third", short)
	}
}

func TestCheck(t *testing.T) {
	if err := Check(example); err != nil {
		t.Error(err)
	}
	for i := range example {
		bad := append([]float64(nil), example...)
		if bad[i] = -0.1; Check(bad) == nil {
			t.Errorf("%s = -0.1 is accepted", Params[i].Name)
		}
		if bad[i] = 1.1; (Check(bad) != nil) != (Params[i].Domain == ssm.Share) {
			t.Errorf("%s = 1.1: %v", Params[i].Name, Check(bad))
		}
	}
}
