package audit

import (
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"slices"

	"likc/search/bank"
)

// Guesses are fast guesses: response times uniform in a window, choices at random.
type Guesses struct {
	From float64 `json:"from"` // seconds
	To   float64 `json:"to"`

	AfterOnset bool `json:"after_onset,omitempty"` // the window begins at the subject's true non-decision time
}

// Contaminate replaces a share of every subject's trials, picked at random, by guesses; the number of trials stays. Where the
// share is no whole number of trials it is rounded at random, so that it holds on average.
func Contaminate(b *bank.Bank, share float64, g Guesses, seed uint64) *bank.Bank {
	out := *b
	out.Subjects = slices.Clone(b.Subjects)
	onset := slices.IndexFunc(b.Settings.Params, func(p bank.Range) bool { return p.Name == "t" })
	if share == 0 {
		return &out
	}
	for i := range out.Subjects {
		s := &out.Subjects[i]
		key := sha256.Sum256(fmt.Appendf(nil, "guesses %v %d %d", share, seed, s.ID))
		source := rand.NewChaCha8(key)
		rng := rand.New(rand.NewPCG(source.Uint64(), source.Uint64()))
		s.RT, s.Choice = slices.Clone(s.RT), slices.Clone(s.Choice)
		guesses := int(share*float64(len(s.RT)) + rng.Float64())
		for _, k := range rng.Perm(len(s.RT))[:min(guesses, len(s.RT))] {
			s.RT[k] = g.From + (g.To-g.From)*rng.Float64()
			if g.AfterOnset && onset >= 0 {
				s.RT[k] += s.Theta[onset]
			}
			s.Choice[k] = float64(2*rng.IntN(2) - 1)
		}
	}
	return &out
}
