package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"likc/runtime/num/notation"
	"likc/search/study/sweep"
)

// PrintSweep prints a sweep as tables of text, the first in the paper's form.
func PrintSweep(w io.Writer, r *sweep.Result) error {
	parts := []func(*tabwriter.Writer, *sweep.Result){printRows, printCosts, printPredictors, printRefit, printScreen}
	for _, part := range parts {
		t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
		part(t, r)
		if err := t.Flush(); err != nil {
			return err
		}
	}
	if len(r.Judges) > 1 {
		fmt.Fprintf(w, "\nwarning: the verdicts come from judges with different settings or banks, so rows may not be comparable: %v\n", r.Judges)
	}
	if r.Refit != nil && r.Refit.Groups[0].Limited > 0 {
		fmt.Fprintf(w, "\nwarning: for %s the limit on gradients ended the longer chains early: judge again with --max-gradients 0\n", notation.Count(r.Refit.Groups[0].Limited, "expression"))
	}
	if h := r.HeldOut; h != nil {
		fmt.Fprintf(w, "\nsquared error on %d held-out rows: median %.3g, not finite for %s\n", h.Rows, float64(h.Median), notation.Count(h.Undefined, "expression"))
	}
	for i, e := range r.Best[:min(5, len(r.Best))] {
		fmt.Fprintf(w, "%s%d. r %.3f  λ %g  size %d as found, simplified: %s\n", map[bool]string{true: "\n"}[i == 0], i+1, e.WeakestR, e.Lambda, e.Size, e.Canonical)
	}
	return nil
}

// printRows prints a row for each λ of the sweep. Below it is the row that the paper reports for the same λ, if it reports one.
func printRows(t *tabwriter.Writer, r *sweep.Result) {
	fmt.Fprint(t, "λ\tsearches\twith a pass\texpressions\tpass\tmean % per search\t")
	for _, p := range r.Rows[0].Params {
		fmt.Fprintf(t, "%s\t", p.Name)
	}
	if fmt.Fprint(t, "divergences\t"); compared(r.Rows) {
		fmt.Fprint(t, "honest\twith an honest one\t")
	}
	fmt.Fprintln(t)
	papers := PaperRows(r.Model())
	for _, row := range r.Rows {
		printRow(t, fmt.Sprintf("%g", row.Lambda), row)
		for _, paper := range papers {
			if paper.Lambda == row.Lambda {
				printRow(t, "paper", paper)
			}
		}
	}
}

func printRow(t *tabwriter.Writer, name string, r sweep.Row) {
	fmt.Fprintf(t, "%s\t%d\t%d\t%d\t%d (%.1f%%)\t%.1f%% [%.1f, %.1f]\t", name, r.Runs, r.Any, r.Pool, r.Recover, 100*r.Pooled,
		100*r.Mean, 100*r.Interval[0], 100*r.Interval[1])
	for _, p := range r.Params {
		fmt.Fprintf(t, "%.1f%%\t", 100*p.Pass)
	}
	if fmt.Fprintf(t, "%g\t", r.Median); r.Compared > 0 {
		fmt.Fprintf(t, "%d of %d\t%d\t", r.Honest, r.Compared, r.AnyHonest)
	}
	fmt.Fprintln(t)
}

// compared reports whether the judge compared any expression with a reference.
func compared(rows []sweep.Row) bool {
	return slices.ContainsFunc(rows, func(r sweep.Row) bool { return r.Compared > 0 })
}

// printCosts prints, for each λ, shares of expressions by tier and without divergences, and the cost of a fit.
func printCosts(t *tabwriter.Writer, r *sweep.Result) {
	fmt.Fprint(t, "\nλ\t")
	for _, tier := range r.Rows[0].Tiers {
		fmt.Fprintf(t, "%s\t", tier.Name)
	}
	fmt.Fprintln(t, "no divergence\tgradients a fit\t")
	for _, row := range r.Rows {
		fmt.Fprintf(t, "%g\t", row.Lambda)
		for _, tier := range row.Tiers {
			fmt.Fprintf(t, "%.1f%%\t", 100*tier.Share)
		}
		fmt.Fprintf(t, "%.1f%%\t%.0f\t\n", 100*row.Clean, row.Effort)
	}
}

// printPredictors prints how well quantities that a search computes, such as the loss, predict the judge's verdict.
func printPredictors(t *tabwriter.Writer, r *sweep.Result) {
	if len(r.Predictors) == 0 {
		return
	}
	fmt.Fprint(t, "\nthe search's\tforms\tAUC of pass\t95%\tSpearman with weakest r\t")
	if len(r.Rows) > 1 {
		for _, row := range r.Rows {
			fmt.Fprintf(t, "AUC at λ %g\t", row.Lambda)
		}
	}
	fmt.Fprintln(t)
	for _, p := range r.Predictors {
		fmt.Fprintf(t, "%s\t%d\t%s\t%s–%s\t%s\t", p.Name, p.Forms, notation.Figure("%.3f", p.AUC), notation.Figure("%.3f", p.Interval[0]),
			notation.Figure("%.3f", p.Interval[1]), notation.Figure("%.3f", p.Spearman))
		if len(r.Rows) > 1 {
			for _, a := range p.Lambdas {
				fmt.Fprintf(t, "%s\t", notation.Figure("%.3f", a))
			}
		}
		fmt.Fprintln(t)
	}
}

func printRefit(t *tabwriter.Writer, r *sweep.Result) {
	if r.Refit == nil {
		return
	}
	fmt.Fprintln(t, "\nlonger chains\tforms\tgained\tlost\tsame\tshift of weakest r\t5% to 95%\tR-hat above 1.01\t")
	for _, g := range r.Refit.Groups {
		fmt.Fprintf(t, "%s\t%d\t%d\t%d\t%d\t%s\t%s to %s\t%s, then %s\t\n", g.Name, g.Forms, g.Gained, g.Lost, g.Same, notation.Figure("%+.4f", g.Median),
			notation.Figure("%+.3f", g.Interval[0]), notation.Figure("%+.3f", g.Interval[1]),
			notation.Figure("%.1f%%", 100*float64(g.RhatShare[0])), notation.Figure("%.1f%%", 100*float64(g.RhatShare[1])))
	}
}

func printScreen(t *tabwriter.Writer, r *sweep.Result) {
	if r.Screen == nil {
		return
	}
	fmt.Fprintln(t, "\nscreen at λ\tforms\tscreen passes\tNUTS passes\tboth pass\tscreen alone\tNUTS alone\trecovered\tr\tsame\t")
	rows := r.Screen.Rows
	if len(rows) > 1 {
		rows = append(slices.Clone(rows), r.Screen.All)
	}
	for _, row := range rows {
		p := row.Pass
		fmt.Fprintf(t, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t%.2f, %.2f\t%s\t%.0f%%\t\n", strings.Replace(notation.Figure("%g", row.Lambda), "-", "all", 1), row.Common,
			p[1][0]+p[1][1], p[0][1]+p[1][1], p[1][1], p[1][0], p[0][1], row.Mean[0], row.Mean[1], notation.Figure("%.2f", row.R), 100*float64(row.Same))
	}
}
