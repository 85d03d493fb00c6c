package main

import (
	"fmt"
	"io"
	"math"
	"strings"
	"text/tabwriter"

	"likc/runtime/chains"
)

// print writes the results to stdout: a table a subject, or one table of all subjects.
func (r *fitRun) print(kept []*fitted) error {
	switch {
	case r.asJSON && r.many:
		return printJSON(r.stdout, r.subjectsJSON(kept))
	case r.asJSON:
		return printJSON(r.stdout, r.summary(kept[0]))
	case r.many:
		return r.printSubjects(kept)
	}
	f := kept[0]
	fmt.Fprintf(r.stdout, "model %s, %s", r.src.Name, count(f.trials(), "trial"))
	if f.mode != nil {
		fmt.Fprintf(r.stdout, ", posterior mode\n\n")
		return printMode(r.stdout, r.src.ParamNames(), f)
	}
	fmt.Fprintf(r.stdout, ", %s of %s\n\n", count(len(f.draws.Chains), "chain"), count(f.draws.Len(), "draw"))
	if err := printSummaries(r.stdout, f.summaries); err != nil {
		return err
	}
	_, err := fmt.Fprintf(r.stdout, "\n%s, %d gradients, %.3g s\n", count(f.draws.Divergences(), "divergent transition"), f.draws.TotalGradients(), f.seconds)
	return err
}

// count is a number of things: 1 chain, 2 chains.
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// printSummaries writes a row a parameter.
func printSummaries(w io.Writer, all []chains.Summary) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "\tmean\tMCSE\tsd\t5%\t50%\t95%\tR-hat\tESS bulk\tESS tail\t")
	for _, s := range all {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t\n", s.Name, short(s.Mean), figureOf("%.2g", s.MCSEMean), short(s.SD),
			short(s.Q5), short(s.Q50), short(s.Q95), figureOf("%.4f", s.Rhat), figureOf("%.0f", s.ESSBulk), figureOf("%.0f", s.ESSTail))
	}
	return t.Flush()
}

func short(x float64) string { return figureOf("%.4g", x) }

// figureOf writes a number, or a dash where it is undefined.
func figureOf(format string, x float64) string {
	if math.IsNaN(x) {
		return "-"
	}
	return fmt.Sprintf(format, x)
}

func printMode(w io.Writer, names []string, f *fitted) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "\tmode\tsd (Laplace)\t")
	for i, name := range names {
		fmt.Fprintf(t, "%s\t%s\t%s\t\n", name, short(f.mode.Theta[i]), short(f.mode.SD[i]))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\nlog density %.10g, %d gradients, %.3g s\n", f.mode.LogDensity, f.mode.Gradients, f.seconds)
	return err
}

// printSubjects writes a row a subject.
func (r *fitRun) printSubjects(kept []*fitted) error {
	fmt.Fprintf(r.stdout, "model %s, %s: means (sds)\n\n", r.src.Name, count(len(kept), "subject"))
	t := tabwriter.NewWriter(r.stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(t, "subject\ttrials\t%s\tR-hat\tESS bulk\tESS tail\tdivergences\t\n", strings.Join(r.src.ParamNames(), "\t"))
	for _, f := range kept {
		fmt.Fprintf(t, "%s\t%d\t", f.label, f.trials())
		if f.mode != nil {
			for i := range f.mode.Theta {
				fmt.Fprintf(t, "%.3f (%s)\t", f.mode.Theta[i], figureOf("%.3f", f.mode.SD[i]))
			}
			fmt.Fprintf(t, "-\t-\t-\t-\t\n")
			continue
		}
		rhat, bulk, tail := worst(f.summaries)
		for _, s := range f.summaries {
			fmt.Fprintf(t, "%.3f (%.3f)\t", s.Mean, s.SD)
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%d\t\n", figureOf("%.3f", rhat), figureOf("%.0f", bulk), figureOf("%.0f", tail), f.draws.Divergences())
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
	if f.draws == nil {
		return
	}
	whose := ""
	if f.label != "" {
		whose = "subject " + f.label + ": "
	}
	for _, finding := range f.draws.Diagnose(f.summaries) {
		if !finding.OK {
			fmt.Fprintf(w, "likc: warning: %s%s\n", whose, strings.ReplaceAll(flagNames.Replace(finding.Text), "\n", "\n  "))
		}
	}
}

// flagNames turns settings in advice into flags.
var flagNames = strings.NewReplacer("max_depth", "--max-depth", "adapt_delta", "--adapt-delta", "Draw more", "Draw more (--draws, --warmup)")
