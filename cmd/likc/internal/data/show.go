package data

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"likc/search/study/bank"
)

// showBank prints a bank's settings and parameters as tables.
func showBank(w io.Writer, dir string, b *bank.Bank) error {
	s := bank.Describe(b)
	line := func(label, format string, args ...any) {
		fmt.Fprintf(w, "%-10s %s\n", label, fmt.Sprintf(format, args...))
	}
	line("bank", "%s", dir)
	line("role", "%s: %s", s.Role, purposeOf(s.Role))
	line("model", "%s, %s, seed %d", s.Model, schemeText(s.Settings), s.Seed)
	line("subjects", "%d (%d to %d)", s.Settings.Subjects, s.First, s.Last)
	line("trials", "%d kept, %s a subject; %d of %d simulated were dropped (not finite, or not in 0 to 20 s)",
		s.Kept, span(s.Fewest, s.Most), s.Dropped, simulatedTrials(s))
	if d := s.Design; d != nil {
		line("columns", "%s, from data with SHA-256 %.12s…", strings.Join(d.Columns, ", "), d.SHA256)
	}
	if s.UpperOnly {
		line("reflected", "%d subjects, whose lower trials became upper ones", s.Reflected)
	}
	if len(s.Choice) > 0 {
		line("choice", "%s", choiceShares(s))
	}
	if err := printSpread(w, s.Theta); err != nil || s.RT == nil {
		return err
	}
	return printQuantiles(w, s)
}

// simulatedTrials returns the number of trials that were simulated for a bank. With a design, a trial that is dropped is simulated again.
func simulatedTrials(s bank.Summary) int {
	if s.Design != nil {
		return s.Kept + s.Dropped
	}
	return s.Settings.Subjects * s.Simulated
}

// choiceShares returns a text with the share of trials of each choice.
func choiceShares(s bank.Summary) string {
	if _, boundaries := s.Choice["upper"]; boundaries {
		return fmt.Sprintf("upper %.4f, lower %.4f", s.Share("upper"), 1-s.Share("upper"))
	}
	var words []string
	for _, choice := range slices.Sorted(maps.Keys(s.Choice)) {
		words = append(words, fmt.Sprintf("%s %.4f", choice, s.Share(choice)))
	}
	return strings.Join(words, ", ")
}

// purposeOf returns what banks of a role are for, or "unknown".
func purposeOf(role string) string {
	r, err := bank.RoleNamed(role)
	if err != nil {
		return "unknown"
	}
	return r.Purpose
}

// schemeText returns a text about the scheme that simulated the bank's trials.
func schemeText(s bank.Settings) string {
	if s.Scheme == "exact" {
		return "exact scheme"
	}
	return fmt.Sprintf("%s scheme with dt %v s, at most %v s", s.Scheme, s.Step, s.MaxTime)
}

// span returns two whole numbers as the text of a range, or as one number if they are equal.
func span(least, most int) string {
	if least == most {
		return fmt.Sprint(least)
	}
	return fmt.Sprintf("%d to %d", least, most)
}

// printSpread prints a table of the true parameters of a bank's subjects.
func printSpread(w io.Writer, theta []bank.Spread) error {
	t := tabwriter.NewWriter(w, 11, 0, 2, ' ', 0)
	fmt.Fprint(t, "\ntrue θ\tlower\tupper\tmin\tmean\tmax\n")
	for _, p := range theta {
		fmt.Fprintf(t, "%s\t%v\t%v\t%.4f\t%.4f\t%.4f\n", p.Name, p.Lower, p.Upper, p.Min, p.Mean, p.Max)
	}
	return t.Flush()
}

func printQuantiles(w io.Writer, s bank.Summary) error {
	t := tabwriter.NewWriter(w, 11, 0, 2, ' ', 0)
	fmt.Fprint(t, "\nrt (s)\tmin\t10 %\t25 %\t50 %\t75 %\t90 %\tmax\n")
	for _, row := range []struct {
		name string
		q    *bank.Quantiles
	}{{"all", s.RT}, {"upper", s.RTUpper}, {"lower", s.RTLower}} {
		if q := row.q; q != nil {
			fmt.Fprintf(t, "%s\t%.4f\t%.4f\t%.4f\t%.4f\t%.4f\t%.4f\t%.4f\n", row.name, q.Min, q.Q10, q.Q25, q.Q50, q.Q75, q.Q90, q.Max)
		}
	}
	return t.Flush()
}
