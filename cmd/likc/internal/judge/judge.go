// Package judge holds the commands that judge expressions: judge and sweep.
package judge

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"likc/cmd/likc/internal/cli"
	"likc/cmd/likc/internal/remote"
	"likc/runtime/fit/nuts"
	"likc/runtime/model/bound"
	"likc/runtime/model/honesty"
	"likc/runtime/sys/store"
	"likc/search/study/bank"
	"likc/search/study/judge"

	"github.com/spf13/cobra"
)

// judgeFlags are the flags of the command judge.
type judgeFlags struct {
	Bank       string     `flag:"bank" value:"BANK" help:"folder of the BANK, or one that comes with likc, such as test-60 (required)"`
	Engine     cli.Engine `flag:"engine" help:"tree, ir, bound or go (default: compiled, built on the fly if need be)"`
	Out        string     `flag:"output,o" value:"VERDICTS.jsonl" help:"VERDICTS.jsonl to write"`
	Figures    string     `flag:"figures" value:"DIR" help:"DIR for a scatter plot of truth against estimate of each candidate"`
	Init       float64    `flag:"init" value:"DISTANCE" in:"[0,10]" help:"chains start uniformly within this DISTANCE of the middle of the ranges, unconstrained; 0: there"`
	Reference  string     `flag:"reference" value:"MODEL" help:"MODEL to compare errors and intervals with, such as ddm or a teacher's folder"`
	Threads    int        `flag:"threads" in:"[0,4096]" help:"subjects at a time; 0: one a processor. Results do not depend on it"`
	Limit      int        `flag:"max-gradients" in:"[0,1000000000]" help:"most gradients of a fit; 0: no limit. A fit that is cut short counts by the draws it has"`
	Screen     bool       `flag:"screen" help:"posterior modes instead of NUTS"`
	Fits       bool       `flag:"fits" help:"write every subject's fit into the verdict"`
	Resume     bool       `flag:"resume" help:"go on with the verdicts in -o; it is done anyway where they are of the same run"`
	Force      bool       `flag:"force" help:"write over the verdicts in -o"`
	AllowEmpty bool       `flag:"allow-empty" help:"a front without an expression is no error, and without any candidate -o is an empty file"`
	From       string     `flag:"from" value:"VERDICTS.jsonl" help:"take the best candidates of VERDICTS.jsonl, by the weakest correlation"`
	Top        int        `flag:"top" default:"5" in:"[1,1000000]" help:"how many to take with --from"`
	Compare    string     `flag:"compare" value:"VERDICTS.jsonl" help:"judge nothing, but compare VERDICTS.jsonl with another such file"`
	Pairs      string     `flag:"pairs" value:"VERDICTS.jsonl" not:"compare from bank output screen reference" help:"judge nothing, but compare the estimates of every two candidates of VERDICTS.jsonl, written with --fits"`
	JSON       bool       `flag:"json" help:"print the summary as JSON instead of tables"`

	cli.SamplerFlags `title:"Sampler" but:"chains.default=2 | warmup.default=500 | draws.default=500 | save-warmup.hidden=true"`
	cli.PartFlags
	remote.Flags `title:"Cluster"`
}

// NewJudge returns the command judge.
func NewJudge() *cobra.Command {
	s := judge.DefaultSettings()
	return cli.Command(&judgeFlags{Init: s.Init, Limit: s.MaxGradients}, &cobra.Command{
		Use:         "judge MODEL…|FRONT.jsonl… --bank BANK -o VERDICTS.jsonl",
		Annotations: cli.KeepsWork,
		Short:       "Fit every subject of a bank with NUTS; say whether a model gives the parameters back",
		Example:     `  likc judge found57 --reference ddm --bank test-60`,
		Long: `Fit every subject of a bank with each candidate, compare posterior means with the true parameters, and rank the
candidates by their weakest correlation. A candidate passes if, for every parameter, the correlation is above 0.5 and
fewer than half of the estimates lie within 1 % of a bound of the range that the bank was drawn from.

A high correlation ranks people; it does not make an estimate right. With --reference MODEL, the exact density or a teacher, the
same subjects are fitted with that model too, and each verdict also says how large the errors are beside the reference's, how
wide the posteriors, and how often 50 and 90 % intervals (between quantiles) contain the truth. A candidate is honest if, for every
parameter, ` + honesty.Limits() + `,
each with 95 % certainty. It is not honest if one of these figures lies outside with the same certainty, and otherwise undecided: the verdict then says
how many subjects would decide. 300 subjects often do; 60 seldom.

A candidate is a model, the folder of a teacher, or a line of a front, as likc search writes it. Those with one canonical
form are judged once. A candidate that does not compile, or of which subjects cannot be fitted, gets a verdict that says so.

With --pairs, nothing is judged. It compares every two candidates of a file of verdicts with fits, or only those named: for each
parameter it prints the correlation of their estimates over subjects, the mean difference and the root of the mean squared
difference. With --figures DIR, pairs.svg draws the estimates against each other. Use it to compare an expression with the teacher that
it was distilled from, and both with the exact density.

With -o VERDICTS.jsonl: one candidate a line, in the order of the input, written as they come. A run that was interrupted
goes on when it is started again with the same arguments, and the file is the same in the end.

  likc judge runs/*/FRONT.jsonl --bank testdata/banks/test-60 -o VERDICTS.jsonl
  likc judge wald expr2 --reference ddm --bank holdout-90 -o VERDICTS.jsonl
  likc judge --from VERDICTS.jsonl --top 5 wald --bank testdata/banks/holdout-90 --warmup 2000 --draws 2000 --chains 4
  likc judge runs/*/FRONT.jsonl --screen --bank testdata/banks/screen-40 -o SCREEN.jsonl
  likc judge --compare SCREEN.jsonl VERDICTS.jsonl
  likc judge ddm testdata/teacher/spline expr1 --screen --fits --bank test-60 -o MODES.jsonl
  likc judge --pairs MODES.jsonl ddm testdata/teacher/spline expr1 --figures figures`,
	})
}

