// Package judge holds the commands that judge expressions: judge and sweep.
package judge

import (
	"errors"
	"fmt"
	"likc/cmd/likc/internal/cli"
	"likc/runtime/engine"
	"likc/runtime/nuts"
	"likc/search/bank"
	"likc/search/judge"
	"os"
	"path/filepath"
	"runtime"

	"github.com/spf13/cobra"
)

// judgeFlags are what judge was asked for.
type judgeFlags struct {
	bank, engine, out, figures string
	from, compare              string
	sampler                    cli.SamplerFlags
	threads, maxGradients, top int
	init                       float64
	asJSON, screen, fits       bool
	resume, force, allowEmpty  bool
}

func NewJudge() *cobra.Command {
	f := &judgeFlags{}
	cmd := &cobra.Command{
		Use:   "judge MODEL…|FRONT.jsonl… --bank BANK -o VERDICTS.jsonl",
		Short: "Fit every subject of a bank with NUTS; say whether a model gives the parameters back",
		Long: `Judge fits every subject of a bank with each candidate, compares posterior means with the true parameters, and ranks the
candidates by their weakest correlation. A candidate passes if, for every parameter, the correlation is above 0.5 and
fewer than half of the estimates lie within 1% of a bound of the range that the bank was drawn from.

A candidate is a model, the folder of a teacher, or a line of a front, as likc search writes it. Those with one canonical
form are judged once. A candidate that does not compile, or of which subjects cannot be fitted, gets a verdict that says so.

With -o VERDICTS.jsonl: one candidate a line, in the order of the input, written as they come. A run that was interrupted
goes on when it is started again with the same arguments, and the file is the same in the end.

  likc judge runs/*/FRONT.jsonl --bank testdata/banks/test-60 -o VERDICTS.jsonl
  likc judge --from VERDICTS.jsonl --top 5 wald --bank testdata/banks/holdout-90 --warmup 2000 --draws 2000 --chains 4
  likc judge runs/*/FRONT.jsonl --screen --bank testdata/banks/screen-40 -o SCREEN.jsonl
  likc judge --compare SCREEN.jsonl VERDICTS.jsonl`,
		Args: f.check,
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.compare != "" {
				return runCompare(cmd, f.compare, args[0], f.asJSON)
			}
			return runJudge(cmd, args, f)
		},
	}
	f.sampler.Add(cmd)
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
	flags.BoolVar(&f.asJSON, "json", false, "print the summary as JSON instead of tables")
	return cmd
}

// check finds what is wrong with the arguments before anything is read.
func (f *judgeFlags) check(cmd *cobra.Command, args []string) error {
	switch {
	case f.compare != "" && len(args) != 1:
		return cli.Usagef("judge --compare A.jsonl: wants one more B.jsonl")
	case f.compare != "":
		return nil
	case len(args) == 0 && f.from == "":
		return cli.Usagef("judge: wants MODEL…, FRONT.jsonl… or --from VERDICTS.jsonl")
	case f.bank == "":
		return cli.Usagef("--bank: missing; name the folder of a bank, as likc bank make writes it")
	case f.top < 1:
		return cli.Usagef("--top %d: want 1 or more", f.top)
	case f.maxGradients < 0:
		return cli.Usagef("--max-gradients %d: want 0 or more", f.maxGradients)
	case !(f.init >= 0 && f.init <= 10):
		return cli.Usagef("--init %v: want 0 to 10", f.init)
	case f.threads < 0:
		return cli.Usagef("--threads %d: want 0 or more", f.threads)
	case (f.resume || f.force) && f.out == "":
		return cli.Usagef("--resume, --force: want -o VERDICTS.jsonl")
	case f.resume && f.force:
		return cli.Usagef("--resume and --force: want one of them")
	}
	return cli.CheckPlace("--output", f.out)
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

func runJudge(cmd *cobra.Command, args []string, f *judgeFlags) error {
	settings, err := f.settings()
	if err != nil {
		return err
	}
	entries, err := f.entries(args)
	if err != nil {
		return err
	}
	folder, err := cli.FolderOrCommitted(f.bank)
	if err != nil {
		return fmt.Errorf("--bank %s: %w", f.bank, err)
	}
	b, err := cli.Reading(func() (*bank.Bank, error) { return bank.Open(folder) })
	if err != nil {
		return err
	}
	if err := judge.Check(entries, b); err != nil {
		return err
	}
	manifest, err := os.ReadFile(filepath.Join(folder, bank.ManifestFile))
	if err != nil {
		return fmt.Errorf("%s: %w", f.bank, cli.Plain(err))
	}
	r := &judgeRun{flags: f, entries: entries, bank: b, settings: settings, hash: settings.Hash(b, manifest)}
	if len(entries) == 0 {
		return r.nothing(cmd.ErrOrStderr())
	}
	err = r.run(cmd)
	if len(r.verdicts) == 0 {
		return r.ended(cmd, err)
	}
	if werr := r.report(cmd.OutOrStdout()); werr != nil {
		return werr
	}
	return r.ended(cmd, err)
}

// judgeRun is a run and what it has so far.
type judgeRun struct {
	flags    *judgeFlags
	entries  []judge.Entry
	bank     *bank.Bank
	settings judge.Settings
	hash     string

	verdicts []*judge.Verdict // in the order of the entries
	kept     int              // of them, those that an earlier run had judged
	unique   int
	told     judge.Report
	seconds  float64
}

// ended says how an interrupted run goes on.
func (r *judgeRun) ended(cmd *cobra.Command, err error) error {
	switch {
	case err == nil || cmd.Context().Err() == nil:
		return err
	case r.flags.out == "":
		return fmt.Errorf("interrupted: %d of %s judged; with -o VERDICTS.jsonl they would have been kept", len(r.verdicts), cli.Count(len(r.entries), "candidate"))
	case len(r.verdicts) == 0:
		return errors.New("interrupted: no candidate was judged yet, and nothing written; start again with the same arguments")
	}
	return fmt.Errorf("interrupted: %d of %s judged, in %s; start again with the same arguments to go on", len(r.verdicts),
		cli.Count(len(r.entries), "candidate"), r.flags.out)
}
