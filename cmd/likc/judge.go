package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"

	"likc/runtime/load"
	"likc/runtime/nuts"
	"likc/search/bank"
	"likc/search/judge"

	"github.com/spf13/cobra"
)

// judgeFlags are what judge was asked for.
type judgeFlags struct {
	bank, engine, out, figures string
	sampler                    samplerFlags
	threads                    int
	asJSON                     bool
}

func newJudge() *cobra.Command {
	f := &judgeFlags{}
	cmd := &cobra.Command{
		Use:   "judge MODEL… --bank BANK",
		Short: "Fit every subject of a bank with NUTS; say whether a model gives the parameters back",
		Long: `Judge fits every subject of a bank with each model, compares posterior means with the true parameters, and ranks the
models by their weakest correlation. A model passes if, for every parameter, the correlation is above 0.5 and fewer than
half of the estimates lie within 1% of a bound of the range that the bank was drawn from.

With -o VERDICTS.jsonl: one model a line, with every subject's estimates.`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("judge: wants MODEL…")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return runJudge(cmd, args, f) },
	}
	f.sampler.add(cmd)
	flags := cmd.Flags()
	for name, value := range map[string]string{"chains": "2", "warmup": "500", "draws": "500"} { // the paper's
		flag := flags.Lookup(name)
		flag.DefValue = value
		flag.Value.Set(value)
	}
	flags.Lookup("save-warmup").Hidden = true
	flags.StringVar(&f.bank, "bank", "", "folder of the bank (required)")
	flags.StringVar(&f.engine, "engine", "", "tree, ir, bound or go (default: compiled, built on the fly if need be)")
	flags.StringVarP(&f.out, "output", "o", "", "`VERDICTS.jsonl` to write")
	flags.StringVar(&f.figures, "figures", "", "`DIR` for a scatter plot of truth against estimate of each model")
	flags.IntVar(&f.threads, "threads", 0, "subjects at a time; 0: one a processor. Results do not depend on it")
	flags.BoolVar(&f.asJSON, "json", false, "print the verdicts as JSON, one a line, instead of tables")
	return cmd
}

func runJudge(cmd *cobra.Command, names []string, f *judgeFlags) error {
	settings, err := f.settings()
	if err != nil {
		return err
	}
	if f.bank == "" {
		return usagef("--bank: missing; name the folder of a bank, as likc bank make writes it")
	}
	if err := checkPlace("--output", f.out); err != nil {
		return err
	}
	sources := make([]source, len(names))
	for i, name := range names {
		if sources[i], err = readModel(name); err != nil {
			return err
		}
	}
	b, err := bank.Open(f.bank)
	if err != nil {
		return err
	}
	verdicts, err := f.judge(cmd, sources, b, settings)
	if len(verdicts) == 0 && cmd.Context().Err() != nil {
		return errors.New("interrupted: no model was judged yet, and nothing written")
	}
	if len(verdicts) == 0 {
		return err
	}
	judge.Rank(verdicts)
	if werr := f.report(cmd.OutOrStdout(), b, verdicts); werr != nil {
		return werr
	}
	if err != nil && cmd.Context().Err() != nil {
		return fmt.Errorf("interrupted: %d of %d models were judged; name the others again to go on", len(verdicts), len(names))
	}
	return err
}

func (f *judgeFlags) settings() (judge.Settings, error) {
	s := judge.DefaultSettings()
	n, err := f.sampler.settings()
	if err != nil {
		return s, err
	}
	if f.threads < 0 {
		return s, usagef("--threads %d: want 0 or more", f.threads)
	}
	if s.Threads = f.threads; s.Threads == 0 {
		s.Threads = runtime.GOMAXPROCS(0)
	}
	s.Chains, s.Warmup, s.Draws, s.Seed, s.Metric = n.NumChains, n.NumWarmup, n.NumSamples, n.Seed, n.Metric
	s.Prepare = func(t *nuts.Settings) { t.Delta, t.MaxDepth = n.Delta, n.MaxDepth }
	return s, nil
}

// judge judges one model after the other, and returns those that are done.
func (f *judgeFlags) judge(cmd *cobra.Command, sources []source, b *bank.Bank, s judge.Settings) ([]*judge.Verdict, error) {
	var verdicts []*judge.Verdict
	for _, src := range sources {
		v, err := f.judgeOne(cmd.Context(), cmd.ErrOrStderr(), src, b, s)
		if err != nil {
			return verdicts, err
		}
		verdicts = append(verdicts, v)
	}
	return verdicts, nil
}

func (f *judgeFlags) judgeOne(ctx context.Context, stderr io.Writer, src source, b *bank.Bank, s judge.Settings) (*judge.Verdict, error) {
	open, done, err := binder(f.engine, src)
	if err != nil {
		return nil, err
	}
	defer done()
	bars := newProgress(stderr)
	defer bars.close()
	s.Progress = bars.subjects
	return judge.Judge(ctx, judge.Candidate{Name: src.Name, Params: src.ParamNames(), Bind: func(sub bank.Subject) (judge.Problem, error) {
		columns, choice, err := trialsOf(src, sub)
		if err != nil {
			return judge.Problem{}, err
		}
		params, err := parameters(src, nil, columns, choice)
		if err != nil {
			return judge.Problem{}, err
		}
		lik, err := open(columns, choice)
		if err != nil {
			return judge.Problem{}, err
		}
		return judge.Problem{Likelihood: lik, Params: params, Close: lik.Close}, nil
	}}, b, s)
}

// trialsOf gives a subject's trials in the model's form.
func trialsOf(src source, s bank.Subject) (columns [][]float64, choice []float64, err error) {
	if len(src.Trials) != 1 || src.Trials[0] != "rt" {
		return nil, nil, fmt.Errorf("%s reads trial columns %s; a bank has rt", src.Name, strings.Join(src.Trials, ", "))
	}
	if src.Choice != "" {
		choice = s.Choice
	}
	return [][]float64{s.RT}, choice, nil
}

// binder gives a function that binds trials, for a model that many sets of trials will be bound to: what needs building is
// built once.
func binder(engine string, src source) (open func(columns [][]float64, choice []float64) (bound, error), done func() error, err error) {
	plain := func(columns [][]float64, choice []float64) (bound, error) { return bind(engine, src, columns, choice) }
	if src.Exact || engine != "" && engine != "go" {
		return plain, func() error { return nil }, nil
	}
	var set load.Set
	if set = linked(src); set == nil {
		if set, err = buildSet(src); err != nil && engine == "" {
			return plain, func() error { return nil }, nil // no Go toolchain here: interpreted
		} else if err != nil {
			return nil, nil, err
		}
	}
	return func(columns [][]float64, choice []float64) (bound, error) {
		return wrap(set.Bind(src.Name, columns, choice))
	}, set.Close, nil
}
