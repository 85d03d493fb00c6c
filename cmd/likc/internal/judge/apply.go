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
	"likc/runtime/model/bound"
	"likc/runtime/model/trials"
	"likc/runtime/sys/interrupt"
	"likc/search/study/applied"
	"likc/search/work/report"

	"github.com/spf13/cobra"
)

// applyFlags are the flags of the command apply.
type applyFlags struct {
	cli.DataFlags    `title:"Data" but:"pool.drop=true"`
	cli.SamplerFlags `title:"Sampler" but:"save-warmup.hidden=true"`
	Preset           string     `flag:"preset" value:"NAME" help:"NAME of a study, as likc fit has them"`
	Formulas         []string   `flag:"formula" value:"FORMULA" not:"preset" help:"FORMULA of one parameter, such as 'v ~ 1 + theta + (1 | subj_idx)' (repeatable)"`
	Links            []string   `flag:"link" value:"NAME=LINK" help:"NAME=LINK of a parameter with a formula: identity, log or logit (repeatable)"`
	Priors           []string   `flag:"prior" value:"NAME=PRIOR" help:"NAME=PRIOR of a coefficient, such as 'v_theta=normal(0,1)' (repeatable)"`
	Reference        string     `flag:"reference" default:"ddm" value:"MODEL" help:"MODEL to compare with"`
	Also             []string   `flag:"also" value:"MODEL" help:"MODEL that is fitted beside the expressions, such as a teacher's folder (repeatable)"`
	Top              int        `flag:"top" in:"[0,1000000]" help:"how many expressions to fit, the best ones; 0: all that passed"`
	Engine           cli.Engine `flag:"engine" help:"tree, ir, bound or go, of expressions (default: compiled, built on the fly if need be)"`
	Limit            int        `flag:"max-gradients" in:"[0,1000000000]" help:"most gradients of a fit; 0: no limit. A fit that needs more counts as one that did not converge"`
	Threads          int        `flag:"threads" in:"[0,4096]" help:"chains at a time; 0: one a processor. Estimates do not depend on it"`
	Out              string     `flag:"output,o" value:"APPLIED.jsonl" help:"APPLIED.jsonl to write"`
	Resume           bool       `flag:"resume" wants:"-o APPLIED.jsonl" help:"go on with the fits in -o; it is done anyway where they are of the same run"`
	JSON             bool       `flag:"json" help:"print the comparison as JSON instead of tables"`
	cli.PartFlags
	remote.Flags `title:"Cluster"`
}

// NewApply returns the command apply.
func NewApply() *cobra.Command {
	return cli.Command(&applyFlags{Limit: applied.DefaultLimit}, &cobra.Command{
		Use:         "apply VERDICTS.jsonl… --data DATA --preset NAME -o APPLIED.jsonl",
		Annotations: cli.KeepsWork,
		Short:       "Fit a study of real participants under every expression that recovers all parameters; compare with the exact density",
		Long: `Fit one hierarchical regression, a preset or formulas as likc fit takes them, under a reference model, under the models of
--also, and under each expression that passed in VERDICTS.jsonl, as likc judge writes them: the best by their weakest correlation
first, each canonical form once. Then compare the participants' posterior means with the reference's: the correlation of
ranks, the ratio of their standard deviations, and their shift. Where it says median, that is over the expressions that converged:
all R-hat below 1.01, those of participants too. A parameter counts as at its bound if half of the participants' means, or the one
number that all share, lie within 1 % of an end of the range.

With -o APPLIED.jsonl: the settings, then a fit a line, written as they come. A run that was interrupted goes on when it is
started again with the same arguments. But for the seconds, the file is the same in the end, on any number of threads.
Seconds are those of one core (processor time on Linux) without compiling.

  likc apply verdicts/*.jsonl --data cavanagh_theta_nn.csv.gz --preset cavanagh-full --also wald -o APPLIED.jsonl`,
		Args: cli.Some("VERDICTS.jsonl…, as likc judge writes them"),
	})
}

