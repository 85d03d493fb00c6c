package judge

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"

	"likc/cmd/likc/internal/cli"
	"likc/runtime/num/notation"
	"likc/search/study/judge"

	"github.com/spf13/cobra"
)

// runPairs compares the estimates of every two candidates in a file of verdicts, or only of the candidates that the
// user named.
func runPairs(cmd *cobra.Command, f *judgeFlags, names []string) error {
	all, err := cli.ReadVerdicts(f.Pairs)
	if err != nil {
		return err
	}
	pairs, err := judge.Pairs(all, names)
	if err != nil {
		return fmt.Errorf("%s: %w", f.Pairs, err)
	}
	if f.Figures != "" {
		undo, err := makeFigures(f.Figures)
		if err != nil {
			return err
		}
		if err := judge.DrawPairs(f.Figures, pairs); err != nil {
			undo()
			return err
		}
	}
	w := cmd.OutOrStdout()
	if f.JSON {
		return cli.PrintJSON(w, pairs)
	}
	first := all[slices.IndexFunc(all, func(v *judge.Verdict) bool { return v.Model == pairs[0].First })]
	estimates := "means"
	if first.Method == "map" {
		estimates = "modes"
	}
	fmt.Fprintf(w, "posterior %s on %s: correlation; mean difference (second - first); root of the mean squared difference\n\n", estimates, first.Bank)
	return printPairs(w, pairs)
}

func printPairs(w io.Writer, pairs []judge.Pair) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "first\tsecond\tsubjects\tparameter\tr\tdifference\tRMSE")
	for _, p := range pairs {
		for _, a := range p.Params {
			fmt.Fprintf(t, "%s\t%s\t%d\t%s\t%s\t%s\t%s\n", p.First, p.Second, p.Subjects, a.Name,
				notation.Figure("%.3f", a.R), notation.Figure("%+.3f", a.Bias), notation.Figure("%.3f", a.RMSE))
		}
	}
	return t.Flush()
}
