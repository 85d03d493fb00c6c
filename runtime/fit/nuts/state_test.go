package nuts

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"math/rand/v2"
	"os"
	"sync"
	"testing"
	"time"

	"likc/runtime/num/chains"
)

// keptInMemory keeps states as bytes in memory, as a file would.
type keptInMemory struct {
	sync.Mutex
	states map[int][]byte
	saved  int
	kill   func(saved int) bool // reports whether the chain that saves is to end without saving, as if it was killed
}

var errKilled = errors.New("killed")

func (k *keptInMemory) Load(chain int) *State {
	k.Lock()
	defer k.Unlock()
	if k.states[chain] == nil {
		return nil
	}
	s := &State{}
	if err := gob.NewDecoder(bytes.NewReader(k.states[chain])).Decode(s); err != nil {
		panic(err)
	}
	return s
}

func (k *keptInMemory) Save(chain int, s *State) error {
	k.Lock()
	defer k.Unlock()
	k.saved++
	if k.kill(k.saved) {
		return errKilled
	}
	var b bytes.Buffer
	err := gob.NewEncoder(&b).Encode(s)
	k.states[chain] = b.Bytes()
	return err
}

// csv returns all chains as Stan CSV files.
func csv(t *testing.T, d *chains.Draws) []byte {
	t.Helper()
	var b bytes.Buffer
	for i := range d.Chains {
		if err := d.WriteStan(&b, i); err != nil {
			t.Fatal(err)
		}
	}
	return b.Bytes()
}

// After many kills and interruptions, a resumed run has made the same draws as an uninterrupted one, with every kind of warm-up.
func TestResumedRunsDrawTheSame(t *testing.T) {
	defer func(every, share time.Duration) { keepEvery, keepShare = every, share }(keepEvery, keepShare)
	keepEvery, keepShare = 0, 0
	metrics, ends := []Metric{Diag, Dense, Fisher, LowRank}, 10
	if os.Getenv("LIKC_LONG") != "" {
		ends = 40
	}
	for _, m := range metrics {
		s := DefaultSettings()
		s.Metric, s.NumChains, s.NumWarmup, s.NumSamples, s.SaveWarmup, s.Jitter, s.Threads = m, 2, 200, 150, true, 0.1, 1
		target := func(int) Target { return newRotated(5, 0.1, 3, 2) }
		whole, err := Sample(t.Context(), target, s)
		if err != nil {
			t.Fatal(err)
		}
		want := csv(t, whole.Draws)
		rng := rand.New(rand.NewPCG(3, 4))
		k := &keptInMemory{states: map[int][]byte{}}
		s.Keep = k
		var resumed *Result
		killed, interrupted := 0, 0
		for range ends {
			next := k.saved + 1 + rng.IntN(140)
			ctx, cancel := context.WithCancel(t.Context())
			if rng.IntN(2) == 0 {
				k.kill = func(saved int) bool { return saved >= next }
				killed++
			} else {
				k.kill = func(saved int) bool {
					if saved >= next {
						cancel()
					}
					return false
				}
				interrupted++
			}
			_, err := Sample(ctx, target, s)
			cancel()
			if err != nil && !errors.Is(err, errKilled) && !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
		}
		k.kill = func(int) bool { return false }
		if resumed, err = Sample(t.Context(), target, s); err != nil {
			t.Fatal(err)
		}
		if got := csv(t, resumed.Draws); !bytes.Equal(got, want) {
			t.Errorf("%s: other draws after %d kills and %d interrupts", m, killed, interrupted)
		}
		if k.saved < 700 || k.saved > 900 { // each of 2 × 350 transitions is saved once, except those that were lost
			t.Errorf("%s: %d states were saved", m, k.saved)
		}
		if a, b := resumed.Draws.TotalGradients(), whole.Draws.TotalGradients(); a != b {
			t.Errorf("%s: %d gradients, %d without an end", m, a, b)
		}
	}
}
