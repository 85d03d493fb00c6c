package judge

import (
	"cmp"
	"fmt"
	"io"
	"os"

	"likc/cmd/likc/internal/cli"
	"likc/runtime/model/front"
	"likc/runtime/sys/interrupt"
	"likc/runtime/sys/store"
	"likc/search/study/sweep"
	"likc/search/work/report"

	"github.com/spf13/cobra"
)

// mostResamples is the largest number of resamples that --resamples takes.
const mostResamples = 1_000_000

// sweepFlags are what sweep was asked for.
type sweepFlags struct {
	settings    sweep.Settings
	beside      sweep.Beside
	dir, refits string
	asJSON      bool
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
			if err := f.write(cmd.ErrOrStderr(), result); err != nil {
				return err
			}
			if f.asJSON {
				return cli.PrintJSON(cmd.OutOrStdout(), result)
			}
			return report.PrintSweep(cmd.OutOrStdout(), result)
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&f.dir, "output", "o", "", "`DIR` for sweep.json, TOP.jsonl, plots and a page")
	flags.IntVar(&f.settings.Resamples, "resamples", 10000, "resamples of the searches, for the intervals")
	flags.Uint64Var(&f.settings.Seed, "seed", 1, "seed of the resampling")
	flags.IntVar(&f.settings.Top, "top", 5, "how many expressions TOP.jsonl takes")
	flags.StringVar(&f.refits, "refit-list", "", "`FRONT.jsonl` to write: forms near the criterion, or in the worst tenth of divergences or R-hat; empty if there are none")
	flags.StringVar(&f.beside.Long, "long", "", "`VERDICTS.jsonl` on the same forms, fitted with longer chains; an empty file adds nothing")
	flags.StringVar(&f.beside.Screen, "screen", "", "`VERDICTS.jsonl` on the same forms by judge --screen")
	flags.StringVar(&f.beside.Models, "models", "", "`VERDICTS.jsonl` on known models, to stand beside")
	flags.StringVar(&f.beside.HeldOut, "held-out", "", "`VERDICTS.jsonl` on TOP.jsonl, on subjects that ranked nothing")
	flags.StringVar(&f.beside.Rows, "rows", "", "`DIR` of rows that no search saw, as teacher score writes them, for squared errors")
	cli.AddForce(cmd)
	flags.BoolVar(&f.asJSON, "json", false, "print all figures as JSON instead of tables")
	return cmd
}

// check finds what is wrong with the arguments before anything is read.
func (f *sweepFlags) check(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return cli.Usagef("sweep: wants VERDICTS.jsonl…, as likc judge writes them")
	}
	return cmp.Or(
		cli.Within("--resamples", f.settings.Resamples, 1, mostResamples),
		cli.Within("--top", f.settings.Top, 1, mostTop),
		cli.CheckPlace("--refit-list", f.refits),
		cli.CheckOutput(cmd, args, "--refit-list", f.refits, cli.WrittenFront))
}

// write writes the list to fit again and the folder. It tells where the list is empty.
func (f *sweepFlags) write(told io.Writer, result *sweep.Result) error {
	if f.refits != "" {
		lines := result.RefitList()
		if len(lines) == 0 {
			fmt.Fprintf(told, "no form is near the criterion, diverges or mixes badly: nothing to fit again, so %s is empty\n", f.refits)
		}
		if err := front.WriteFile(f.refits, lines); err != nil {
			return err
		}
	}
	if f.dir == "" {
		return nil
	}
	if err := os.MkdirAll(f.dir, 0o777); err != nil {
		return fmt.Errorf("--output %s: %w", f.dir, store.Cause(err))
	}
	return report.WriteSweepFolder(f.dir, result)
}

// result reads the verdicts, and what to compare them with.
func (f *sweepFlags) result(files []string) (*sweep.Result, error) {
	searches, err := interrupt.Reading(func() ([]sweep.Search, error) { return sweep.ReadAll(files) })
	if err != nil {
		return nil, err
	}
	r, err := sweep.New(searches, f.settings)
	if err != nil {
		return nil, err
	}
	if err := r.Add(f.beside); err != nil {
		return nil, fmt.Errorf("--%w", err)
	}
	return r, nil
}
