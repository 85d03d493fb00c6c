package judge

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"likc/cmd/likc/internal/cli"
	"likc/runtime/model/front"
	"likc/runtime/model/honesty"
	"likc/runtime/num/notation"
	"likc/search/study/bank"
	"likc/search/study/judge"

	"github.com/spf13/cobra"
)

// mostShown is how many candidates a report lists one by one.
const mostShown = 20

// report prints tables or JSON, and draws the figures.
func (f *judgeFlags) report(w io.Writer, job *judge.Job) error {
	if f.Figures != "" {
		ranked := slices.Clone(job.Verdicts)
		judge.Rank(ranked)
		if err := judge.DrawRecovery(f.Figures, ranked); err != nil {
			return err
		}
	}
	found := job.Outcome(mostShown)
	if f.JSON {
		return cli.PrintJSON(w, found)
	}
	fmt.Fprintf(w, "bank %s (%s, %s): %s%s\n\n", found.Bank,
		job.Bank.Settings.Model, found.Scheme, notation.Count(len(job.Bank.Subjects), "subject"), bracketed(job.Bank.Settings))
	if err := printVerdicts(w, found.Verdicts); err != nil {
		return err
	}
	if err := printErrors(w, found.Verdicts); err != nil {
		return err
	}
	if found.Unique > len(found.Verdicts) {
		fmt.Fprintf(w, "… the best %d of %d by the weakest correlation\n", len(found.Verdicts), found.Unique)
	}
	fmt.Fprintf(w, "\n%s, %s: %s\n", notation.Count(found.Candidates, "candidate"), notation.Count(found.Unique, "form"), front.Tiers(found.Tiers))
	switch all := &found.All; {
	case all.Searches > 0:
		if err := printGroups(w, found.Summary); err != nil {
			return err
		}
	case all.Compared > 0:
		fmt.Fprintf(w, "honest: %d of %s%s\n", all.Honest, notation.Count(all.Compared, "form"), undecided(found.Verdicts))
	}
	f.printWarnings(w, job, &found)
	return f.printTimes(w, job, &found)
}

// bracketed returns a sentence that says to which subjects the figures in brackets belong. It returns "" for a model of one
// response, which has no such figures.
func bracketed(s bank.Settings) string {
	m, err := s.Process()
	switch {
	case err != nil || !m.HasChoice():
		return ""
	case m.Numbered():
		return fmt.Sprintf("; in brackets those with at least %d responses of each choice", judge.FewOfOne)
	}
	return fmt.Sprintf("; in brackets those with at least %d responses at each boundary", judge.FewOfOne)
}

func printVerdicts(w io.Writer, all []*judge.Verdict) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(t, "model\tverdict\tweakest\t")
	for _, p := range all[0].Params {
		fmt.Fprintf(t, "r %s\tat edge\t", p.Name)
	}
	fmt.Fprintln(t, "R-hat\tabove 1.01\tdivergences\tfailed\t")
	for _, v := range all {
		fmt.Fprintf(t, "%s\t%s\t%s\t", v.Model, notation.Verdict(v.Pass), notation.Figure("%.3f", v.WeakestR))
		for _, p := range v.Params {
			fmt.Fprintf(t, "%s (%s)\t%.0f%%\t", notation.Figure("%.3f", p.R), notation.Figure("%.3f", p.RBoth), 100*float64(p.Edge))
		}
		fmt.Fprintf(t, "%s\t%d\t%d\t%d\t\n", notation.Figure("%.3f", v.RhatMax), v.RhatHigh, v.Divergences, v.Failed)
	}
	return t.Flush()
}

// printErrors prints how near estimates are to the truth and how often intervals hold it: a line a candidate and parameter.
func printErrors(w io.Writer, all []*judge.Verdict) error {
	compared := all[0].Reference != ""
	fmt.Fprintln(w)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	if fmt.Fprint(t, "model\tparameter\tbias\tRMSE\t90% covers\t"); compared {
		fmt.Fprintf(t, "50%% covers\tRMSE / %s\tsd / %s\thonest\t", all[0].Reference, all[0].Reference)
	}
	fmt.Fprintln(t)
	for _, v := range all {
		for i := range v.Params {
			p := &v.Params[i]
			fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t", v.Model, p.Name, notation.Figure("%+.3f", p.Bias), notation.Figure("%.3f", p.RMSE), notation.Figure("%.2f", p.Covered))
			if compared && p.Compared != nil {
				fmt.Fprintf(t, "%s\t%s\t%s\t%s\t", notation.Figure("%.2f", p.Covered50), notation.Figure("%.2f", p.RMSERatio), notation.Figure("%.2f", p.SDRatio), p.Honest())
			}
			fmt.Fprintln(t)
		}
	}
	return t.Flush()
}

