package main

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"slices"
	"time"

	"likc/runtime/chains"
	"likc/runtime/nuts"
	"likc/runtime/posterior"
	"likc/runtime/trials"

	"github.com/spf13/cobra"
)

// fitFlags are what fit was asked for.
type fitFlags struct {
	data      dataFlags
	sampler   samplerFlags
	engine    string
	priors    []string
	dir       string
	threads   int
	mode      bool
	asJSON    bool
	png       bool
	noFigures bool
}

func newFit() *cobra.Command {
	f := &fitFlags{}
	cmd := &cobra.Command{
		Use:   "fit MODEL --data DATA",
		Short: "Bayesian fit of one subject or of many, by NUTS",
		Long: `Fit draws from the posterior of a model's parameters, given the trials of one subject: all rows of the data, those of
--only ID, or with --subject COLUMN those of each subject in turn, in parallel.

Priors are uniform over each parameter's range unless --prior says otherwise:
  --prior 'v=normal(0,2)' --prior 'a=gamma(mean=1.5,sd=0.75)' --prior 't=halfnormal(0.5)'
Families: uniform, normal, halfnormal, halfcauchy, gamma, beta, exponential, weibull. A prior is cut to the range. A
parameter that the model's support bounds by the data, as t < rt does, is cut to that bound as well.

With -o DIR: DIR/summary.json, DIR/chain_K.csv in Stan's form, and figures; with many subjects a folder for each, and
DIR/subjects.csv with a row for each. DIR appears whole, or not at all.`,
		Args: exactly("MODEL"),
		RunE: func(cmd *cobra.Command, args []string) error { return runFit(cmd, args[0], f) },
	}
	f.data.add(cmd)
	f.sampler.add(cmd)
	flags := cmd.Flags()
	flags.StringVar(&f.engine, "engine", "", "tree, ir, bound or go (default: the fastest that is ready)")
	flags.StringArrayVar(&f.priors, "prior", nil, "`NAME=PRIOR` of one parameter (repeatable; default: uniform over its range)")
	flags.StringVarP(&f.dir, "output", "o", "", "`DIR` for draws, summaries and figures")
	flags.IntVar(&f.threads, "threads", 0, "processors to use; 0: all. Draws do not depend on it")
	flags.BoolVar(&f.mode, "map", false, "find the posterior mode instead, with Laplace's standard deviations")
	flags.BoolVar(&f.asJSON, "json", false, "print JSON")
	flags.BoolVar(&f.png, "png", false, "write figures as PNG too")
	flags.BoolVar(&f.noFigures, "no-figures", false, "write no figures")
	return cmd
}

// job is one subject to fit.
type job struct {
	label   string // "" for all rows of a file
	columns [][]float64
	choice  []float64
}

func (j *job) trials() int {
	if len(j.columns) > 0 {
		return len(j.columns[0])
	}
	return len(j.choice)
}

// fitted is what came of a job.
type fitted struct {
	job
	draws     *chains.Draws // of the parameters; nil if there are none, or if a mode was asked for
	summaries []chains.Summary
	mode      *posterior.Mode
	seconds   float64
	err       error // some or all of it failed
}

// stopped says that the user interrupted the fit.
func (f *fitted) stopped() bool { return errors.Is(f.err, context.Canceled) }

// whole says that nothing is missing.
func (f *fitted) whole() bool { return f.err == nil && (f.draws != nil || f.mode != nil) }

func runFit(cmd *cobra.Command, name string, f *fitFlags) error {
	src, err := readModel(name)
	if err != nil {
		return err
	}
	priors, err := parsePriors(src, f.priors)
	if err != nil {
		return err
	}
	settings, err := f.sampler.settings()
	if err != nil {
		return err
	}
	if f.threads < 0 {
		return usagef("--threads %d: want 0 or more", f.threads)
	}
	if err := checkFitFolder(f.dir); err != nil {
		return err
	}
	table, err := f.data.read(src, cmd.ErrOrStderr())
	if err != nil {
		return err
	}
	r := &fitRun{fitFlags: f, src: src, priors: priors, settings: settings, stderr: cmd.ErrOrStderr(), stdout: cmd.OutOrStdout()}
	jobs := r.jobs(table)
	for i := range jobs { // before anything is drawn
		if _, err := parameters(src, priors, jobs[i].columns, jobs[i].choice); err != nil {
			return jobs[i].errorf(err)
		}
	}
	return r.finish(r.all(cmd.Context(), jobs))
}

func (j *job) errorf(err error) error {
	if j.label == "" {
		return err
	}
	return fmt.Errorf("subject %s: %w", j.label, err)
}

// fitRun fits subjects with one model and one set of flags.
type fitRun struct {
	*fitFlags
	src            source
	priors         map[string]posterior.Prior
	settings       nuts.Settings
	many           bool
	stdout, stderr io.Writer
}

// jobs are the subjects to fit.
func (r *fitRun) jobs(t *trials.Table) []job {
	r.many = r.data.subject != "" && r.data.only == ""
	if !r.many {
		return []job{{label: r.data.only, columns: t.Columns, choice: t.Choice}}
	}
	jobs := make([]job, len(t.Subjects))
	for i, s := range t.Subjects {
		jobs[i].label = s.Label
		jobs[i].columns, jobs[i].choice = t.Of(s)
	}
	return jobs
}

// one fits one subject.
func (r *fitRun) one(ctx context.Context, j job, threads int, progress func(nuts.Progress)) *fitted {
	start := time.Now()
	out := &fitted{job: j}
	if out.err = ctx.Err(); out.err != nil {
		return out
	}
	params, err := parameters(r.src, r.priors, j.columns, j.choice)
	if err != nil {
		out.err = err
		return out
	}
	lik, err := bind(r.engine, r.src, j.columns, j.choice)
	if err != nil {
		out.err = err
		return out
	}
	defer lik.Close()
	post, err := posterior.New(lik, params)
	if err != nil {
		out.err = err
		return out
	}
	if r.fitFlags.mode {
		out.mode, out.err = post.MAPContext(ctx, nil)
	} else {
		r.sample(ctx, out, post, threads, progress)
	}
	out.err = errors.Join(out.err, lik.Err())
	out.seconds = time.Since(start).Seconds()
	return out
}

// sample draws, and keeps what was drawn if it could not go on.
func (r *fitRun) sample(ctx context.Context, out *fitted, post *posterior.Posterior, threads int, progress func(nuts.Progress)) {
	s := r.settings
	s.Threads, s.Progress, s.Seed = threads, progress, subjectSeed(s.Seed, out.label)
	result, err := nuts.Sample(ctx, func(int) nuts.Target { return post.Target() }, s)
	out.err = err
	if result == nil || result.Draws.Len() == 0 {
		return
	}
	d := result.Draws
	d.Chains = slices.DeleteFunc(d.Chains, func(c chains.Chain) bool { return c.Len() == 0 })
	d.Run.Model = r.src.Name
	post.ConstrainDraws(d)
	out.draws, out.summaries = d, d.Summarise()
}

// subjectSeed gives every subject draws of its own, the same ones alone and among others.
func subjectSeed(seed uint64, label string) uint64 {
	if label == "" {
		return seed
	}
	h := fnv.New32a()
	io.WriteString(h, label)
	return (seed ^ uint64(h.Sum32())) & (1<<32 - 1) // what Stan's readers take for a seed
}
