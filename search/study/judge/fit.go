package judge

import (
	"context"
	"errors"
	"fmt"
	"math"

	"likc/runtime/fit/nuts"
	"likc/runtime/model/posterior"
	"likc/runtime/num/chains"
	"likc/search/study/bank"
)

// Fit is what came of one subject.
type Fit struct {
	Subject  int
	Trials   int
	Rarer    int // responses of the choice that has fewest
	Truth    []float64
	Mean, SD []float64 // of the posterior, or its mode; NaN if the fit failed

	// Quantiles of the posterior, at 5, 25, 75 and 95 %: the ends of its central intervals. NaN for modes and if the fit failed.
	Q5, Q25, Q75, Q95 []float64

	Rhat        float64 // worst of all parameters; NaN for modes
	Divergences int
	Gradients   int
	Limited     bool // cut short by the limit on gradients, and judged by the draws until then
	Err         error

	timing timing
}

// worker fits subjects, one at a time, with memory of its own.
type worker struct {
	settings Settings
	codes    []float64 // of the bank's choices
	ranker   ranker
}

func (w *worker) fit(ctx context.Context, c Candidate, s bank.Subject, columns []int) (f Fit) {
	f = Fit{Subject: s.ID, Trials: len(s.RT), Rarer: rarest(s.Choice, w.codes), Rhat: math.NaN()}
	for _, k := range columns {
		f.Truth = append(f.Truth, s.Theta[k])
		for _, figure := range f.figures() {
			*figure = append(*figure, math.NaN())
		}
	}
	start := threadSeconds()
	defer func() {
		if panicked := recover(); panicked != nil { // one candidate's broken code must not end a run of thousands
			f.Err = fmt.Errorf("panic: %v", panicked)
		}
	}()
	if len(s.RT) == 0 {
		f.Err = errors.New("no trials")
		return f
	}
	problem, err := c.Bind(s)
	if err != nil {
		f.Err = err
		return f
	}
	f.timing.binding = threadSeconds() - start
	post, err := posterior.New(problem.Sum, problem.Params)
	switch {
	case err != nil:
		f.Err = err
	case w.settings.Screen:
		f.Err = f.climb(ctx, post)
	default:
		f.Err = w.draw(ctx, &f, post, problem)
	}
	return f
}

// figures are the slices that hold one number a parameter of what a fit found.
func (f *Fit) figures() []*[]float64 {
	return []*[]float64{&f.Mean, &f.SD, &f.Q5, &f.Q25, &f.Q75, &f.Q95}
}

// climb takes the posterior's mode for the estimate.
func (f *Fit) climb(ctx context.Context, post *posterior.Posterior) error {
	mode, err := post.MAPContext(ctx, nil)
	if err != nil {
		return err
	}
	copy(f.Mean, mode.Theta)
	f.Gradients = mode.Gradients
	return nil
}

// draw samples the posterior and keeps what the draws say.
func (w *worker) draw(ctx context.Context, f *Fit, post *posterior.Posterior, problem Problem) error {
	s := w.sampler(f.Subject)
	limit := newAllowance(w.settings, &s)
	result, err := nuts.Sample(ctx, func(int) nuts.Target { return limit.target(post) }, s)
	d := result.Draws
	if f.Limited = errors.Is(err, errLimit); f.Limited && enough(d, s) {
		err = nil
	}
	f.Gradients = d.TotalGradients()
	if err != nil {
		return err
	}
	post.ConstrainDraws(d)
	start := threadSeconds()
	f.Rhat = math.Inf(-1)
	for j := range d.Names {
		x := d.Param(j)
		f.Rhat = max(f.Rhat, w.ranker.rhat(x))
		if j < len(f.Mean) {
			f.Mean[j], f.SD[j] = chains.Mean(x), chains.SD(x)
			sorted := w.ranker.pooled(x)
			f.Q5[j], f.Q25[j] = chains.Quantile(sorted, 0.05), chains.Quantile(sorted, 0.25)
			f.Q75[j], f.Q95[j] = chains.Quantile(sorted, 0.75), chains.Quantile(sorted, 0.95)
		}
	}
	f.Divergences = d.Divergences()
	f.timing.summaries = threadSeconds() - start
	f.timing.gradient = gradientSeconds(problem, d) * float64(f.Gradients)
	return nil
}

func (w *worker) sampler(subject int) nuts.Settings {
	s := w.settings.sampler()
	s.Stream = uint64(subject)
	return s
}

// sampler is what NUTS is given for every subject, but for its stream of random numbers.
func (s Settings) sampler() nuts.Settings {
	n := nuts.DefaultSettings()
	n.NumChains, n.NumWarmup, n.NumSamples, n.Threads, n.Seed = s.Chains, s.Warmup, s.Draws, 1, s.Seed
	if s.Metric != "" {
		n.Metric = s.Metric
	}
	n.Init = s.Init
	if s.Prepare != nil {
		s.Prepare(&n)
	}
	return n
}
