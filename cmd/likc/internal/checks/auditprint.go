package checks

import (
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"likc/cmd/likc/internal/cli"
	"likc/runtime/num/notation"
	"likc/runtime/sys/store"
	"likc/search/study/audit"
)

// printAll prints the results of each model, then, for three models or more, how far implied and measured recovery agree. With --from and
// -o, the agreement is also written as AGREEMENT.json.
func (f *auditFlags) printAll(w io.Writer, all []audit.Summary) error {
	if err := printAudits(w, all); err != nil || len(all) < 3 {
		return err
	}
	together := audit.Compare(all)
	if f.From != "" && f.Folder != "" {
		err := store.WriteFile(filepath.Join(f.Folder, "AGREEMENT.json"), func(w io.Writer) error { return cli.PrintJSON(w, together) })
		if err != nil {
			return err
		}
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "\nparameter\trecovered as implied\tas measured\tmedian gap\tcorrelation of the two\t")
	for _, p := range together.Params {
		fmt.Fprintf(t, "%s\t%d of %d\t%d\t%+.3f\t%s\t\n", p.Name, p.ImpliedCount, together.Models, p.MeasuredCount, p.MedianGap, notation.Figure("%.2f", p.Correlation))
	}
	return t.Flush()
}

// printAudits prints a table with a row for each model, and what its columns are. Implied is the correlation of the truth with the values
// to which estimates converge with unlimited trials. Measured is that of the truth with fits. The gap is implied minus measured. Then it
// prints how many models still recover all parameters if a share of the trials are fast guesses.
func printAudits(w io.Writer, all []audit.Summary) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(t, "model\t")
	for _, p := range all[0].Params {
		fmt.Fprintf(t, "%s implied (measured)\t", p.Name)
	}
	fmt.Fprint(t, "median gap\timplied\t")
	for _, r := range all[0].Recoveries {
		fmt.Fprintf(t, "%g%% guesses\t", 100*r.Share)
	}
	fmt.Fprintln(t)
	passes := make([]int, len(all[0].Recoveries))
	for _, s := range all {
		fmt.Fprintf(t, "%s\t", s.Model)
		for _, p := range s.Params {
			fmt.Fprintf(t, "%.3f (%.3f)\t", p.Implied, p.Measured)
		}
		fmt.Fprintf(t, "%+.3f\t%s\t", s.MedianGap, notation.Verdict(s.ImpliedPass))
		for k, r := range s.Recoveries {
			fmt.Fprintf(t, "%s %s\t", notation.Verdict(r.Pass), notation.Figure("%.2f", r.WeakestR))
			if r.Pass {
				passes[k]++
			}
		}
		fmt.Fprintln(t)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(w, "\nimplied: correlation of the truth with the values to which estimates converge with unlimited trials; gap: implied minus measured")
	var counts []string
	for k, r := range all[0].Recoveries {
		counts = append(counts, fmt.Sprintf("%d at %g%%", passes[k], math.Round(1e6*r.Share)/1e4))
	}
	fmt.Fprintf(w, "of %s, this many recover all parameters with that share of guesses: %s\n", notation.Count(len(all), "model"), strings.Join(counts, ", "))
	return nil
}
