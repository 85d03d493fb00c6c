package report

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/DataDog/datadog-agent/pkg/template/html"

	"likc/runtime/num/finite"
	"likc/runtime/num/notation"
	"likc/search/study/applied"
)

// study is a study of real participants to which the run's expressions were fitted.
type study struct {
	*applied.Summary
	Trials, Participants int
	Paper                *applied.Summary // the paper's figures of the same study; nil for none
	Levels               []template.HTML  // a chart of the participants' estimates for each parameter that varies
	Times                template.HTML    // seconds of the fits
}

// applied reads the fits of studies.
func (p *page) applied(r *run) error {
	for _, name := range r.units("applied") {
		file, ok := r.path(name, "APPLIED.jsonl")
		if !ok {
			continue
		}
		h, all, err := applied.Read(file)
		if err != nil {
			return err
		}
		s := study{Summary: applied.Compare(h, all), Trials: h.Trials}
		s.Paper = p.Paper.on(p.Recipe.Model).study(s.Study)
		s.draw(all)
		p.Applied = append(p.Applied, s)
	}
	return nil
}

// study returns the paper's figures for a study; nil if it has none.
func (p paper) study(name string) *applied.Summary {
	for i := range p.Applied {
		if p.Applied[i].Study == name {
			return &p.Applied[i]
		}
	}
	return nil
}

// Of returns the paper's figures for a parameter; nil if it has none.
func (s study) Of(param string) *applied.Agreement {
	if s.Paper == nil {
		return nil
	}
	for i := range s.Paper.Params {
		if s.Paper.Params[i].Name == param {
			return &s.Paper.Params[i]
		}
	}
	return nil
}

// Share writes part/whole in percent.
func (s study) Share(part, whole int) string {
	return fixed(100*float64(part)/float64(whole), 1) + " %"
}

// PrintApplied prints the comparison of a study's fits as tables of text, with the paper's figures where it has any.
func PrintApplied(w io.Writer, s *applied.Summary) error {
	p, err := readPaper()
	if err != nil {
		return err
	}
	paper := p.study(s.Study)
	parts := []func(*tabwriter.Writer, *applied.Summary, *applied.Summary){printAgreement, printShifts, printModels}
	if s.Expressions == 0 {
		fmt.Fprintf(w, "%s: no expression passed, and only models were fitted\n", s.Study)
		parts = parts[1:]
	} else {
		printCounts(w, s, paper)
	}
	for _, part := range parts {
		t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
		fmt.Fprintln(w)
		part(t, s, paper)
		if err := t.Flush(); err != nil {
			return err
		}
	}
	return nil
}

// printCounts prints the number of fits and their times.
func printCounts(w io.Writer, s, paper *applied.Summary) {
	fmt.Fprintf(w, "%s: %s, %d converged (all R-hat below 1.01), %d could not be fitted\n", s.Study, notation.Count(s.Expressions, "expression"), s.Converged, s.Failed)
	fmt.Fprintf(w, "seconds of a fit on one core: median %s, %s %s; %d slower\n", figureOf(s.Seconds), s.Reference, figureOf(s.OfReference), s.Slower)
	if paper != nil {
		fmt.Fprintf(w, "the paper: %d expressions, %d converged; median %s s, exact %s s\n", paper.Expressions, paper.Converged, figureOf(paper.Seconds), figureOf(paper.OfReference))
	}
}

func figureOf(x finite.Number) string { return notation.Figure("%.3g", float64(x)) }

// printAgreement prints a row for each parameter, with the paper's row below it.
func printAgreement(t *tabwriter.Writer, s, paper *applied.Summary) {
	fmt.Fprintln(t, "participants' means\trank correlation\t10th percentile\tspread ratio\tinflated\tshift\tat bound\t")
	row := func(name string, a applied.Agreement) {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%d\t\n", name, figureOf(a.Rank), figureOf(a.LowRank), figureOf(a.Spread), figureOf(a.Inflated), figureOf(a.Shift), a.Bound)
	}
	for _, a := range s.Params {
		row(a.Name, a)
		if other := (study{Paper: paper}).Of(a.Name); other != nil {
			row("paper", *other)
		}
	}
}

// printShifts prints a row for each coefficient of the regression.
func printShifts(t *tabwriter.Writer, s, _ *applied.Summary) {
	fmt.Fprintf(t, "coefficient\t%s\tsd\tmedian of expressions\t5%%\t95%%\t\n", s.Reference)
	for _, c := range s.Shifts {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t\n", c.Name, figureOf(c.Mean), figureOf(c.SD), figureOf(c.Median), figureOf(c.Interval[0]), figureOf(c.Interval[1]))
	}
}

// printModels prints a row for each model that was fitted beside the expressions.
func printModels(t *tabwriter.Writer, s, _ *applied.Summary) {
	fmt.Fprint(t, "model\tseconds\tR-hat\tESS bulk\tdivergences\tgradients\t")
	for _, a := range s.Params {
		fmt.Fprintf(t, "rank of %s\t", a.Name)
	}
	fmt.Fprintln(t)
	for _, m := range s.Models {
		if m.Failed != "" {
			fmt.Fprintf(t, "%s\tfailed: %s\t\n", m.Model, m.Failed)
			continue
		}
		fmt.Fprintf(t, "%s\t%.3g\t%s\t%s\t%d\t%d\t", m.Model, m.Seconds, notation.Figure("%.4f", float64(m.Rhat)), notation.Figure("%.0f", float64(m.ESS)), m.Divergences, m.Gradients)
		for _, a := range m.Agreement {
			fmt.Fprintf(t, "%s\t", figureOf(a.Rank))
		}
		fmt.Fprintln(t)
	}
}