// job reads the models and the data that are to be fitted.
func (f *applyFlags) job(cmd *cobra.Command, args []string) (*applied.Job, error) {
	n, err := f.SamplerFlags.Settings()
	if err != nil {
		return nil, err
	}
	s := &applied.Settings{Preset: f.Preset, Formulas: f.Formulas, Links: f.Links, Priors: f.Priors, Group: cmp.Or(f.Subject, "subj_idx"),
		Chains: f.Chains, Warmup: f.Warmup, Draws: f.Draws, Seed: f.Seed, Limit: f.Limit, Engine: bound.Engine(f.Engine), Sampler: n}
	all, err := applied.Named(slices.Concat([]string{f.Reference}, f.Also), cli.ReadModel)
	if err != nil {
		return nil, err
	}
	spec, err := s.Spec(all[0].Model)
	if err != nil {
		return nil, cli.Usagef("--%w", err)
	}
	passed, err := interrupt.WhileReading(func() ([]applied.Candidate, error) { return applied.Passing(args, f.Top, cli.ReadModel) })
	if err != nil {
		return nil, err
	}
	if all = append(all, passed...); len(passed) == 0 {
		fmt.Fprintln(cmd.ErrOrStderr(), "likc: note: no expression passed: only models are fitted")
	}
	if err := applied.Check(all, s); err != nil {
		return nil, err
	}
	f.Several()
	table, err := f.ReadWith(all[0].Model, spec.Columns(), cmd.ErrOrStderr())
	if err != nil {
		return nil, err
	}
	return f.jobOn(table, *s, all)
}

// jobOn returns the job on a table. It refuses formulas that do not suit the data before anything is fitted.
func (f *applyFlags) jobOn(table *trials.Table, s applied.Settings, all []applied.Candidate) (*applied.Job, error) {
	j := &applied.Job{Settings: s, Data: hierarchy.DataOf(table), Sum: table.Source.SHA256, Candidates: all, Threads: f.Threads,
		Output: f.Out, Part: f.Part}
	if err := j.Check(); errors.As(err, new(*formula.Error)) {
		return nil, cli.Usagef("--formula: %w", err)
	} else if err != nil {
		return nil, err
	}
	return j, nil
}

// Run fits the study under all models and prints the comparison.
func (f *applyFlags) Run(cmd *cobra.Command, args []string) (err error) {
	if f.Preset == "" && len(f.Formulas) == 0 {
		return cli.Usagef("apply: needs a study: --preset NAME or --formula")
	}
	if err := cmp.Or(f.CheckParts(&f.PartFlags, &f.Out, "APPLIED.jsonl"), cli.CheckParentFolder("--output", f.Out)); err != nil {
		return err
	}
	j, err := f.job(cmd, args)
	if err != nil {
		return err
	}
	work := remote.Work{Out: f.Out, Parts: applied.CountParts(len(j.Candidates)), Result: "APPLIED.jsonl", Resume: "APPLIED.jsonl"}
	j.Elsewhere = f.Elsewhere(cmd, &f.PartFlags, work)
	defer f.Tidy(f.Out, &err)
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
	if f.JSON {
		return cli.PrintJSON(cmd.OutOrStdout(), summary)
	}
	return report.PrintApplied(cmd.OutOrStdout(), summary)
}

// ended returns err, or for an interrupted run an error that says how to continue it.
func (f *applyFlags) ended(cmd *cobra.Command, j *applied.Job, done int, err error) error {
	switch {
	case cmd.Context().Err() == nil || f.OnCluster():
		return err
	case f.Out == "":
		return fmt.Errorf("interrupted: %d of %d fits were done; with -o APPLIED.jsonl they would have been kept", done, len(j.Candidates))
	}
	return fmt.Errorf("interrupted: %d of %d fits are kept in %s; start again with the same arguments to go on", done, len(j.Candidates), f.Out)
}