// undecided names the candidates for which more subjects are needed, and the number of subjects.
func undecided(all []*judge.Verdict) string {
	var names []string
	for _, v := range all {
		if v.Honest == honesty.Undecided {
			names = append(names, fmt.Sprintf("%s is %s", v.Model, honesty.Say(v.Honest, v.UndecidedFor)))
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "; " + strings.Join(names, "; ")
}

func printGroups(w io.Writer, s judge.Summary) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(t, "λ\tsearches\twith a pass\texpressions\tpass\t% pass\t95% CI\tmean % per search\t")
	for _, p := range s.All.Params {
		fmt.Fprintf(t, "%s\t", p.Name)
	}
	if fmt.Fprint(t, "divergences\tcut short\t"); s.All.Compared > 0 {
		fmt.Fprint(t, "honest\t")
	}
	fmt.Fprintln(t)
	for _, g := range append(slices.Clone(s.Lambdas), s.All) {
		name, interval := "all", "-"
		if g.Lambda == g.Lambda {
			name = fmt.Sprintf("%g", float64(g.Lambda))
		}
		if len(g.Interval) == 2 {
			interval = fmt.Sprintf("%.1f–%.1f", 100*g.Interval[0], 100*g.Interval[1])
		}
		fmt.Fprintf(t, "%s\t%d\t%d\t%d\t%d\t%.1f%%\t%s\t%s\t", name, g.Searches, g.Any, g.Unique, g.Pass, 100*g.Share, interval,
			notation.Figure("%.1f%%", 100*float64(g.PerSearch)))
		for _, p := range g.Params {
			fmt.Fprintf(t, "%.0f%%\t", 100*p.Share)
		}
		if fmt.Fprintf(t, "%g\t%d\t", float64(g.Divergences), g.Limited); s.All.Compared > 0 {
			fmt.Fprintf(t, "%d of %d\t", g.Honest, g.Compared)
		}
		fmt.Fprintln(t)
	}
	return t.Flush()
}

func (f *judgeFlags) printWarnings(w io.Writer, job *judge.Job, a *judge.Outcome) {
	if a.GivenUp > 0 {
		fmt.Fprintf(w, "%s given up or not compiled: their verdicts say why\n", notation.Count(a.GivenUp, "form"))
	}
	if a.Failed+a.Limited > 0 {
		fmt.Fprintf(w, "of %s %d failed and %d were cut short at %d gradients\n", notation.Count(a.Fits, "fit"), a.Failed, a.Limited, f.Limit)
	}
	if f.Figures != "" && job.Kept > 0 && !f.Fits {
		fmt.Fprintf(w, "%s judged earlier without --fits: no figure\n", notation.Count(job.Kept, "candidate"))
	}
	if a.RhatShare > 0.25 {
		fmt.Fprintf(w, "warning: R-hat is above 1.01 in %.0f%% of the fits: judge the best again with --warmup 2000 --draws 2000 --chains 4\n", 100*a.RhatShare)
	}
	if n, forms := job.Diverged(); n > 0 {
		fmt.Fprintf(w, "warning: %s diverged, with %s: --adapt-delta closer to 1, or --stan-warmup, may mend it\n", notation.Count(n, "transition"), notation.Count(forms, "form"))
	}
	if job.Report.Slow != nil {
		fmt.Fprintf(w, "warning: likelihoods were interpreted, which takes a few times as long: %v\n", job.Report.Slow)
	}
}

func (f *judgeFlags) printTimes(w io.Writer, job *judge.Job, a *judge.Outcome) error {
	if job.Report.Timing.Fits == 0 {
		_, err := fmt.Fprintf(w, "nothing was left to judge: all verdicts are in %s\n", f.Out)
		return err
	}
	_, err := fmt.Fprintf(w, "%.1f s (%.1f s compiling), %s: %.3g fits/s, %.3g fits/s/core; gradient %.0f%%, sampler %.0f%%, binding %.0f%%, summaries %.0f%%\n",
		a.Seconds, a.Compiling, notation.Count(job.Report.Timing.Fits, "fit"), float64(a.FitsRate), float64(a.CoreRate),
		100*a.Split["gradient"], 100*a.Split["sampler"], 100*a.Split["binding"], 100*a.Split["summaries"])
	return err
}

// runCompare prints where two files of verdicts agree.
func runCompare(cmd *cobra.Command, first, second string, asJSON bool) error {
	a, err := cli.ReadVerdicts(first)
	if err != nil {
		return err
	}
	b, err := cli.ReadVerdicts(second)
	if err != nil {
		return err
	}
	c, err := judge.Compare(a, b)
	if err != nil {
		return err
	}
	w := cmd.OutOrStdout()
	if asJSON {
		return cli.PrintJSON(w, c)
	}
	name := [2]string{fmt.Sprintf("%s (%s, %s)", first, a[0].Method, a[0].Bank), fmt.Sprintf("%s (%s, %s)", second, b[0].Method, b[0].Bank)}
	fmt.Fprintf(w, "first:  %s\nsecond: %s\n%s in both, %d and %d in one alone\n\n", name[0], name[1], notation.Count(c.Common, "candidate"), c.Only[0], c.Only[1])
	fmt.Fprintf(w, "pass in both %d, in the first alone %d, in the second alone %d, in neither %d\n", c.Pass[1][1], c.Pass[1][0], c.Pass[0][1], c.Pass[0][0])
	fmt.Fprintf(w, "parameters recovered a candidate: %.2f and %.2f, r = %s, equal for %.0f%%; weakest correlations: r = %s\n\n", c.Mean[0], c.Mean[1],
		notation.Figure("%.2f", c.R), 100*c.Same, notation.Figure("%.2f", c.RWeakest))
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, d := range c.Differ {
		fmt.Fprintf(t, "%s\tfirst: %s, weakest %s\tsecond: %s, weakest %s\t%s\n", d.Model, notation.Verdict(d.Pass[0]), notation.Figure("%.3f", d.Weakest[0]),
			notation.Verdict(d.Pass[1]), notation.Figure("%.3f", d.Weakest[1]), d.Expr)
	}
	return t.Flush()
}