// Run judges candidates, or compares verdicts.
func (f *judgeFlags) Run(cmd *cobra.Command, args []string) error {
	switch {
	case f.Compare != "" && len(args) != 1:
		return cli.Usagef("judge --compare A.jsonl: needs one more B.jsonl")
	case f.Compare != "":
		return runCompare(cmd, f.Compare, args[0], f.JSON)
	case f.Pairs != "":
		return runPairs(cmd, f, args)
	}
	if err := f.check(args); err != nil {
		return err
	}
	return runJudge(cmd, args, f)
}

// check returns an error for invalid arguments. It runs before anything is read.
func (f *judgeFlags) check(args []string) error {
	switch {
	case len(args) == 0 && f.From == "":
		return cli.Usagef("judge: needs MODEL…, FRONT.jsonl… or --from VERDICTS.jsonl")
	case f.Bank == "":
		return cli.Usagef("--bank: missing; name the folder of a bank, as likc bank make writes it")
	case (f.Resume || f.Force) && f.Out == "":
		return cli.Usagef("--resume, --force: want -o VERDICTS.jsonl")
	case f.OnCluster() && f.Figures != "":
		return cli.Usagef("--on slurm: draws no figures; leave --figures out")
	case f.Reference != "" && f.Screen:
		return cli.Usagef("--reference: compares posteriors; leave --screen out")
	case f.Resume && f.Force:
		return cli.Usagef("--resume and --force: want one of them")
	}
	return cmp.Or(f.CheckParts(&f.PartFlags, &f.Out, "VERDICTS.jsonl"), cli.CheckParentFolder("--output", f.Out))
}

func (f *judgeFlags) settings() (judge.Settings, error) {
	s := judge.DefaultSettings()
	n, err := f.SamplerFlags.Settings()
	if err != nil {
		return s, err
	}
	s.Threads = cmp.Or(f.Threads, runtime.GOMAXPROCS(0))
	s.Chains, s.Warmup, s.Draws, s.Seed, s.Metric = n.NumChains, n.NumWarmup, n.NumSamples, n.Seed, n.Metric
	s.MaxGradients, s.Init, s.Screen, s.Fits = f.Limit, f.Init, f.Screen, f.Fits
	s.Engine = bound.Engine(f.Engine)
	s.Prepare = func(t *nuts.Settings) { t.Delta, t.MaxDepth = n.Delta, n.MaxDepth }
	return s, nil
}

func runJudge(cmd *cobra.Command, args []string, f *judgeFlags) (err error) {
	job, err := f.job(args)
	if err != nil {
		return err
	}
	if len(job.Entries) == 0 {
		fmt.Fprintln(cmd.ErrOrStderr(), "no expression in any front: nothing to judge")
		return job.WriteNone()
	}
	perPart := job.Settings.PerPart()
	job.Elsewhere = f.Elsewhere(cmd, &f.PartFlags, remote.Work{Out: f.Out, Parts: (len(job.Entries) + perPart - 1) / perPart, Result: "VERDICTS.jsonl", Resume: "VERDICTS.jsonl"})
	defer f.Tidy(f.Out, &err)
	if job.Elsewhere == nil {
		err = f.run(cmd, job)
	} else if err = job.Run(cmd.Context()); err != nil {
		return err
	}
	if len(job.Verdicts) > 0 {
		if werr := f.report(cmd.OutOrStdout(), job); werr != nil {
			return werr
		}
	}
	return f.ended(cmd.Context(), job, err)
}

// job reads the candidates, the bank and the reference.
func (f *judgeFlags) job(args []string) (*judge.Job, error) {
	settings, err := f.settings()
	if err != nil {
		return nil, err
	}
	entries, err := f.entries(args)
	if err != nil {
		return nil, err
	}
	b, folder, err := cli.OpenBank(f.Bank)
	if err != nil {
		return nil, err
	}
	manifest, err := os.ReadFile(filepath.Join(folder, bank.ManifestFile))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Bank, store.Cause(err))
	}
	if err := judge.Check(entries, b); err != nil {
		return nil, err
	}
	if settings.Reference, err = f.readReference(entries, b); err != nil {
		return nil, err
	}
	if f.Given() && len(f.Files) == 0 {
		entries = judge.PartOf(entries, f.Part)
	}
	job := &judge.Job{Entries: entries, Bank: b, Settings: settings, Hash: settings.Hash(b, manifest), Output: f.Out, Force: f.Force, KeepFits: f.Fits}
	job.Settings.Fits = f.Fits || f.Figures != ""
	return job, nil
}
