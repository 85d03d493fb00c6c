package checks

import (
	"fmt"
	"io"
	"math"
	"strings"
	"text/tabwriter"

	"likc/runtime/num/notation"
	"likc/search/study/ablate"
)

// print prints one table for each model. Its terms are in descending order of how much recovery is lost without them. The numbers that
// replace a term are in ascending order of that loss.
func (f *ablateFlags) print(w io.Writer, all []*ablate.Summary) error {
	for i, s := range all {
		if i > 0 {
			fmt.Fprintln(w)
		}
		if err := f.printOne(w, s); err != nil {
			return err
		}
	}
	return nil
}

func (f *ablateFlags) printOne(w io.Writer, s *ablate.Summary) error {
	fmt.Fprintf(w, "%s: %s judged on %s of the bank %s\n\n", s.Model, notation.Count(s.Forms, "formula"), notation.Count(s.Subjects, "subject"), s.Bank)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprint(t, "term\tnodes\tbecomes\tcarries")
	for _, p := range s.Whole.Params {
		fmt.Fprintf(t, "\t%s", p.Name)
	}
	fmt.Fprintln(t, "\tr\tRMSE\tcovers\tlost")
	printOutcome(t, "(nothing)", "", "", &s.Whole, &s.Whole)
	terms := s.Terms
	if f.Top > 0 && len(terms) > f.Top {
		terms = terms[:f.Top]
	}
	for _, term := range terms {
		for k := range term.Replacements {
			r := &term.Replacements[k]
			text, nodes := "", ""
			if k == 0 {
				text, nodes = term.Text, fmt.Sprint(term.Size)
			}
			printOutcome(t, text, nodes, fmt.Sprintf("%g", r.Value), &r.Outcome, &s.Whole)
		}
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if n := len(s.Terms) - len(terms); n > 0 {
		fmt.Fprintf(w, "%s more carry less; --top 0 prints all\n", notation.Count(n, "term"))
	}
	return nil
}

// printOutcome prints a line of the table: the judge's result for the formula with one term replaced.
func printOutcome(t io.Writer, text, nodes, becomes string, o, whole *ablate.Outcome) {
	fmt.Fprintf(t, "%s\t%s\t%s\t%.2f", text, nodes, becomes, o.Carried)
	for _, p := range o.Params {
		fmt.Fprintf(t, "\t%.2f", p.Carried)
	}
	fmt.Fprintf(t, "\t%s\t%s\t%s\t%s\n", notation.Figure("%.3f", o.WeakestR),
		notation.Figure("%.2f", o.WorstRatio()), coverage(o), lost(o, whole))
}

// coverage writes the range of the coverages of 90 % intervals over the parameters, "-" where no fit succeeded.
func coverage(o *ablate.Outcome) string {
	low, high := o.Coverage()
	if math.IsNaN(low) || math.IsNaN(high) {
		return "-"
	}
	return fmt.Sprintf("%.2f–%.2f", low, high)
}

// lost names the parameters whose recovery or coverage is lost; where the formula could not be judged, it gives the reason.
func lost(o, whole *ablate.Outcome) string {
	if o.Reason != "" {
		causes := strings.Split(o.Reason, ": ")
		return "all: " + causes[len(causes)-1]
	}
	var words []string
	recovery, coverage := o.Lost(whole)
	if len(recovery) > 0 {
		words = append(words, "recovery of "+strings.Join(recovery, ", "))
	}
	if len(coverage) > 0 {
		words = append(words, "coverage of "+strings.Join(coverage, ", "))
	}
	return strings.Join(words, "; ")
}
