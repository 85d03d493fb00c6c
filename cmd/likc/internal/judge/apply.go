package judge

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"likc/cmd/likc/internal/cli"
	"likc/cmd/likc/internal/remote"
	"likc/runtime/fit/formula"
	"likc/runtime/fit/hierarchy"
	"likc/runtime/fit/progress"
	"likc/runtime/model/engine"
	"likc/runtime/model/trials"
	"likc/runtime/sys/interrupt"
	"likc/search/study/applied"
	"likc/search/work/report"

	"github.com/spf13/cobra"
)

// applyFlags are what apply was asked for.
type applyFlags struct {
	data      cli.DataFlags
	sampler   cli.SamplerFlags
	settings  applied.Settings
	engine    string
	reference string
	also      []string
	top       int
	threads   int
	out       string
	asJSON    bool
	resume    bool
	parts     cli.PartFlags
	cluster   remote.Flags
}

func NewApply() *cobra.Command {
	f := &applyFlags{}
	cmd := &cobra.Command{
		Use:   "apply VERDICTS.jsonl… --data DATA --preset NAME -o APPLIED.jsonl",
		Short: "Fit a study of real participants under every expression that recovers all parameters; compare with the exact density",
		Long: `Apply fits one hierarchical regression, a preset or formulas as likc fit takes them, under a reference model, under the models of
--also, and under each expression that passed in VERDICTS.jsonl, as likc judge writes them: the best by their weakest correlation
first, each canonical form once. Then it compares the participants' posterior means with the reference's: the correlation of
ranks, the ratio of their standard deviations, and their shift. Where it says median, that is over the expressions that converged:
all R-hat below 1.01, those of participants too. A parameter counts as at its bound if half of the participants' means, or the one
number that all share, lie within 1 % of an end of the range.

With -o APPLIED.jsonl: the settings, then a fit a line, written as they come. A run that was interrupted goes on when it is
started again with the same arguments. But for the seconds, the file is the same in the end, on any number of threads.
Seconds are those of one core (processor time on Linux) without compiling.

  likc apply verdicts/*.jsonl --data cavanagh_theta_nn.csv.gz --preset cavanagh-full --also wald -o APPLIED.jsonl`,
		Args: f.check,
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args) },
	}
	f.data.Add(cmd)
	f.sampler.Add(cmd)
	f.parts.Add(cmd)
	f.cluster.Add(cmd, "on")
	flags := cmd.Flags()
	flags.Lookup("save-warmup").Hidden = true
	flags.StringVar(&f.settings.Preset, "preset", "", "`NAME` of a study, as likc fit has them")
	flags.StringArrayVar(&f.settings.Formulas, "formula", nil, "`FORMULA` of one parameter, such as 'v ~ 1 + theta + (1 | subj_idx)' (repeatable)")
	flags.StringArrayVar(&f.settings.Links, "link", nil, "`NAME=LINK` of a parameter with a formula: identity, log or logit (repeatable)")
	flags.StringArrayVar(&f.settings.Priors, "prior", nil, "`NAME=PRIOR` of a coefficient, such as 'v_theta=normal(0,1)' (repeatable)")
	flags.StringVar(&f.reference, "reference", "ddm", "`MODEL` to compare with")
	flags.StringArrayVar(&f.also, "also", nil, "`MODEL` that is fitted beside the expressions, such as a teacher's folder (repeatable)")
	flags.IntVar(&f.top, "top", 0, "how many expressions to fit, the best ones; 0: all that passed")
	flags.StringVar(&f.engine, "engine", "", "tree, ir, bound or go, of expressions (default: compiled, built on the fly if need be)")
	flags.IntVar(&f.settings.Limit, "max-gradients", applied.DefaultLimit, "most gradients of a fit; 0: no limit. A fit that needs more counts as one that did not converge")
	flags.IntVar(&f.threads, "threads", 0, "chains at a time; 0: one a processor. Estimates do not depend on it")
	flags.StringVarP(&f.out, "output", "o", "", "`APPLIED.jsonl` to write")
	flags.BoolVar(&f.resume, "resume", false, "go on with the fits in -o; it is done anyway where they are of the same run")
	flags.BoolVar(&f.asJSON, "json", false, "print the comparison as JSON instead of tables")
	cmd.MarkFlagsMutuallyExclusive("formula", "preset")
	return cmd
}

