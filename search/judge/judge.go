// Package judge fits candidates to banks of simulated subjects with NUTS and says whether they give the parameters back.
//
// A candidate passes if, for every parameter, posterior means correlate with the truth above 0.5 and fewer than half of
// them lie within 1% of a bound of Θ: what the search's cheap proxy cannot fake, since nothing of the search is used here.
package judge

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"likc/runtime/chains"
	"likc/runtime/likelihood"
	"likc/runtime/nuts"
	"likc/runtime/posterior"
	"likc/search/bank"
)

// Candidate is a likelihood to judge.
type Candidate struct {
	Name   string
	Params []string // in the order of the likelihood's parameters; the bank must know them all
	Bind   func(bank.Subject) (Problem, error)
}

// Problem is one subject's likelihood, and the ranges and priors of its parameters as the subject's trials leave them. It
// is closed when the subject is fitted; Close may be nil.
type Problem struct {
	likelihood.Likelihood
	Params []posterior.Parameter
	Close  func() error
}

// Settings of the fits.
type Settings struct {
	Chains, Warmup, Draws int
	Seed                  uint64
	Threads               int                    // subjects at a time
	Metric                nuts.Metric            // "" is the sampler's default
	Progress              func(done, of int)     // nil for none; called from several goroutines
	Prepare               func(s *nuts.Settings) // changes what else there is to change; nil for nothing
}

// DefaultSettings are the paper's: 500 draws after 500 of warm-up, in two chains.
func DefaultSettings() Settings {
	return Settings{Chains: 2, Warmup: 500, Draws: 500, Seed: 1, Threads: 1}
}

// Fit is what came of one subject.
type Fit struct {
	Subject     int
	Trials      int
	Rarer       int // responses at the boundary that has fewer
	Truth       []float64
	Mean, SD    []float64 // of the posterior; NaN if the fit failed
	Rhat        float64   // worst of all parameters
	ESSBulk     float64   // least
	Divergences int
	Gradients   int
	Err         error

	timing timing
}

// Judge fits every subject of the bank with the candidate. Results do not depend on the number of threads. It returns an
// error if the candidate does not fit the bank, or with the context's error when that ends; a subject that cannot be fitted
// is no error, but is counted against the candidate.
func Judge(ctx context.Context, c Candidate, b *bank.Bank, s Settings) (*Verdict, error) {
	columns, err := truthColumns(c, b)
	if err != nil {
		return nil, err
	}
	if len(b.Subjects) == 0 {
		return nil, errors.New("judge: the bank has no subject")
	}
	start := processSeconds()
	fits := make([]Fit, len(b.Subjects))
	var next, done atomic.Int64
	var workers sync.WaitGroup
	for range min(max(s.Threads, 1), len(fits)) {
		workers.Go(func() {
			runtime.LockOSThread() // for threadSeconds
			defer runtime.UnlockOSThread()
			for i := int(next.Add(1)) - 1; i < len(fits) && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				fits[i] = fitSubject(ctx, c, b.Subjects[i], columns, s)
				if s.Progress != nil {
					s.Progress(int(done.Add(1)), len(fits))
				}
			}
		})
	}
	workers.Wait()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	v := newVerdict(c, b, columns, fits)
	v.Timing = newTiming(fits, processSeconds()-start)
	return v, nil
}

// truthColumns says where each parameter of the candidate is among the bank's.
func truthColumns(c Candidate, b *bank.Bank) ([]int, error) {
	columns := make([]int, len(c.Params))
	for i, name := range c.Params {
		columns[i] = slices.IndexFunc(b.Settings.Params, func(r bank.Range) bool { return r.Name == name })
		if columns[i] < 0 {
			return nil, fmt.Errorf("judge: %s has a parameter %s, of which the bank has no true values", c.Name, name)
		}
	}
	return columns, nil
}

func fitSubject(ctx context.Context, c Candidate, s bank.Subject, columns []int, settings Settings) Fit {
	f := Fit{Subject: s.ID, Trials: len(s.RT), Rarer: rarer(s.Choice), Rhat: math.NaN(), ESSBulk: math.NaN()}
	for _, k := range columns {
		f.Truth = append(f.Truth, s.Theta[k])
		f.Mean, f.SD = append(f.Mean, math.NaN()), append(f.SD, math.NaN())
	}
	start := threadSeconds()
	if len(s.RT) == 0 {
		f.Err = errors.New("no trials")
		return f
	}
	problem, err := c.Bind(s)
	if err != nil {
		f.Err = err
		return f
	}
	if problem.Close != nil {
		defer problem.Close()
	}
	f.timing.binding = threadSeconds() - start
	f.Err = f.draw(ctx, problem, settings)
	return f
}

func rarer(choice []float64) int {
	upper := 0
	for _, c := range choice {
		if c > 0 {
			upper++
		}
	}
	return min(upper, len(choice)-upper)
}

// draw samples the posterior and keeps what the draws say.
func (f *Fit) draw(ctx context.Context, problem Problem, settings Settings) error {
	post, err := posterior.New(problem.Likelihood, problem.Params)
	if err != nil {
		return err
	}
	s := nuts.DefaultSettings()
	s.NumChains, s.NumWarmup, s.NumSamples, s.Threads = settings.Chains, settings.Warmup, settings.Draws, 1
	s.Seed = settings.Seed + uint64(f.Subject)
	if settings.Metric != "" {
		s.Metric = settings.Metric
	}
	if settings.Prepare != nil {
		settings.Prepare(&s)
	}
	result, err := nuts.Sample(ctx, func(int) nuts.Target { return post.Target() }, s)
	if err != nil {
		return err
	}
	d := result.Draws
	post.ConstrainDraws(d)
	start := threadSeconds()
	f.summarise(d)
	f.timing.summaries = threadSeconds() - start
	f.timing.gradient = gradientSeconds(problem, d) * float64(f.Gradients)
	return nil
}

func (f *Fit) summarise(d *chains.Draws) {
	f.Rhat, f.ESSBulk = math.Inf(-1), math.Inf(1)
	for j := range d.Names {
		x := d.Param(j)
		f.Mean[j], f.SD[j] = chains.Mean(x), chains.SD(x)
		f.Rhat = max(f.Rhat, chains.Rhat(x))
		f.ESSBulk = min(f.ESSBulk, chains.BulkESS(x))
	}
	f.Divergences, f.Gradients = d.Divergences(), d.TotalGradients()
}
