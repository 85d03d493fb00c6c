package fit

import (
	"context"
	"errors"
	"fmt"
	"io"
	"likc/cmd/likc/internal/cli"
	"likc/runtime/chains"
	"likc/runtime/posterior"
	"math"
	"strings"
	"text/tabwriter"
)

// print writes the results to stdout: a table a subject, or one table of all subjects.
func (r *fitRun) print(kept []*fitted, partial bool) error {
	switch {
	case r.asJSON && r.many:
		return cli.PrintJSON(r.stdout, r.subjectsJSON(kept, partial))
	case r.asJSON:
		return cli.PrintJSON(r.stdout, r.json(kept[0]))
	case r.many:
		return r.printSubjects(kept)
	}
	f := kept[0]
	fmt.Fprintf(r.stdout, "model %s, %s", r.src.Name, cli.Count(f.trials(), "trial"))
	if f.mode != nil {
		fmt.Fprintf(r.stdout, ", posterior mode\n\n")
		return printMode(r.stdout, r.src.ParamNames(), f)
	}
	fmt.Fprintf(r.stdout, ", %s of %s\n", cli.Count(f.summary.Chains, "chain"), cli.Count(f.summary.Draws, "draw"))
	if f.summary.Partial {
		fmt.Fprintf(r.stdout, "a part of the fit: %v draws in its chains, of which these are what all have\n", f.summary.DrawsPerChain)
	}
	fmt.Fprintln(r.stdout)
	if err := printSummaries(r.stdout, f.summaries); err != nil {
		return err
	}
	_, err := fmt.Fprintf(r.stdout, "\n%s, %d gradients, %.3g s\n", cli.Count(f.summary.Divergences, "divergent transition"), f.summary.Gradients, f.seconds)
	return err
}

// printSummaries writes a row a parameter.
func printSummaries(w io.Writer, all []chains.Summary) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "\tmean\tMCSE\tsd\t5%\t50%\t95%\tR-hat\tESS bulk\tESS tail\t")
	for _, s := range all {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t\n", s.Name, short(s.Mean), cli.FigureOf("%.2g", s.MCSEMean), short(s.SD),
			short(s.Q5), short(s.Q50), short(s.Q95), rhatOf("%.4f", s.Rhat), cli.FigureOf("%.0f", s.ESSBulk), cli.FigureOf("%.0f", s.ESSTail))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, s := range all {
		if s.Undefined != "" {
			if _, err := fmt.Fprintf(w, "- of %s: undefined (%s)\n", s.Name, s.Undefined); err != nil {
				return err
			}
		}
	}
	return nil
}

func short(x float64) string { return cli.FigureOf("%.4g", x) }

// rhatOf writes R-hat; digits of a large one say nothing.
func rhatOf(format string, x float64) string {
	if x > 1000 {
		return chains.RhatText(x)
	}
	return cli.FigureOf(format, x)
}

// sdOf writes Laplace's standard deviation of a mode's parameter, or why there is none.
func sdOf(format string, m *posterior.Mode, i int) string {
	if m.AtBound[i] {
		return "at bound"
	}
	if m.Level[i] {
		return "undetermined"
	}
	return cli.FigureOf(format, m.SD[i])
}

func printMode(w io.Writer, names []string, f *fitted) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "\tmode\tsd (Laplace)\t")
	for i, name := range names {
		fmt.Fprintf(t, "%s\t%s\t%s\t\n", name, short(f.mode.Theta[i]), sdOf("%.4g", f.mode, i))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\nlog density %.10g, %d gradients, %.3g s\n", f.mode.LogDensity, f.mode.Gradients, f.seconds)
	return err
}

// printSubjects writes a row a subject.
func (r *fitRun) printSubjects(kept []*fitted) error {
	fmt.Fprintf(r.stdout, "model %s, %s: means (sds)\n\n", r.src.Name, cli.Count(len(kept), "subject"))
	t := tabwriter.NewWriter(r.stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(t, "subject\ttrials\t%s\tR-hat\tESS bulk\tESS tail\tdivergences\t\n", strings.Join(r.src.ParamNames(), "\t"))
	for _, f := range kept {
		fmt.Fprintf(t, "%s\t%d\t", f.label, f.trials())
		if f.mode != nil {
			for i := range f.mode.Theta {
				fmt.Fprintf(t, "%.3f (%s)\t", f.mode.Theta[i], sdOf("%.3f", f.mode, i))
			}
			fmt.Fprintf(t, "-\t-\t-\t-\t\n")
			continue
		}
		rhat, bulk, tail := worst(f.summaries)
		for _, s := range f.summaries {
			fmt.Fprintf(t, "%.3f (%.3f)\t", s.Mean, s.SD)
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%d\t\n", rhatOf("%.3f", rhat), cli.FigureOf("%.0f", bulk), cli.FigureOf("%.0f", tail), f.summary.Divergences)
	}
	return t.Flush()
}

// worst figures of all parameters; NaN if one is undefined.
func worst(all []chains.Summary) (rhat, bulk, tail float64) {
	rhat, bulk, tail = math.Inf(-1), math.Inf(1), math.Inf(1)
	for _, s := range all {
		rhat, bulk, tail = max(rhat, s.Rhat), min(bulk, s.ESSBulk), min(tail, s.ESSTail)
	}
	return rhat, bulk, tail
}

// warn says what the draws' diagnosis finds wrong, in CmdStan's words.
func warn(w io.Writer, f *fitted) {
	whose := ""
	if f.label != "" {
		whose = "subject " + f.label + ": "
	}
	for _, finding := range f.findings {
		if !finding.OK {
			fmt.Fprintf(w, "likc: warning: %s%s\n", whose, strings.ReplaceAll(flagNames.Replace(finding.Text), "\n", "\n  "))
		}
	}
	if names := f.undetermined(); len(names) > 0 {
		fmt.Fprintf(w, "likc: warning: %s%s: not determined by the data: the density hardly falls within the range, and the mode\n"+
			"  has no standard deviation. Without --map the fit says what is known.\n", whose, strings.Join(names, ", "))
	}
	if f.figures != nil && !errors.Is(f.figures, context.Canceled) {
		fmt.Fprintf(w, "likc: warning: %s%s\n", whose, cli.OneLine(f.figures))
	}
}

// flagNames turns settings in advice into flags.
var flagNames = strings.NewReplacer("max_depth", "--max-depth",
	"Try increasing adapt_delta closer to 1.", "Try --adapt-delta closer to 1, or --stan-warmup.", "Draw more", "Draw more (--draws, --warmup)")
