package fit

import (
	"context"
	"errors"
	"fmt"
	"likc/cmd/likc/internal/cli"
	"likc/runtime/chains"
	"likc/runtime/likelihood"
	"likc/runtime/nuts"
	"likc/runtime/posterior"
	"slices"
	"time"
)

// job is one subject to fit.
type job struct {
	label   string // "" for all rows of a file
	folder  string // its own in the folder of many
	columns [][]float64
	choice  []float64
}

func (j *job) trials() int {
	if len(j.columns) > 0 {
		return len(j.columns[0])
	}
	return len(j.choice)
}

func (j *job) errorf(err error) error {
	if j.label == "" {
		return err
	}
	return fmt.Errorf("subject %s: %w", j.label, err)
}

// fitted is what came of a job.
type fitted struct {
	job
	draws     *chains.Draws // of the parameters; nil once they are written
	summary   *fitSummary   // nil if there are no draws, or if a mode was asked for
	summaries []chains.Summary
	findings  chains.Diagnosis
	mode      *posterior.Mode
	params    []string // their names
	seconds   float64
	err       error // some or all of it failed
	written   error // of the files
	figures   error // of figures that could not be drawn
}

// stopped says that the user interrupted the fit.
func (f *fitted) stopped() bool { return errors.Is(f.err, context.Canceled) }

// kept says that there is something to show.
func (f *fitted) kept() bool { return f.summary != nil || f.mode != nil }

// undetermined are the parameters of a mode that the data do not determine.
func (f *fitted) undetermined() (names []string) {
	if f.mode == nil {
		return nil
	}
	for i, level := range f.mode.Level {
		if level {
			names = append(names, f.params[i])
		}
	}
	return names
}

// whole says that nothing is missing.
func (f *fitted) whole() bool { return f.err == nil && f.kept() }

// one fits one subject, and writes its files.
func (r *fitRun) one(ctx context.Context, j job, threads int, progress func(nuts.Progress)) *fitted {
	start := time.Now()
	out := &fitted{job: j, params: r.src.ParamNames()}
	if out.err = ctx.Err(); out.err != nil {
		return out
	}
	lik, err := r.binder.Bind(j.columns, j.choice)
	if err != nil {
		out.err = err
		return out
	}
	if out.err = r.draw(ctx, out, lik, threads, progress); r.binder.Err() != nil {
		return &fitted{job: j, err: r.binder.Err()} // what such an engine gave is no draw
	}
	out.seconds = time.Since(start).Seconds()
	if out.summary != nil {
		out.summary.Seconds = out.seconds
	}
	if out.kept() && r.folder != nil {
		r.write(ctx, out, threads)
	}
	return out
}

// draw finds the mode, or draws.
func (r *fitRun) draw(ctx context.Context, out *fitted, lik likelihood.Likelihood, threads int, progress func(nuts.Progress)) error {
	params, err := r.src.Parameters(r.priors, out.columns, out.choice)
	if err != nil {
		return err
	}
	post, err := posterior.New(lik, params)
	if err != nil {
		return err
	}
	if r.mode {
		out.mode, err = post.MAPContext(ctx, nil)
		return err
	}
	return r.sample(ctx, out, post, threads, progress)
}

// sample draws, and keeps the chains that did not fail. Of one subject it keeps what was drawn until an interrupt too.
func (r *fitRun) sample(ctx context.Context, out *fitted, post *posterior.Posterior, threads int, progress func(nuts.Progress)) error {
	s := r.settings
	s.Threads, s.Progress, s.Stream = threads, progress, nuts.StreamOf(out.label)
	result, err := nuts.Sample(ctx, func(int) nuts.Target { return post.Target() }, s)
	if result == nil || r.many && ctx.Err() != nil {
		return err
	}
	d := result.Draws
	d.Chains = slices.DeleteFunc(d.Chains, func(c chains.Chain) bool { return c.Len() == 0 || slices.Contains(result.Failed, c.ID) })
	if len(d.Chains) == 0 {
		return err
	}
	d.Run.Model = r.src.Name
	post.ConstrainDraws(d)
	r.describe(ctx, out, d, result.Failed)
	return err
}

// describe says what the draws are worth: those that all chains have.
func (r *fitRun) describe(ctx context.Context, out *fitted, d *chains.Draws, failed []int) {
	late, cancel := cli.Afterwards(ctx, cli.Grace)
	defer cancel()
	common := d.Common()
	out.draws, out.summaries = d, common.SummariseContext(late)
	out.findings = common.Diagnose(out.summaries)
	out.summary = &fitSummary{Format: summaryFormat, Model: r.src.Name, Subject: out.label, Folder: out.folder, N: out.trials(), Seed: r.settings.Seed,
		Params: out.summaries, Chains: len(common.Chains), Draws: common.Len(), FailedChains: failed,
		Divergences: common.Divergences(), Gradients: d.TotalGradients()}
	out.summary.Partial = len(d.Chains) < r.settings.NumChains
	for i := range d.Chains {
		n := d.Chains[i].Len()
		out.summary.DrawsPerChain = append(out.summary.DrawsPerChain, n)
		out.summary.Partial = out.summary.Partial || n < r.settings.NumSamples
	}
}
