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
	"likc/runtime/model/engine"
	"likc/runtime/sys/interrupt"
	"likc/runtime/sys/store"
	"likc/search/study/bank"
	"likc/search/study/judge"

	"github.com/spf13/cobra"
)

// judgeFlags are what judge was asked for.
type judgeFlags struct {
	bank, engine, out, figures string
	from, compare, pairs       string
	reference                  string
	sampler                    cli.SamplerFlags
	threads, maxGradients, top int
	init                       float64
	asJSON, screen, fits       bool
	resume, force, allowEmpty  bool
	parts                      cli.PartFlags
	cluster                    remote.Flags
}

func NewJudge() *cobra.Command {
	f := &judgeFlags{}
	cmd := &cobra.Command{
		Use:   "judge MODEL…|FRONT.jsonl… --bank BANK -o VERDICTS.jsonl",
		Short: "Fit every subject of a bank with NUTS; say whether a model gives the parameters back",
		Long: `Judge fits every subject of a bank with each candidate, compares posterior means with the true parameters, and ranks the
candidates by their weakest correlation. A candidate passes if, for every parameter, the correlation is above 0.5 and
fewer than half of the estimates lie within 1% of a bound of the range that the bank was drawn from.

A high correlation ranks people; it does not make an estimate right. With --reference MODEL, the exact density or a teacher, the
same subjects are fitted with that model too, and each verdict also says how large the errors are beside the reference's, how
wide the posteriors, and how often 50 and 90% intervals (between quantiles) hold the truth. A candidate is honest if, for every
parameter, the root mean squared error is below 1.5 times the reference's, and 80 to 97% of the 90% intervals hold the truth, each with
95% certainty. It is not honest if one of these figures lies outside with the same certainty, and else undecided: the verdict then says
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
		Args: f.check,
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.compare != "" {
				return runCompare(cmd, f.compare, args[0], f.asJSON)
			}
			if f.pairs != "" {
				return runPairs(cmd, f, args)
			}
			return runJudge(cmd, args, f)
		},
	}
	f.add(cmd)
	return cmd
}

// add adds the flags to the command.
func (f *judgeFlags) add(cmd *cobra.Command) {
	f.sampler.Add(cmd)
	f.parts.Add(cmd)
	f.cluster.Add(cmd, "on")
	flags := cmd.Flags()
	for name, value := range map[string]string{"chains": "2", "warmup": "500", "draws": "500"} { // the paper's
		flag := flags.Lookup(name)
		flag.DefValue = value
		flag.Value.Set(value)
	}
	flags.Lookup("save-warmup").Hidden = true
	flags.StringVar(&f.bank, "bank", "", "folder of the `BANK`, or one that comes with likc, such as test-60 (required)")
	flags.StringVar(&f.engine, "engine", "", "tree, ir, bound or go (default: compiled, built on the fly if need be)")
	flags.StringVarP(&f.out, "output", "o", "", "`VERDICTS.jsonl` to write")
	flags.StringVar(&f.figures, "figures", "", "`DIR` for a scatter plot of truth against estimate of each candidate")
	flags.Float64Var(&f.init, "init", judge.DefaultSettings().Init, "chains start uniformly within this `DISTANCE` of the middle of the ranges, unconstrained; 0: there")
	flags.StringVar(&f.reference, "reference", "", "`MODEL` to compare errors and intervals with, such as ddm or a teacher's folder")
	flags.IntVar(&f.threads, "threads", 0, "subjects at a time; 0: one a processor. Results do not depend on it")
	flags.IntVar(&f.maxGradients, "max-gradients", judge.DefaultMaxGradients, "most gradients of a fit; 0: no limit. A fit that is cut short counts by the draws it has")
	flags.BoolVar(&f.screen, "screen", false, "posterior modes instead of NUTS")
	flags.BoolVar(&f.fits, "fits", false, "write every subject's fit into the verdict")
	flags.BoolVar(&f.resume, "resume", false, "go on with the verdicts in -o; it is done anyway where they are of the same run")
	flags.BoolVar(&f.force, "force", false, "write over the verdicts in -o")
	flags.BoolVar(&f.allowEmpty, "allow-empty", false, "a front without an expression is no error, and without any candidate -o is an empty file")
	flags.StringVar(&f.from, "from", "", "take the best candidates of `VERDICTS.jsonl`, by the weakest correlation")
	flags.IntVar(&f.top, "top", 5, "how many to take with --from")
	flags.StringVar(&f.compare, "compare", "", "judge nothing, but compare `VERDICTS.jsonl` with another such file")
	flags.StringVar(&f.pairs, "pairs", "", "judge nothing, but compare the estimates of every two candidates of `VERDICTS.jsonl`, written with --fits")
	flags.BoolVar(&f.asJSON, "json", false, "print the summary as JSON instead of tables")
	for _, other := range []string{"compare", "from", "bank", "output", "screen", "reference"} {
		cli.Exclusive(cmd, "pairs", other)
	}
}

// Bounds of flags.
const (
	mostTop       = 1_000_000
	mostGradients = 1_000_000_000
)

// check finds what is wrong with the arguments before anything is read.
func (f *judgeFlags) check(cmd *cobra.Command, args []string) error {
	err := cmp.Or(
		cli.Within("--top", f.top, 1, mostTop),
		cli.Within("--max-gradients", f.maxGradients, 0, mostGradients),
		cli.Within("--init", f.init, 0, 10),
		cli.Within("--threads", f.threads, 0, cli.MaxThreads))
	switch {
	case f.compare != "" && len(args) != 1:
		return cli.Usagef("judge --compare A.jsonl: wants one more B.jsonl")
	case f.compare != "":
		return nil
	case f.pairs != "":
		return nil
	case len(args) == 0 && f.from == "":
		return cli.Usagef("judge: wants MODEL…, FRONT.jsonl… or --from VERDICTS.jsonl")
	case f.bank == "":
		return cli.Usagef("--bank: missing; name the folder of a bank, as likc bank make writes it")
	case err != nil:
		return err
	case (f.resume || f.force) && f.out == "":
		return cli.Usagef("--resume, --force: want -o VERDICTS.jsonl")
	case f.cluster.OnCluster() && f.figures != "":
		return cli.Usagef("--on slurm: draws no figures; leave --figures out")
	case f.reference != "" && f.screen:
		return cli.Usagef("--reference: compares posteriors; leave --screen out")
	case f.resume && f.force:
		return cli.Usagef("--resume and --force: want one of them")
	}
	return cmp.Or(f.cluster.CheckParts(&f.parts, &f.out, "VERDICTS.jsonl"), cli.CheckPlace("--output", f.out))
}

func (f *judgeFlags) settings() (judge.Settings, error) {
	s := judge.DefaultSettings()
	n, err := f.sampler.Settings()
	if err != nil {
		return s, err
	}
	if s.Threads = f.threads; s.Threads == 0 {
		s.Threads = runtime.GOMAXPROCS(0)
	}
	s.Chains, s.Warmup, s.Draws, s.Seed, s.Metric = n.NumChains, n.NumWarmup, n.NumSamples, n.Seed, n.Metric
	s.MaxGradients, s.Init, s.Screen, s.Fits = f.maxGradients, f.init, f.screen, f.fits
	s.Engine = engine.Engine(f.engine)
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
	parts := f.cluster.Elsewhere(cmd, &f.parts, remote.Work{Out: f.out, Parts: (len(job.Entries) + perPart - 1) / perPart, Result: "VERDICTS.jsonl", Resume: "VERDICTS.jsonl"})
	defer f.cluster.Tidy(f.out, &err)
	if parts == nil {
		err = f.run(cmd, job)
	} else if err = job.Merge(parts); err != nil {
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
	b, manifest, err := f.readBank()
	if err != nil {
		return nil, err
	}
	if err := judge.Check(entries, b); err != nil {
		return nil, err
	}
	if settings.Reference, err = f.readReference(entries, b); err != nil {
		return nil, err
	}
	if f.parts.Given() && len(f.parts.Files) == 0 {
		entries = judge.PartOf(entries, f.parts.Part)
	}
	job := &judge.Job{Entries: entries, Bank: b, Settings: settings, Hash: settings.Hash(b, manifest), Output: f.out, Force: f.force, KeepFits: f.fits}
	job.Settings.Fits = f.fits || f.figures != ""
	return job, nil
}

// readBank opens the bank, and reads its manifest.
func (f *judgeFlags) readBank() (*bank.Bank, []byte, error) {
	folder, err := cli.FolderOrCommitted(f.bank)
	if err != nil {
		return nil, nil, fmt.Errorf("--bank %s: %w", f.bank, err)
	}
	b, err := interrupt.Reading(func() (*bank.Bank, error) { return bank.Open(folder) })
	if err != nil {
		return nil, nil, err
	}
	manifest, err := os.ReadFile(filepath.Join(folder, bank.ManifestFile))
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", f.bank, store.Cause(err))
	}
	return b, manifest, nil
}
