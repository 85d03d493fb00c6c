package model

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"likc/runtime/model/catalog"
	"likc/runtime/model/honesty"
	"likc/runtime/num/notation"
)

// describeModels prints descriptions of some models, with an empty line between them.
func describeModels(w io.Writer, all []*catalog.Model) error {
	for i, e := range listed(all) {
		if i > 0 {
			fmt.Fprintln(w)
		}
		describe(w, e)
		if err := printParams(w, e); err != nil {
			return err
		}
	}
	return nil
}

// describe prints a model's meaning, its data, its parameters and its source.
func describe(w io.Writer, e entry) {
	fmt.Fprintf(w, "%s (%s)\n", e.Name, e.Kind)
	if e.About != "" {
		fmt.Fprintln(w, e.About)
	}
	fmt.Fprintln(w)
	if e.Cites != "" {
		fmt.Fprintf(w, "origin     %s\n", e.Cites)
	}
	fmt.Fprintf(w, "columns    %s\n", strings.Join(e.Trials, ", "))
	fmt.Fprintf(w, "choices    %s\n", choicesNamed(e))
	simulator := "none"
	if e.Process != "" {
		simulator = fmt.Sprintf("%s (%s)", e.Process, strings.Join(e.Schemes, ", "))
	}
	fmt.Fprintf(w, "simulator  %s\n", simulator)
	if j := e.Judged; j != nil {
		fmt.Fprintf(w, "judged     on %s, beside %s: %s\n", judgedOn(j), j.Reference, judgement(j))
	}
	if e.Gate != nil {
		fmt.Fprintf(w, "gate       %s\n", cmp.Or(e.Gate.summary, e.Gate.Verdict))
	}
	fmt.Fprintln(w)
}

// choicesNamed lists the codes of a model's choices, and which boundary is which.
func choicesNamed(e entry) string {
	switch codes := e.Choices; {
	case len(codes) == 0:
		return "none: one kind of response"
	case codes[len(codes)-1] == -1:
		return "1 (upper boundary), -1 (lower boundary)"
	}
	return strings.Join(strings.Fields(choicesOf(e)), ", ")
}

// judgedOn returns a text about the subjects on which a model was judged.
func judgedOn(j *catalog.Judged) string {
	subjects := notation.Count(j.Subjects, "simulated subject")
	if j.Trials == 0 {
		return subjects
	}
	return fmt.Sprintf("%s of %s", subjects, notation.Count(j.Trials, "trial"))
}

// judgement returns the result of judging a model, in words.
func judgement(j *catalog.Judged) string {
	switch {
	case j.Honest != honesty.NotHonest:
		return honesty.Say(j.Honest, j.UndecidedFor)
	case j.Pass:
		return "ranks people and does not measure them"
	}
	return "does not give all parameters back"
}

// printParams prints a line for each parameter: its range, the quality of its estimates, and its meaning.
func printParams(w io.Writer, e entry) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprint(t, "parameter\trange\t")
	if e.Judged != nil {
		fmt.Fprintf(t, "r\tRMSE / %s\t90%% covers\t", e.Judged.Reference)
	}
	fmt.Fprintln(t, "meaning")
	for _, p := range e.Params {
		fmt.Fprintf(t, "%s\t%.6g to %.6g\t", p.Name, p.Lower, p.Upper)
		if e.Judged != nil {
			fmt.Fprint(t, figuresOf(e.Judged, p.Name))
		}
		fmt.Fprintln(t, cmp.Or(p.Meaning, "-"))
	}
	return t.Flush()
}

// bounds writes the one-sided 95 % bounds of a figure.
func bounds(b honesty.Bounds) string {
	return fmt.Sprintf("[%s, %s]", notation.Figure("%.2f", b[0]), notation.Figure("%.2f", b[1]))
}

// figuresOf returns the measured qualities of a parameter's estimates as cells of a table.
func figuresOf(j *catalog.Judged, name string) string {
	for _, p := range j.Params {
		if p.Name == name {
			return fmt.Sprintf("%s\t%s %s\t%s %s\t", notation.Figure("%.3f", p.R), notation.Figure("%.2f", p.RMSERatio), bounds(p.RatioBounds),
				notation.Figure("%.2f", p.Covered90), bounds(p.CoveredBounds))
		}
	}
	return "-\t-\t-\t"
}
