package fit

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"likc/runtime/fit/nuts"
	"likc/runtime/model/bound"
	"likc/runtime/model/lapse"
	"likc/runtime/num/chains"
	"likc/runtime/num/stream"
	"likc/runtime/sys/workers"
)

// Run fits the subjects, several at a time, and returns a result for each, in their order. Run itself returns no error: each
// result has its own. When the context ends, unfinished subjects are dropped, but a single subject keeps the draws made so far.
func Run(ctx context.Context, spec *Spec, b *bound.Prepared, subjects []Subject, s Settings) []*Result {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	f := &fitter{spec: spec, binder: b, Settings: s, single: len(subjects) == 1, threads: 1}
	if f.single {
		f.threads = cmp.Or(s.Threads, runtime.GOMAXPROCS(0))
	}
	out := make([]*Result, len(subjects))
	var done atomic.Int64
	all := context.WithoutCancel(ctx) // subjects that start after the end of ctx report that themselves
	workers.Do(all, len(subjects), s.Threads, func(_, i int) {
		out[i] = f.fit(ctx, subjects[i])
		if out[i].Unsaved != nil {
			stop()
		}
		if s.Finished != nil && !f.single {
			s.Finished(int(done.Add(1)), len(subjects))
		}
	})
	return out
}

// fitter fits subjects with one model and one set of settings. It is safe for concurrent use.
type fitter struct {
	Settings
	spec    *Spec
	binder  *bound.Prepared
	single  bool // whether there is only one subject
	threads int  // number of threads for each subject
}

// fit fits one subject, and saves its result.
func (f *fitter) fit(ctx context.Context, of Subject) *Result {
	start := time.Now()
	r := &Result{Subject: of, recordOfAll: f.Record}
	if r.Err = ctx.Err(); r.Err != nil {
		return r
	}
	switch {
	case f.PriorOnly:
		r.Err = f.drawPriors(ctx, r)
	case f.Mode:
		r.Err = f.findMode(ctx, r)
	default:
		r.Err = f.sample(ctx, r)
	}
	if f.binder.Err() != nil {
		return &Result{Subject: of, Err: f.binder.Err()} // numbers from an engine that failed are not draws
	}
	if r.Summary != nil {
		f.completeSummary(ctx, r, start)
	}
	if r.Mode != nil {
		r.Mode.Seconds = time.Since(start).Seconds()
	}
	if r.Kept() && f.Save != nil {
		r.Unsaved = f.Save(ctx, r, f.threads)
	}
	return r
}

// findMode finds the mode of the parameters, or of the coefficients of formulas.
func (f *fitter) findMode(ctx context.Context, r *Result) (err error) {
	if r.Study, err = f.spec.Study(f.binder, &r.Subject); err != nil {
		return err
	}
	mode, err := f.mode(ctx, r)
	if err != nil {
		return err
	}
	r.Mode = modeOf(r.Study.Names(), mode)
	r.Mode.Model, r.Mode.Subject, r.Mode.Folder, r.Mode.N = f.spec.Model.Name, r.Label, r.Folder, r.Trials()
	r.Mode.Record = f.Record.forSubject(&r.Subject)
	if r.Study.Varies() {
		r.Mode.Cells, err = modeCells(r.Study, mode.Theta)
	}
	return err
}

// sample draws from the posterior, and keeps the chains that did not fail. For a single subject, it keeps the draws made until
// the context ended.
func (f *fitter) sample(ctx context.Context, r *Result) (err error) {
	if r.Study, err = f.spec.Study(f.binder, &r.Subject); err != nil {
		return err
	}
	prepared, err := r.Study.Prepare(ctx)
	if err != nil {
		return err
	}
	prepared.Limit = f.Limit
	s := f.Sampler
	s.Threads, s.Progress, s.Stream = f.threads, nil, stream.Of(r.Label)
	if f.single {
		s.Progress = f.Chain
	}
	if s.Inits, err = f.starts(ctx, r); err != nil {
		return err
	}
	if f.Keep != nil {
		s.Keep = f.Keep(&r.Subject)
	}
	drawn, err := prepared.Sample(ctx, s)
	if drawn == nil || !f.single && ctx.Err() != nil {
		return err
	}
	d := drawn.Draws
	d.Chains = slices.DeleteFunc(d.Chains, func(c chains.Chain) bool { return c.Len() == 0 || slices.Contains(drawn.Failed, c.ID) })
	if len(d.Chains) == 0 {
		return err
	}
	d.Run.Model = f.spec.Model.Name
	r.describe(ctx, d, s, drawn.Failed)
	r.Summary.Gradients += prepared.Gradients
	return err
}

// completeSummary adds the parts of a summary that need more than draws: its record, cells of a design, PSIS-LOO, lapses and
// warnings.
func (f *fitter) completeSummary(ctx context.Context, r *Result, start time.Time) {
	s := r.Summary
	s.Record = f.Record.forSubject(&r.Subject)
	s.setTrials(f.spec.Model, &r.Subject)
	if r.Study.Varies() {
		r.setCells()
		s.Regression = r.Study.Record()
	}
	s.Seconds = time.Since(start).Seconds()
	if !s.PriorOnly {
		r.advise(r.Study.Settings(f.Sampler).Delta)
		d := r.Draws.Common()
		s.Leaning, s.Pulls = leaning(f.spec.Model, r.Study, d), pulls(r.Study, d)
		for _, l := range s.Leaning {
			s.Warnings = append(s.Warnings, l.String())
		}
		if s.Record != nil {
			s.Warnings = append(s.Warnings, CutWarnings(s.Data)...)
		}
		s.Warnings = append(s.Warnings, strays(f.spec.Model, r.Study, d)...)
		for _, p := range s.Pulls {
			s.Warnings = append(s.Warnings, p.String())
		}
		if f.LOO {
			f.leaveOut(ctx, r)
		}
	}
	if l, ok := lapse.Of(f.binder); ok {
		f.lapses(ctx, r, l)
	}
}

// grace is how long a summary may continue after the context has ended.
const grace = 400 * time.Millisecond

// describe summarises and diagnoses the draws that all chains have.
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

// problems returns the texts of the findings that are faults, one on each line.
func problems(d chains.Diagnosis) []string {
	all := []string{}
	for _, f := range d {
		if !f.OK {
			all = append(all, strings.Join(strings.Fields(f.Text), " "))
		}
	}
	return all
}
