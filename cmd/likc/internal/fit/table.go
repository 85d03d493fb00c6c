package fit

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"likc/cmd/likc/internal/cli"
	"likc/runtime/fit"
	"likc/runtime/num/chains"
	"likc/runtime/num/notation"
)

// print writes the results to stdout: a table of one subject, or one table of all.
func (o *output) print(s fit.Subjects) error {
	switch {
	case len(s.Kept) == 0:
		return nil
	case o.JSON && o.many:
		return cli.PrintJSON(o.stdout, s)
	case o.JSON:
		return cli.PrintJSON(o.stdout, s.Kept[0].JSON())
	case o.many:
		return o.printSubjects(s)
	}
	return o.printSubject(s.Kept[0])
}

// printSubject prints the table of one subject's estimates and the findings about its draws.
func (o *output) printSubject(r *fit.Result) error {
	fmt.Fprintf(o.stdout, "model %s, %s", o.spec.Model.Name, notation.Count(r.Trials(), "trial"))
	if r.Mode != nil {
		fmt.Fprintf(o.stdout, ", posterior mode\n\n")
		if len(r.Mode.Cells) > 0 {
			where := "--json has all"
			if o.Dir != "" {
				where = filepath.Join(o.Dir, "summary.json") + " has all"
			}
			if err := printModeCells(o.stdout, r.Mode.Cells, where); err != nil {
				return err
			}
		}
		if err := printMode(o.stdout, r.Mode); err != nil {
			return err
		}
		o.printFixed("")
		return nil
	}
	s := r.Summary
	fmt.Fprintf(o.stdout, ", %s of %s\n", notation.Count(s.Chains, "chain"), notation.Count(s.Draws, "draw"))
	if s.PriorOnly {
		fmt.Fprintln(o.stdout, "draws from the priors: the data had no say")
	}
	if s.Partial {
		fmt.Fprintf(o.stdout, "a part of the fit: %v draws in its chains, of which these are what all have\n", s.DrawsPerChain)
	}
	fmt.Fprintln(o.stdout)
	if len(s.Cells) > 0 {
		where := "-o DIR writes all in DIR/cells.csv"
		if o.Dir != "" {
			where = filepath.Join(o.Dir, "cells.csv") + " has all"
		}
		if err := printCells(o.stdout, s.Cells, where); err != nil {
			return err
		}
	}
	if err := printSummaries(o.stdout, s.Params); err != nil {
		return err
	}
	printLeaning(o.stdout, s.Leaning)
	o.printFixed("")
	fmt.Fprintf(o.stdout, "\n%s, %d gradients, %.3g s\n", notation.Count(s.Divergences, "divergent transition"), s.Gradients, s.Seconds)
	return printLOO(o.stdout, s.LOO, o.spec.Model.Stateful())
}

// printLOO writes PSIS-LOO, if the fit has it. Trials of a model with states are predicted from those before them.
func printLOO(w io.Writer, l *fit.LOO, stateful bool) error {
	if l == nil {
		return nil
	}
	ahead := ""
	if stateful {
		ahead = ", one step ahead: each trial given those before it"
	}
	_, err := fmt.Fprintf(w, "PSIS-LOO: elpd %s (se %s), p_loo %s%s\n", notation.Figure("%.1f", l.ELPD), notation.Figure("%.1f", l.SE), notation.Figure("%.2f", l.P), ahead)
	return err
}

// printLeaning writes, below a table, warnings about the parameters whose estimates cannot be trusted.
func printLeaning(w io.Writer, all []fit.Lean) {
	for _, l := range all {
		fmt.Fprintf(w, "! %s leans on %s, an end of its range\n", l.Name, short(l.End))
	}
}

// printFixed lists the fixed parameters, if there are any: z = 0.5, t = 0.2.
func (o *output) printFixed(before string) {
	var texts []string
	for _, p := range o.spec.Fixed() {
		texts = append(texts, fmt.Sprintf("%s = %s", p.Name, short(p.Value)))
	}
	if texts != nil {
		fmt.Fprintf(o.stdout, "%sfixed: %s\n", before, strings.Join(texts, ", "))
	}
}

// printSummaries writes a row for each parameter.
func printSummaries(w io.Writer, all []chains.Summary) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "\tmean\tMCSE\tsd\t5%\t50%\t95%\tR-hat\tESS bulk\tESS tail\t")
	for _, s := range all {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t\n", s.Name, short(s.Mean), notation.Figure("%.2g", s.MCSEMean), short(s.SD),
			short(s.Q5), short(s.Q50), short(s.Q95), rhatOf("%.4f", s.Rhat), notation.Figure("%.0f", s.ESSBulk), notation.Figure("%.0f", s.ESSTail))
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

// short returns a number with four digits.
func short(x float64) string { return notation.Figure("%.4g", x) }

// rhatOf writes R-hat. It leaves out the digits of a large one, which mean nothing.
func rhatOf(format string, x float64) string {
	if x > 1000 {
		return chains.RhatText(x)
	}
	return notation.Figure(format, x)
}

// sdOf returns the text of a mode's standard deviation by Laplace's approximation, or the reason why it is undefined.
func sdOf(format string, p fit.ModeParam) string {
	if p.AtBound {
		return "at bound"
	}
	if p.Undetermined {
		return "undetermined"
	}
	return notation.Figure(format, float64(p.SD))
}

