package checks

import (
	"fmt"
	"io"
	"text/tabwriter"

	"likc/cmd/likc/internal/cli"
	"likc/runtime/model/catalog"
	"likc/search/study"
	"likc/search/study/ppc"

	"github.com/spf13/cobra"
)

// ppcFlags are the flags of the command ppc.
type ppcFlags struct {
	checkFlags
	Bank string `flag:"bank" value:"BANK" help:"folder of the BANK, or one that comes with likc, such as test-60 (this or --fit)"`
	ownFlags
	ppc.Settings
	cli.ExecFlags
}

// NewPPC returns the command ppc.
func NewPPC() *cobra.Command {
	f := &ppcFlags{}
	return cli.Command(f, &cobra.Command{
		Use:         "ppc MODEL… --bank BANK | ppc --fit FIT",
		Annotations: cli.KeepsWork,
		Short:       "Posterior predictive check: do fits predict the trials that they were fitted to?",
		Example: `  likc ppc --fit fit
  likc ppc expr2 --bank test-60`,
		Long: `Fit every subject of a bank with NUTS, simulate trials from the posterior with the bank's own simulator, and measure how far
response times signed by choice are from the observed ones, by the distance of Kolmogorov and Smirnov. The table has the median over
subjects, with three others to compare:

  true   trials simulated at the true parameters: a ceiling that no estimator with finite error attains
  null   the fair null: an unbiased estimator that recovers each parameter as the fits do, by the correlation with the truth. Its
         trials are simulated at the true parameters plus independent Gaussian noise, drawn for every trial, as the fits' trials
         have a posterior draw each. Values outside the bank's range are drawn anew. The noise is chosen so that the correlation,
         with these values, is that of the fits. The figure is the median over replicates, with their range from 5% to 95%
  single the same, but all trials of a subject share one error, as if simulated at an estimate: farther from the observed trials

With --fit FIT it checks a fit of your own data: for each subject the distance between observed and predicted trials, and how often the
fit's own simulated trials are as far off (p), with the Monte Carlo error of that. Each subject has 1000 replicates, and a predictive of
200 trials for each observed one (100000 to a million), unless --replicates and --trials say otherwise. The fit's folder records the model,
the file of the data and how to read it; if the file has moved, name it by --data, with the same flags of data as in likc fit. Other data
than those of the fit are refused.`,
		Args: func(cmd *cobra.Command, args []string) error {
			if f.Fit != "" {
				return nil
			}
			return cli.Some("MODEL…")(cmd, args)
		},
	})
}

// subjectsPerPart is the number of subjects in one part of the work on a cluster.
const subjectsPerPart = 10

// Run checks each model on a bank, or a fit of the user's own data.
func (f *ppcFlags) Run(cmd *cobra.Command, names []string) error {
	if f.Fit != "" {
		return f.runOwn(cmd, names)
	}
	b, sim, err := f.openBank(f.Bank)
	if err != nil {
		return err
	}
	models, err := cli.ReadModels(names)
	if err != nil {
		return err
	}
	return each(cmd, &f.checkFlags, models, study.CountParts(len(models), len(b.Subjects), subjectsPerPart), func(m *catalog.Model) (ppc.Summary, error) {
		return ppc.Check(cmd.Context(), m, b, sim, f.Settings, f.Where)
	}, printPredictions)
}

func printPredictions(w io.Writer, all []ppc.Summary) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "model\tKS\ttrue\tnull\t(5%-95%)\tbeats null\tsingle\t(5%-95%)\tbeats single\tfailed\tr (null's)\t")
	for _, s := range all {
		fmt.Fprintf(t, "%s\t%.3f\t%.3f\t", s.Model, s.KS, s.KSTruth)
		for _, n := range []ppc.NullRange{s.NullRange, s.Single} {
			beats := "no"
			if n.Beats {
				beats = "yes"
			}
			fmt.Fprintf(t, "%.3f\t(%.3f-%.3f)\t%s\t", n.KSNull, n.NullLow, n.NullHigh, beats)
		}
		fmt.Fprintf(t, "%d\t", s.Failed)
		for _, p := range s.Params {
			fmt.Fprintf(t, " %s %.3f (%.3f)", p.Name, p.R, p.NullR)
		}
		fmt.Fprintln(t, "\t")
	}
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(w, "\nKS: median over subjects of the distance between observed and predicted response times, signed by choice\n")
	return nil
}
