// Package judge measures how well expressions recover parameters. It fits each candidate to a bank of simulated subjects with NUTS.
//
// A candidate passes if two conditions hold for every parameter. Posterior means correlate with the true values above 0.5, and fewer
// than half of the means lie within 1 % of a bound of the range Θ. A search cannot adapt to this test, because the judge shares
// no code with the search's own estimate of recovery.
//
// With a [Reference], such as the exact density, a verdict also says whether the estimates are near the truth and whether intervals can
// be trusted.
//
// [Run] judges thousands of candidates. It compiles them in batches and fits subjects on all cores. The verdicts do not depend on the
// number of threads, nor on interruptions.
package judge

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"likc/runtime/fit/nuts"
	"likc/runtime/model/bound"
	"likc/runtime/model/timing"
	"likc/search/study"
	"likc/search/study/bank"
)

// Candidate is a likelihood to judge.
type Candidate struct {
	Name   string
	Params []string // names of the likelihood's parameters that are judged, which come first in its order; the bank must have their true values
	Bind   study.Bind
}

// Settings determine how candidates are fitted.
type Settings struct {
	study.Sampling
	Seed         uint64
	Threads      int                    // number of subjects fitted at the same time
	Metric       nuts.Metric            // "" means the sampler's default
	MaxGradients int                    // largest number of gradients of a fit; 0: no limit
	Init         float64                // chains start at uniform points in (-Init, Init) on the unconstrained scale; 0 is the middle of each range
	Screen       bool                   // whether to find posterior modes instead of drawing with NUTS; this needs a hundredth of the time
	Fits         bool                   // whether a verdict keeps every subject's fit
	Progress     func(done, total int)  // nil for none; called from one goroutine at a time
	Prepare      func(s *nuts.Settings) // changes further settings of the sampler; nil: no change
	Engine       bound.Engine           // engine for the entries of a run; "" compiles them
	Reference    *Reference             // model with which estimates are compared; nil for none
}

// DefaultMaxGradients is about three times the largest number of gradients that a good expression or the exact density needs for
// a fit. That number is 25,000 to 36,000 for two chains of 1,000 iterations, with a median of 11,000. For an expression with
// cusps, chains hardly move and use up any limit: with 200,000 gradients, one fit took ten minutes.
const DefaultMaxGradients = 90_000

// DefaultSettings returns the paper's settings: two chains of 500 draws after 500 of warm-up. They start in (-1, 1), as PyMC's
// chains do. Chains that start further from the middle end more often in a second, less probable mode.
func DefaultSettings() Settings {
	return Settings{Sampling: study.Sampling{Chains: 2, Warmup: 500, Draws: 500}, Seed: 1, Threads: 1, MaxGradients: DefaultMaxGradients, Init: 1, Fits: true}
}

// Judge fits every subject of the bank with the candidate. Results do not depend on the number of threads. It returns an error if
// the candidate does not fit the bank, or the context's error when the context ends. A subject that cannot be fitted is not an
// error; it counts against the candidate.
func Judge(ctx context.Context, c Candidate, b *bank.Bank, s Settings) (*Verdict, error) {
	if _, err := truthColumns(c, b); err != nil {
		return nil, err
	}
	var v *Verdict
	used := timing.ProcessSeconds()
	err := fitAll(ctx, []Candidate{c}, b, s, func(_ int, got *Verdict) error { v = got; return nil })
	if err != nil {
		return nil, err
	}
	v.Timing.Total = timing.ProcessSeconds() - used
	return v, nil
}

// truthColumns returns the index of each of the candidate's parameters among the bank's parameters.
func truthColumns(c Candidate, b *bank.Bank) ([]int, error) {
	if len(b.Subjects) == 0 {
		return nil, errors.New("the bank has no subject")
	}
	columns := make([]int, len(c.Params))
	for i, name := range c.Params {
		columns[i] = slices.IndexFunc(b.Settings.Params, func(r bank.Range) bool { return r.Name == name })
		if columns[i] < 0 {
			return nil, fmt.Errorf("%s: the bank has no true values of its parameter %s", c.Name, name)
		}
	}
	return columns, nil
}

// PerPart returns the number of candidates in a part of a run that several machines share. With short expressions, such a part
// takes one processor about half a minute. With the default chains it is 20, with longer chains fewer, and for posterior modes
// 500.
func (s Settings) PerPart() int {
	if s.Screen {
		return 500
	}
	return max(1, 20*2000/(s.Chains*(s.Warmup+s.Draws)))
}