// check finds what is wrong with the arguments before anything is read.
func (f *applyFlags) check(cmd *cobra.Command, args []string) error {
	err := cmp.Or(
		cli.Within("--top", f.top, 0, mostTop),
		cli.Within("--max-gradients", f.settings.Limit, 0, mostGradients),
		cli.Within("--threads", f.threads, 0, cli.MaxThreads))
	switch {
	case len(args) == 0:
		return cli.Usagef("apply: wants VERDICTS.jsonl…, as likc judge writes them")
	case f.settings.Preset == "" && len(f.settings.Formulas) == 0:
		return cli.Usagef("apply: wants a study: --preset NAME or --formula")
	case err != nil:
		return err
	case f.resume && f.out == "":
		return cli.Usagef("--resume: wants -o APPLIED.jsonl")
	}
	if f.settings.Engine, err = engine.Parse(f.engine); err != nil {
		return cli.Usagef("--engine %w", err)
	}
	return cmp.Or(f.cluster.CheckParts(&f.parts, &f.out, "APPLIED.jsonl"), cli.CheckPlace("--output", f.out))
}

// job reads what is to be fitted.
func (f *applyFlags) job(cmd *cobra.Command, args []string) (*applied.Job, error) {
	n, err := f.sampler.Settings()
	if err != nil {
		return nil, err
	}
	s := &f.settings
	s.Chains, s.Warmup, s.Draws, s.Seed, s.Sampler = n.NumChains, n.NumWarmup, n.NumSamples, n.Seed, n
	if s.Group = f.data.Subject; s.Group == "" {
		s.Group = "subj_idx"
	}
	all, err := applied.Named(slices.Concat([]string{f.reference}, f.also), cli.ReadModel)
	if err != nil {
		return nil, err
	}
	spec, err := s.Spec(all[0].Model)
	if err != nil {
		return nil, cli.Usagef("--%w", err)
	}
	passed, err := interrupt.Reading(func() ([]applied.Candidate, error) { return applied.Passing(args, f.top, cli.ReadModel) })
	if err != nil {
		return nil, err
	}
	if all = append(all, passed...); len(passed) == 0 {
		fmt.Fprintln(cmd.ErrOrStderr(), "likc: note: no expression passed: only models are fitted")
	}
	if err := applied.Check(all, s); err != nil {
		return nil, err
	}
	f.data.Several()
	table, err := f.data.ReadWith(all[0].Model, spec.Columns(), cmd.ErrOrStderr())
	if err != nil {
		return nil, err
	}
	return f.jobOn(table, all)
}

// jobOn is the job on a table. It refuses formulas that do not suit the data before anything is fitted.
func (f *applyFlags) jobOn(table *trials.Table, all []applied.Candidate) (*applied.Job, error) {
	j := &applied.Job{Settings: f.settings, Data: hierarchy.DataOf(table), Sum: table.Source.SHA256, Candidates: all, Threads: f.threads,
		Output: f.out, Part: f.parts.Part}
	if err := j.Check(); errors.As(err, new(*formula.Error)) {
		return nil, cli.Usagef("--formula: %w", err)
	} else if err != nil {
		return nil, err
	}
	return j, nil
}

func (f *applyFlags) run(cmd *cobra.Command, args []string) (err error) {
	j, err := f.job(cmd, args)
	if err != nil {
		return err
	}
	work := remote.Work{Out: f.out, Parts: applied.CountParts(len(j.Candidates)), Result: "APPLIED.jsonl", Resume: "APPLIED.jsonl"}
	j.Elsewhere = f.cluster.Elsewhere(cmd, &f.parts, work)
	defer f.cluster.Tidy(f.out, &err)
	bars := progress.NewBars(cmd.ErrOrStderr())
	j.Progress = bars.Subjects
	all, err := j.Run(cmd.Context())
	bars.Close()
	if err != nil {
		return f.ended(cmd, j, len(all), err)
	}
	if j.Part.N > 0 {
		return nil
	}
	summary := applied.Compare(j.Header(), all)
	if f.asJSON {
		return cli.PrintJSON(cmd.OutOrStdout(), summary)
	}
	return report.PrintApplied(cmd.OutOrStdout(), summary)
}

// ended returns err, or for an interrupted run how to continue it.
func (f *applyFlags) ended(cmd *cobra.Command, j *applied.Job, done int, err error) error {
	switch {
	case cmd.Context().Err() == nil || f.cluster.OnCluster():
		return err
	case f.out == "":
		return fmt.Errorf("interrupted: %d of %d fits were done; with -o APPLIED.jsonl they would have been kept", done, len(j.Candidates))
	}
	return fmt.Errorf("interrupted: %d of %d fits are kept in %s; start again with the same arguments to go on", done, len(j.Candidates), f.out)
}