// printMode prints the posterior mode: a table of its parameters.
func printMode(w io.Writer, m *fit.Mode) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "\tmode\tsd (Laplace)\t")
	for _, p := range m.Params {
		fmt.Fprintf(t, "%s\t%s\t%s\t\n", p.Name, short(p.Mode), sdOf("%.4g", p))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\nlog density %.10g, %d gradients, %.3g s\n", m.LogDensity, m.Gradients, m.Seconds)
	return err
}

// printSubjects writes a row for each subject.
func (o *output) printSubjects(s fit.Subjects) error {
	kept, names := s.Kept, s.Names()
	fmt.Fprintf(o.stdout, "model %s, %s: means (sds)\n\n", o.spec.Model.Name, notation.Count(len(kept), "subject"))
	t := tabwriter.NewWriter(o.stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	leaning := false
	fmt.Fprintf(t, "subject\ttrials\t%s\tR-hat\tESS bulk\tESS tail\tdivergences\t\n", strings.Join(names, "\t"))
	for _, r := range kept {
		fmt.Fprintf(t, "%s\t%d\t", r.Label, r.Trials())
		if r.Mode != nil {
			for _, name := range names {
				if p := r.Mode.Params.Named(name); p.Name == "" {
					fmt.Fprint(t, "-\t")
				} else {
					fmt.Fprintf(t, "%.3f (%s)\t", p.Mode, sdOf("%.3f", p))
				}
			}
			fmt.Fprintf(t, "-\t-\t-\t-\t\n")
			continue
		}
		rhat, bulk, tail := worst(r.Summary.Params)
		for _, name := range names {
			s, mark := r.Summary.Params.Named(name), ""
			if s.Name == "" {
				fmt.Fprint(t, "-\t")
				continue
			}
			if r.Summary.Leans(s.Name) {
				mark, leaning = "!", true
			}
			fmt.Fprintf(t, "%.3f (%.3f)%s\t", s.Mean, s.SD, mark)
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%d\t\n", rhatOf("%.3f", rhat), notation.Figure("%.0f", bulk), notation.Figure("%.0f", tail), r.Summary.Divergences)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if leaning {
		fmt.Fprintln(o.stdout, "\n! leans on an end of its range")
	}
	o.printFixed("\n")
	return nil
}

// worst returns the largest R-hat and the smallest effective sample sizes, in bulk and in tails, of all parameters; NaN if one is undefined.
func worst(all []chains.Summary) (rhat, bulk, tail float64) {
	rhat, bulk, tail = math.Inf(-1), math.Inf(1), math.Inf(1)
	for _, s := range all {
		rhat, bulk, tail = max(rhat, s.Rhat), min(bulk, s.ESSBulk), min(tail, s.ESSTail)
	}
	return rhat, bulk, tail
}

// warnOfLOO prints for how many trials PSIS-LOO is uncertain: a warning, but a note where they are few and the model predicts the data.
func (o *output) warnOfLOO(r *fit.Result, warn func(string)) {
	if r.Summary == nil {
		return
	}
	text, check := r.Summary.LOO.Warning(r.Trials()), r.Summary.PredictiveCheck
	switch {
	case text == "":
	case r.Summary.LOO.Few(r.Trials()) && (check == nil || !check.Misfit):
		fmt.Fprintf(o.stderr, "likc: note: %s\n", r.Name(errors.New(text)))
	default:
		warn(text)
	}
}

// warn prints the problems that the diagnosis of the draws finds, in the words of CmdStan.
func (o *output) warn(r *fit.Result) {
	say := func(text string) {
		fmt.Fprintf(o.stderr, "likc: warning: %s\n", strings.ReplaceAll(r.Name(errors.New(text)).Error(), "\n", "\n  "))
	}
	for _, finding := range r.Findings {
		if !finding.OK {
			say(flagNames.Replace(finding.Text))
		}
	}
	if r.Summary != nil && r.Summary.Advice != "" {
		say(r.Summary.Advice)
	}
	o.warnOfLOO(r, say)
	if r.Summary != nil {
		for _, l := range r.Summary.Leaning {
			say(leanText(l))
		}
		for _, p := range r.Summary.Pulls {
			say(p.String())
		}
		if c := r.Summary.PredictiveCheck; c != nil && c.Misfit {
			figure := "predictive.svg"
			if o.spec.Model.TimeColumn() < 0 {
				figure = "course.svg"
			}
			say("the model does not predict the data: " + c.String() + ".\nSee " + figure + ": estimates of a model that does not fit may be far off.")
		}
	}
	if r.Mode != nil && len(r.Mode.Undetermined()) > 0 {
		say(strings.Join(r.Mode.Undetermined(), ", ") + ": not determined by the data: the density hardly falls within the range, and the mode\n" +
			"has no standard deviation. Without --map the fit says what is known.")
	}
	if r.Mode != nil && len(r.Mode.Uncurved()) > 0 {
		say(strings.Join(r.Mode.Uncurved(), ", ") + ": no standard deviation, because the density is not curved there as at a maximum. " +
			"Without --map the fit says what is known.")
	}
	if r.Figures != nil && !errors.Is(r.Figures, context.Canceled) {
		say(cli.OneLine(r.Figures))
	}
}

// leanText returns the advice in words, with the names of flags.
func leanText(l fit.Lean) string {
	return strings.Replace(strings.Replace(l.String(), "range, as to ", "range: --range ", 1), "widen its prior, ", "widen its --prior, ", 1)
}

// flagNames replaces the names of settings in advice by those of flags.
var flagNames = strings.NewReplacer("max_depth", "--max-depth")
