package fit

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"text/tabwriter"

	"likc/cmd/likc/internal/cli"
	"likc/runtime/fit/folder"
	"likc/runtime/fit/loo"
	"likc/runtime/num/finite"
	"likc/runtime/num/notation"
	"likc/runtime/sys/interrupt"

	"github.com/spf13/cobra"
)

// compareFlags are the flags of the command compare.
type compareFlags struct {
	JSON bool `flag:"json" help:"print JSON"`
}

// NewCompare returns the command compare.
func NewCompare() *cobra.Command {
	return cli.Command(&compareFlags{}, &cobra.Command{
		Use:     "compare FIT…",
		Short:   "Compare fits of the same trials by PSIS-LOO: which model predicts new trials best?",
		Example: `  likc compare free central`,
		Long: `Rank the models of fits (folders of likc fit -o) by PSIS-LOO, the sum over trials of the log density that
a model gives to a trial after it saw all others:

  elpd     that sum, with its standard error se: higher is better
  p_loo    effective number of parameters; far above their real number, the model does not fit
  diff     elpd of the best model minus this one's, with its standard error dse from the differences trial by trial. A difference
           below 4, or below twice its standard error, says little
  weight   of the model in the mixture that predicts best (stacking): not the probability that the model is true
  k̂ bad    trials whose Pareto k̂ exceeds the threshold (0.7, less for few draws): elpd may be far off

The fits must be of the same response times and choices in the same order. Choices are compared as the data name them, because models may
code them as +1 and -1, or as 0, 1, … Fits of many subjects are compared over all their trials; each subject was fitted alone.`,
		Args: cli.Some("FIT…: folders of likc fit -o"),
	})
}

// Run compares fits and prints their ranks.
func (f *compareFlags) Run(cmd *cobra.Command, args []string) error {
	rows, err := interrupt.WhileReading(func() ([]loo.Row, error) { return folder.Compare(args) })
	if err != nil {
		return err
	}
	if f.JSON {
		return cli.PrintJSON(cmd.OutOrStdout(), compared(rows))
	}
	return printCompared(cmd.OutOrStdout(), rows)
}

// comparedJSON is a row of compare --json.
type comparedJSON struct {
	Name   string        `json:"name"`
	Rank   int           `json:"rank"` // rank among the models: 0 for the best, as in ArviZ
	ELPD   finite.Number `json:"elpd"`
	SE     finite.Number `json:"se"`
	Diff   finite.Number `json:"diff"`
	DiffSE finite.Number `json:"diff_se"`
	P      finite.Number `json:"p"`
	Weight finite.Number `json:"weight"`
	KBad   int           `json:"k_bad"`
}

// compared returns the rows of a comparison in the form in which they are written as JSON.
func compared(rows []loo.Row) []comparedJSON {
	out := make([]comparedJSON, len(rows))
	for i, r := range rows {
		out[i] = comparedJSON{r.Name, i, finite.Number(r.ELPD), finite.Number(r.SE), finite.Number(r.Diff), finite.Number(r.DiffSE),
			finite.Number(r.P), finite.Number(r.Weight), r.Exceed}
	}
	return out
}

// mostAlike is the difference of elpd below which two fits predict alike, whatever its standard error [sivula2020].
//
// [sivula2020] T. Sivula, M. Magnusson, A. A. Matamoros and A. Vehtari, Uncertainty in Bayesian leave-one-out cross-validation based model
// comparison, arXiv:2008.10296.
const mostAlike = 4

func printCompared(w io.Writer, rows []loo.Row) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "fit\trank\telpd\tse\tp_loo\tdiff\tdse\tweight\tk̂ bad\t")
	for i, r := range rows {
		fmt.Fprintf(t, "%s\t%d\t%.1f\t%s\t%.2f\t%.1f\t%s\t%.2f\t%d\t\n", filepath.ToSlash(r.Name), i, r.ELPD, notation.Figure("%.1f", r.SE), r.P,
			r.Diff, notation.Figure("%.1f", r.DiffSE), r.Weight, r.Exceed)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(w, "\nelpd: how well a fit predicts each trial from all others, summed; p_loo: effective number of parameters; diff, dse: difference from the best,\nand its standard error; weight: share in the mixture that predicts best; k̂ bad: trials whose part of elpd may be far off")
	for _, r := range rows[1:] {
		if r.Diff < mostAlike || r.Diff < 2*r.DiffSE {
			fmt.Fprintf(w, "%s and %s: no difference worth speaking of (%.1f ± %s), whatever the weights\n", filepath.ToSlash(rows[0].Name), filepath.ToSlash(r.Name), r.Diff, notation.Figure("%.1f", r.DiffSE))
		}
	}
	if slices.ContainsFunc(rows, func(r loo.Row) bool { return r.Exceed > 0 }) {
		_, err := fmt.Fprintln(w, "\nwarning: where k̂ is bad, elpd may be far off: look at those trials in loo.csv, and at the model's predictions of them")
		return err
	}
	return nil
}
