package fit

import (
	"context"
	"slices"
	"strings"
	"time"

	"likc/runtime/fit/nuts"
	"likc/runtime/model/bound"
	"likc/runtime/model/kernel"
	"likc/runtime/model/posterior"
	"likc/runtime/num/chains"
	"likc/runtime/num/stream"
	"likc/runtime/sys/workers"
)

// fitter fits subjects with one model and one set of settings. It is safe for concurrent use.
type fitter struct {
	Settings
	spec   *Spec
	binder *bound.Prepared
	alone  bool // there is one subject
	each   int  // threads for a subject
}

// fit fits one subject, and saves what came of it.
func (f *fitter) fit(ctx context.Context, of Subject) *Result {
	start := time.Now()
	r := &Result{Subject: of, whole: f.Record}
	if r.Err = ctx.Err(); r.Err != nil {
		return r
	}
	lik, err := f.binder.Bind(kernel.Trials{Columns: of.Columns, Choice: of.Choice}, bound.Design{})
	if err != nil {
		r.Err = err
		return r
	}
	if r.Err = f.draw(ctx, r, lik); f.binder.Err() != nil {
		return &Result{Subject: of, Err: f.binder.Err()} // what such an engine gave is no draw
	}
	r.took(time.Since(start))
	if r.Summary != nil {
		r.Summary.setTrials(f.spec.Model, &r.Subject)
		r.warnOfCuts()
	}
	f.leaveOut(ctx, r)
	f.lapses(ctx, r)
	if r.Kept() && f.Save != nil {
		r.Unsaved = f.Save(ctx, r, f.each)
	}
	return r
}

// draw finds the mode, or draws from the posterior or the priors.
func (f *fitter) draw(ctx context.Context, r *Result, lik kernel.Sum) error {
	if f.PriorOnly {
		return f.drawPrior(ctx, r)
	}
	post, err := f.spec.Posterior(lik, r.Columns, r.Choice)
	if err != nil {
		return err
	}
	if !f.Mode {
		return f.sample(ctx, r, post)
	}
	mode, err := post.MAPContext(ctx, f.highest(ctx, post, stream.Of(r.Label)))
	if err == nil {
		r.Mode = modeOf(post.Names(), mode)
		r.Mode.Model, r.Mode.Subject, r.Mode.Folder, r.Mode.N = f.spec.Model.Name, r.Label, r.Folder, r.Trials()
		r.Mode.Record = f.Record.of(&r.Subject)
	}
	return err
}

// sample draws, and keeps the chains that did not fail. Of one subject alone it keeps what was drawn until the context ended.
func (f *fitter) sample(ctx context.Context, r *Result, post *posterior.Posterior) error {
	s := f.Sampler
	s.Threads, s.Progress, s.Stream = f.each, nil, stream.Of(r.Label)
	if f.alone {
		s.Progress = f.Chain
	}
	s.Inits = f.startsOf(ctx, post, s.Stream)
	if f.Keep != nil {
		s.Keep = f.Keep(&r.Subject)
	}
	drawn, err := nuts.Sample(ctx, func(int) nuts.Target { return post.Target() }, s)
	if drawn == nil || !f.alone && ctx.Err() != nil {
		return err
	}
	d := drawn.Draws
	d.Chains = slices.DeleteFunc(d.Chains, func(c chains.Chain) bool { return c.Len() == 0 || slices.Contains(drawn.Failed, c.ID) })
	if len(d.Chains) == 0 {
		return err
	}
	d.Run.Model = f.spec.Model.Name
	post.ConstrainDraws(d)
	r.describe(ctx, d, s, drawn.Failed)
	r.Summary.Record = f.Record.of(&r.Subject)
	r.lean(f.spec.leaning(post, r.Draws.Common()))
	return err
}

// lean notes what leans on an end of its range.
func (r *Result) lean(all []Lean) {
	for _, l := range all {
		r.Summary.Leaning = append(r.Summary.Leaning, l)
		r.Summary.Warnings = append(r.Summary.Warnings, l.String())
	}
}

// grace is how long a summary may go on after the context has ended.
const grace = 400 * time.Millisecond

// describe says what the draws are worth: those that all chains have.
func (r *Result) describe(ctx context.Context, d *chains.Draws, s nuts.Settings, failed []int) {
	late, cancel := workers.Afterwards(ctx, grace)
	defer cancel()
	common := d.Common()
	summaries := common.SummariseContext(late)
	r.Draws, r.Findings = d, common.Diagnose(summaries)
	r.Summary = &Summary{Format: Format, Model: d.Run.Model, Subject: r.Label, Folder: r.Folder, N: r.Trials(), Seed: s.Seed,
		Params: summaries, Chains: len(common.Chains), Draws: common.Len(), FailedChains: failed,
		Divergences: common.Divergences(), Gradients: d.TotalGradients(), Warnings: problems(r.Findings)}
	r.Summary.Partial = len(d.Chains) < s.NumChains
	for i := range d.Chains {
		n := d.Chains[i].Len()
		r.Summary.DrawsPerChain = append(r.Summary.DrawsPerChain, n)
		r.Summary.Partial = r.Summary.Partial || n < s.NumSamples
	}
}

// warnOfCuts warns of trials that were dropped for their response times.
func (r *Result) warnOfCuts() {
	if r.Summary.Record != nil && !r.Summary.PriorOnly {
		r.Summary.Warnings = append(r.Summary.Warnings, CutWarnings(r.Summary.Data)...)
	}
}

// problems are the texts of the findings that are not as they should be, a line each.
func problems(d chains.Diagnosis) []string {
	all := []string{}
	for _, f := range d {
		if !f.OK {
			all = append(all, strings.Join(strings.Fields(f.Text), " "))
		}
	}
	return all
}

// took notes how long the fit took.
func (r *Result) took(d time.Duration) {
	if r.Summary != nil {
		r.Summary.Seconds = d.Seconds()
	}
	if r.Mode != nil {
		r.Mode.Seconds = d.Seconds()
	}
}
