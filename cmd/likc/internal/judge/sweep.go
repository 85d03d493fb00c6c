package judge

import (
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

// sweepFlags are the flags of the command sweep.
type sweepFlags struct {
	Dir       string `flag:"output,o" value:"DIR" help:"DIR for sweep.json, TOP.jsonl, plots and a page"`
	Resamples int    `flag:"resamples" default:"10000" in:"[1,1000000]" help:"resamples of the searches, for the intervals"`
	Seed      uint64 `flag:"seed" default:"1" help:"seed of the resampling"`
	Top       int    `flag:"top" default:"5" in:"[1,1000000]" help:"how many expressions TOP.jsonl takes"`
	Refits    string `flag:"refit-list" value:"FRONT.jsonl" writes:"front" help:"FRONT.jsonl to write: forms near the criterion, or in the worst tenth of divergences or R-hat; empty if there are none"`
	sweep.Beside
	JSON bool `flag:"json" help:"print all figures as JSON instead of tables"`
}

// NewSweep returns the command sweep.
func NewSweep() *cobra.Command {
	return cli.Command(&sweepFlags{}, &cobra.Command{
		Use:   "sweep VERDICTS.jsonl…",
		Short: "Compare searches that differ in the weight of recovery",
		Long: `Read the verdicts on the fronts of many searches, and count for each weight λ which share of the expressions recovers
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
		Args: cli.Some("VERDICTS.jsonl…, as likc judge writes them"),
	})
}

// Run counts the verdicts, and writes and prints the tables.
func (f *sweepFlags) Run(cmd *cobra.Command, args []string) error {
	result, err := f.result(args)
	if err != nil {
		return err
	}
	if err := f.write(cmd.ErrOrStderr(), result); err != nil {
		return err
	}
	if f.JSON {
		return cli.PrintJSON(cmd.OutOrStdout(), result)
	}
	return report.PrintSweep(cmd.OutOrStdout(), result)
}

// write writes the list of expressions to judge again, and the output folder. It prints a note if the list is empty.
func (f *sweepFlags) write(told io.Writer, result *sweep.Result) error {
	if f.Refits != "" {
		lines := result.RefitList()
		if len(lines) == 0 {
			fmt.Fprintf(told, "no form is near the criterion, diverges or mixes badly: nothing to fit again, so %s is empty\n", f.Refits)
		}
		if err := front.WriteFile(f.Refits, lines); err != nil {
			return err
		}
	}
	if f.Dir == "" {
		return nil
	}
	if err := os.MkdirAll(f.Dir, 0o777); err != nil {
		return fmt.Errorf("--output %s: %w", f.Dir, store.Cause(err))
	}
	return report.WriteSweepFolder(f.Dir, result)
}

// result reads the verdicts, and what to compare them with.
func (f *sweepFlags) result(files []string) (*sweep.Result, error) {
	searches, err := interrupt.WhileReading(func() ([]sweep.Search, error) { return sweep.ReadAll(files) })
	if err != nil {
		return nil, err
	}
	r, err := sweep.New(searches, sweep.Settings{Resamples: f.Resamples, Seed: f.Seed, Top: f.Top})
	if err != nil {
		return nil, err
	}
	if err := r.Add(f.Beside); err != nil {
		return nil, fmt.Errorf("--%w", err)
	}
	return r, nil
}
