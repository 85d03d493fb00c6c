package timing

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"
)

// script returns an entry whose evaluations have the given durations, one for each round, and which logs its calls.
func script(name string, log *[]string, times ...time.Duration) Entry {
	round := -1 // warm-up
	return Entry{Name: name, Evaluate: func(count int) (time.Duration, error) {
		*log = append(*log, name)
		t := times[max(0, min(round, len(times)-1))]
		round++
		return time.Duration(count) * t, nil
	}}
}

func TestInterleave(t *testing.T) {
	var log []string
	entries := []Entry{
		script("A", &log, 50, 10, 30, 90, 20),
		script("B", &log, 7, 7, 7, 7, 7),
		script("C", &log, 4, 1, 3, 2, 5),
	}
	done := 0.0
	got, err := Interleave(context.Background(), entries, Limits{Rounds: 5, Slice: 1, Total: time.Minute}, func(x float64) {
		if !(x > done) {
			t.Errorf("progress goes from %v to %v", done, x)
		}
		done = x
	})
	if err != nil {
		t.Fatal(err)
	}
	if want := []Result{{30, 5}, {7, 5}, {3, 5}}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if want := strings.Repeat("ABC", 6); strings.Join(log, "") != want {
		t.Errorf("order %s, want %s", strings.Join(log, ""), want)
	}
	if done != 1 {
		t.Errorf("progress ends at %v", done)
	}
}

// TestInterleaveCounts checks that a fast entry is evaluated many times in a slice, and a slow one once.
func TestInterleaveCounts(t *testing.T) {
	var quick, slow int
	entries := []Entry{
		{Evaluate: func(count int) (time.Duration, error) {
			quick = count
			return time.Duration(count) * time.Microsecond, nil
		}},
		{Evaluate: func(count int) (time.Duration, error) { slow = count; return time.Duration(count) * time.Second, nil }, WarmUp: 2},
	}
	got, err := Interleave(context.Background(), entries, Limits{Rounds: 1, Slice: time.Millisecond, Total: time.Minute}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if quick != 1000 || slow != 1 {
		t.Errorf("%d and %d evaluations, want 1000 and 1", quick, slow)
	}
	if got[0].NS != 1e3 || got[1].NS != 1e9 {
		t.Errorf("got %v", got)
	}
}

// TestInterleaveStops checks that there is one round even if the time limit is too short, and no round after it. An
// error or a cancelled context also ends the timing.
func TestInterleaveStops(t *testing.T) {
	var log []string
	ctx, cancel := context.WithCancel(context.Background())
	got, err := Interleave(ctx, []Entry{script("A", &log, 1)}, Limits{Rounds: 9, Slice: 1, Total: -1}, nil)
	if err != nil || got[0].Rounds != 1 {
		t.Errorf("%v, %v: want one round", got, err)
	}
	fails := Entry{Name: "expr2", Evaluate: func(int) (time.Duration, error) { return 0, errors.New("gone") }}
	if _, err := Interleave(ctx, []Entry{fails}, Limits{Rounds: 9}, nil); err == nil || err.Error() != "expr2: gone" {
		t.Errorf("error %v", err)
	}
	cancel()
	if _, err := Interleave(ctx, []Entry{script("A", &log, 1)}, Limits{Rounds: 9}, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// counter is a likelihood that counts its evaluations, and allocates when it computes a gradient.
type counter struct {
	values, gradients int
	last              float64
	repeated          bool
	kept              []byte
}

func (c *counter) Dim() int { return 2 }

func (c *counter) LogLik(theta []float64) float64 {
	c.values++
	c.repeated = c.repeated || theta[0] == c.last
	c.last = theta[0]
	return 1
}

func (c *counter) LogLikGrad(theta, grad []float64) float64 {
	c.gradients++
	c.kept = make([]byte, 1000)
	return 1
}

func TestLikelihood(t *testing.T) {
	c := &counter{}
	now := time.Duration(0)
	clock := func() time.Duration { now += time.Second; return now }
	thetas := Around([]float64{1, 2}, 0.02, 8)
	took, err := Likelihood("counter", c, thetas, Value, clock).Evaluate(100)
	if err != nil || took != time.Second || c.values != 100 || c.gradients != 0 {
		t.Errorf("%v, %v: %d values, %d gradients", took, err, c.values, c.gradients)
	}
	if c.repeated {
		t.Error("two evaluations in turn are at one theta")
	}
	if n := Allocations(c, thetas, Value, 100); n >= 1 {
		t.Errorf("a value makes %v allocations", n)
	}
	if n := Allocations(c, thetas, Gradient, 100); n < 1 {
		t.Errorf("a gradient makes %v allocations, want 1", n)
	}
}

func TestAround(t *testing.T) {
	for _, p := range Around([]float64{1, -2}, 0.02, 50) {
		for j, x := range []float64{1, -2} {
			if d := math.Abs(p[j]/x - 1); !(d > 0.0099 && d < 0.0201) {
				t.Errorf("%v is %v off", p, d)
			}
		}
	}
}

// TestCPU checks that the processor clock advances during work.
func TestCPU(t *testing.T) {
	cpu, err := CPU()
	if err != nil {
		t.Skip(err)
	}
	from, wall := cpu(), Wall()
	for x := 1.0; Wall()-wall < 20*time.Millisecond; {
		x = math.Sqrt(x + 1)
		sink = x
	}
	if cpu() == from {
		t.Error("work takes no time")
	}
}
