package audit

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"likc/runtime/num/stream"
	"likc/search/study/bank"
)

// Guesses are fast guesses: random choices with response times uniform in a window.
type Guesses struct {
	From float64 `json:"from"` // start of the window, in seconds
	To   float64 `json:"to"`   // end of the window, in seconds

	AfterOnset bool `json:"after_onset,omitempty"` // whether the window begins at the subject's true non-decision time
	OfOnset    bool `json:"of_onset,omitempty"`    // whether From and To are multiples of the non-decision time instead of seconds
}

// fastest is the smallest response time of a guess, in seconds. It matters if the non-decision time is zero.
const fastest = 1e-3

// draw returns one guess of a subject with the non-decision time onset.
func (g Guesses) draw(rng *rand.Rand, onset float64) (rt, choice float64) {
	rt = g.From + (g.To-g.From)*rng.Float64()
	switch {
	case g.AfterOnset:
		rt += onset
	case g.OfOnset:
		rt = max(rt*onset, fastest)
	}
	return rt, float64(2*rng.IntN(2) - 1)
}

// Contaminate replaces a share of every subject's trials, chosen at random, by guesses. A fractional number of trials is rounded at
// random, so that the share holds on average. onset is the index of the parameter at which decisions begin, or -1.
func Contaminate(b *bank.Bank, onset int, share float64, g Guesses, seed uint64) *bank.Bank {
	out := *b
	out.Subjects = slices.Clone(b.Subjects)
	if share == 0 {
		return &out
	}
	for i := range out.Subjects {
		s := &out.Subjects[i]
		rng := stream.Named(fmt.Sprintf("guesses %v %d %d", share, seed, s.ID))
		s.RT, s.Choice = slices.Clone(s.RT), slices.Clone(s.Choice)
		t := 0.0
		if onset >= 0 {
			t = s.Theta[onset]
		}
		guesses := int(share*float64(len(s.RT)) + rng.Float64())
		for _, k := range rng.Perm(len(s.RT))[:min(guesses, len(s.RT))] {
			s.RT[k], s.Choice[k] = g.draw(rng, t)
		}
	}
	return &out
}
