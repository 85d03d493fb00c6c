package judge

import (
	"errors"
	"fmt"
	"likc/cmd/likc/internal/cli"
	"likc/search/judge"
	"likc/search/sweep"
	"likc/search/teacher/rows"

	"github.com/spf13/cobra"
)

// sweepFlags are what sweep was asked for.
type sweepFlags struct {
	settings                         sweep.Settings
	dir, refits                      string
	long, screen, models, held, rows string
	asJSON                           bool
}

func NewSweep() *cobra.Command {
	f := &sweepFlags{}
	cmd := &cobra.Command{
		Use:   "sweep VERDICTS.jsonl…",
		Short: "Compare searches that differ in the weight of recovery",
		Long: `Sweep reads the verdicts on the fronts of many searches and says for each weight λ which share of the expressions recovers
all parameters: pooled, with equal expressions counted once, and per search, with a 95% bootstrap interval over searches. Then:
what evaluations cost, and which of the figures that a search has foretells the verdict.

With -o DIR: sweep.json, all figures; TOP.jsonl, the best expressions and the one with the least squared error, as a front;
TOP.lik, the same as models top1, top2, …; the plots as SVG; index.html, all of it on one page, beside the paper's.

  likc sweep verdicts/*.jsonl --refit-list REFIT.jsonl
  likc judge REFIT.jsonl --allow-empty --bank test-60 --warmup 2000 --draws 2000 --chains 4 --max-gradients 0 -o LONG.jsonl
  likc judge fronts/*.jsonl --screen --bank screen-40 -o SCREEN.jsonl
  likc bank make --role search-rows --seed 2 -o rows-2
  likc teacher score testdata/teacher/spline --bank rows-2 -o rows-2-scored
  likc sweep verdicts/*.jsonl --long LONG.jsonl --screen SCREEN.jsonl --rows rows-2-scored -o sweep`,
		Args: f.check,
		RunE: func(cmd *cobra.Command, args []string) error {
			result, err := f.result(args)
			if err != nil {
				return err
			}
			if f.refits != "" {
				if err := writeRefits(cmd.ErrOrStderr(), f.refits, result); err != nil {
					return err
				}
			}
			if f.dir != "" {
				if err := writeSweep(f.dir, result); err != nil {
					return err
				}
			}
			if f.asJSON {
				return cli.PrintJSON(cmd.OutOrStdout(), result)
			}
			return printSweep(cmd.OutOrStdout(), result)
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&f.dir, "output", "o", "", "`DIR` for sweep.json, TOP.jsonl, plots and a page")
	flags.IntVar(&f.settings.Resamples, "resamples", 10000, "resamples of the searches, for the intervals")
	flags.Uint64Var(&f.settings.Seed, "seed", 1, "seed of the resampling")
	flags.IntVar(&f.settings.Top, "top", 5, "how many expressions TOP.jsonl takes")
	flags.StringVar(&f.refits, "refit-list", "", "`FRONT.jsonl` to write: forms near the criterion, or in the worst tenth of divergences or R-hat; empty if there are none")
	flags.StringVar(&f.long, "long", "", "`VERDICTS.jsonl` on the same forms, fitted with longer chains; an empty file adds nothing")
	flags.StringVar(&f.screen, "screen", "", "`VERDICTS.jsonl` on the same forms by judge --screen")
	flags.StringVar(&f.models, "models", "", "`VERDICTS.jsonl` on known models, to stand beside")
	flags.StringVar(&f.held, "held-out", "", "`VERDICTS.jsonl` on TOP.jsonl, on subjects that ranked nothing")
	flags.StringVar(&f.rows, "rows", "", "`DIR` of rows that no search saw, as teacher score writes them, for squared errors")
	flags.BoolVar(&f.asJSON, "json", false, "print all figures as JSON instead of tables")
	return cmd
}

// check finds what is wrong with the arguments before anything is read.
func (f *sweepFlags) check(cmd *cobra.Command, args []string) error {
	switch {
	case len(args) == 0:
		return cli.Usagef("sweep: wants VERDICTS.jsonl…, as likc judge writes them")
	case f.settings.Resamples < 1 || f.settings.Top < 1:
		return cli.Usagef("--resamples %d, --top %d: want 1 or more", f.settings.Resamples, f.settings.Top)
	}
	return cli.CheckPlace("--refit-list", f.refits)
}

// result reads the verdicts, and what is to stand beside them.
func (f *sweepFlags) result(files []string) (*sweep.Result, error) {
	searches, err := readSearches(files)
	if err != nil {
		return nil, err
	}
	r, err := sweep.New(searches, f.settings)
	if err != nil {
		return nil, err
	}
	for _, beside := range []struct {
		flag, file string
		add        func([]*judge.Verdict) error
	}{
		{"--long", f.long, r.AddLong}, {"--screen", f.screen, r.AddScreen}, {"--models", f.models, r.AddModels}, {"--held-out", f.held, r.AddHeldOut},
	} {
		if beside.file == "" {
			continue
		}
		verdicts, err := cli.Reading(func() ([]*judge.Verdict, error) { return sweep.Verdicts(beside.file) })
		if beside.file == f.long && errors.Is(err, sweep.ErrNone) { // the list to fit again was empty
			continue
		}
		if err == nil {
			err = beside.add(verdicts)
		}
		if err != nil {
			return nil, fmt.Errorf("%s %s: %w", beside.flag, beside.file, err)
		}
	}
	if f.rows == "" {
		return r, nil
	}
	given, err := cli.Reading(func() (*rows.Rows, error) { return rows.Read(f.rows) })
	if err == nil {
		err = r.AddRows(given)
	}
	if err != nil {
		return nil, fmt.Errorf("--rows: %w", err)
	}
	return r, nil
}

// readSearches reads files of verdicts, each search once.
func readSearches(files []string) ([]sweep.Search, error) {
	type id struct {
		lambda float64
		seed   uint64
	}
	known := map[id]string{}
	var all []sweep.Search
	for _, file := range files {
		some, err := cli.Reading(func() ([]sweep.Search, error) { return sweep.Read(file) })
		if err != nil {
			return nil, err
		}
		for _, one := range some {
			if other, twice := known[id{one.Lambda, one.Seed}]; twice {
				return nil, fmt.Errorf("%s: λ %v, seed %d: a search of %s too; want each once", file, one.Lambda, one.Seed, other)
			}
			known[id{one.Lambda, one.Seed}] = file
		}
		all = append(all, some...)
	}
	return all, nil
}
