package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"text/tabwriter"

	"likc/compiler/syntax"
	"likc/search/front"
	"likc/search/sweep"

	"github.com/spf13/cobra"
)

func newSweep() *cobra.Command {
	var (
		dir      string
		top      int
		settings sweep.Settings
	)
	cmd := &cobra.Command{
		Use:   "sweep VERDICTS.jsonl…",
		Short: "Compare searches that differ in the weight of recovery",
		Long: `Sweep reads the verdicts on the fronts of many searches, a file a search, and says for each weight λ which share of the
expressions recovers all parameters: pooled, with equal expressions counted once, and per search, with a 95% bootstrap
interval over searches.

With -o DIR: sweep.json, all figures; TOP.jsonl, the best expressions and the one with the least squared error, as a front;
TOP.lik, the same as models top1, top2, …`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("sweep: wants VERDICTS.jsonl…, as likc judge writes them, one a search")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if settings.Resamples < 1 || top < 1 {
				return usagef("--resamples %d, --top %d: want 1 or more", settings.Resamples, top)
			}
			result, err := readSweep(args, settings)
			if err != nil {
				return err
			}
			if dir != "" {
				if err := writeSweep(dir, result, top); err != nil {
					return err
				}
			}
			return printSweep(cmd.OutOrStdout(), result)
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&dir, "output", "o", "", "`DIR` for sweep.json and TOP.jsonl")
	flags.IntVar(&settings.Resamples, "resamples", 10000, "resamples of the searches, for the intervals")
	flags.Uint64Var(&settings.Seed, "seed", 1, "seed of the resampling")
	flags.IntVar(&top, "top", 5, "how many expressions TOP.jsonl takes")
	return cmd
}

func readSweep(files []string, s sweep.Settings) (*sweep.Result, error) {
	type id struct {
		lambda float64
		seed   uint64
	}
	known := map[id]string{}
	var searches []sweep.Search
	for _, file := range files {
		one, err := sweep.Read(file)
		if err != nil {
			return nil, err
		}
		if other, twice := known[id{one.Lambda, one.Seed}]; twice {
			return nil, fmt.Errorf("%s: λ %v, seed %d: the search of %s; want each once", file, one.Lambda, one.Seed, other)
		}
		known[id{one.Lambda, one.Seed}] = file
		searches = append(searches, one)
	}
	return sweep.New(searches, s), nil
}

func writeSweep(dir string, result *sweep.Result, top int) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("--output %s: %w", dir, plain(err))
	}
	lines, err := result.Top(top)
	if err != nil {
		return err
	}
	if err := writeFile(filepath.Join(dir, "TOP.jsonl"), func(w io.Writer) error { return front.Write(w, lines) }); err != nil {
		return err
	}
	if err := writeFile(filepath.Join(dir, "TOP.lik"), func(w io.Writer) error { return writeModels(w, lines) }); err != nil {
		return err
	}
	return writeFile(filepath.Join(dir, "sweep.json"), func(w io.Writer) error { return printJSON(w, result) })
}

// writeModels writes the lines of a front as models top1, top2, ….
func writeModels(w io.Writer, lines []front.Line) error {
	for i, l := range lines {
		header, err := front.Header(l.Model)
		if err != nil {
			return err
		}
		m, err := syntax.ParseExpr(l.Expr, header)
		if err != nil {
			return fmt.Errorf("%s: %w", l.Expr, err)
		}
		m.Name, m.Choice = fmt.Sprintf("top%d", i+1), "c" // choice is a word of the language
		if err := syntax.Print(w, m); err != nil {
			return err
		}
	}
	return nil
}

// printSweep prints the table in the paper's form.
func printSweep(w io.Writer, result *sweep.Result) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(t, "λ\truns\tany\tpool\trecover all\tper search\t")
	for _, p := range result.Rows[0].Params {
		fmt.Fprintf(t, "%s\t", p.Name)
	}
	fmt.Fprintln(t, "divergences\t")
	for _, r := range result.Rows {
		fmt.Fprintf(t, "%g\t%d\t%d\t%d\t%d (%.1f%%)\t%.1f%% [%.1f, %.1f]\t", r.Lambda, r.Runs, r.Any, r.Pool, r.Recover, 100*r.Pooled,
			100*r.Mean, 100*r.Interval[0], 100*r.Interval[1])
		for _, p := range r.Params {
			fmt.Fprintf(t, "%.1f%%\t", 100*p.Pass)
		}
		fmt.Fprintf(t, "%g\t\n", r.Median)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for i, e := range result.Best[:min(5, len(result.Best))] {
		fmt.Fprintf(w, "%s%d. r %.3f  λ %g  size %d  %s\n", map[bool]string{true: "\n"}[i == 0], i+1, e.WeakestR, e.Lambda, e.Size, e.Text)
	}
	return nil
}
