package checks

import (
	"fmt"
	"io"
	"math"
	"text/tabwriter"

	"likc/cmd/likc/internal/cli"
	fitcmd "likc/cmd/likc/internal/fit"
	"likc/runtime/fit/figure"
	"likc/runtime/model/catalog"
	"likc/runtime/num/finite"
	"likc/runtime/num/notation"
	"likc/search/study"
	"likc/search/study/recovery"

	"github.com/spf13/cobra"
)

// recoverFlags are the flags of the command recover.
type recoverFlags struct {
	checkFlags
	study.Settings
	Studies      int `flag:"studies" default:"100" in:"[1,100000]" only:"formula preset" help:"simulated studies, with --formula or --preset"`
	study.Design `but:"formula.not=preset"`
	cli.ColumnFlags

	fitcmd.OutlierFlags `but:"lapse.help=P|PRIOR: probability of a lapse, fixed (0.05) or drawn and estimated ('beta(1,20)') | deadline.help=S|COLUMN: responses after this deadline, in seconds, are omissions; or by that of a --column | go.help=CHOICE: with --deadline, the only choice that is to respond, 1 or -1 | lapse-window.help=LOW,HIGH: where response times of lapses are uniform, in seconds (default: 0 to the deadline, or 0 to 10)"`
	cli.ExecFlags
}

// NewRecover returns the command recover.
func NewRecover() *cobra.Command {
	return cli.Command(&recoverFlags{}, &cobra.Command{
		Use:         "recover MODEL",
		Annotations: cli.KeepsWork,
		Short:       "Parameter recovery: do fits of a model's own data find the parameters they came from?",
		Example:     `  likc recover ddm --subjects 100 --trials 200`,
		Long: `Draw parameters from the priors, simulate trials with the simulator that the model declares, fit them with NUTS under
the same priors, and compare posterior means with the true values:

  r        correlation over subjects: 1 is best
  bias     mean of estimate - truth
  RMSE     root of the mean squared difference
  in 50%, in 90%  share of the posterior's central intervals that contain the truth: 0.5 and 0.9 for an honest posterior. A share that
           chance explains in fewer than 1 of 100 cases is marked OUT

A model whose trials depend on columns, or on the trials before them, takes those from --data: a row of FILE is a trial, in order. Choices
change states and computed columns. A simulated subject has the rows of one participant, the participants in turn.

Trials of stop_signal are sessions: a quarter has a signal, whose delay follows a staircase.

With --lapse, --deadline and --go, as in likc fit, simulated trials are lapses or have no response, and fits know of it.

Priors are uniform over each parameter's range unless --prior says otherwise; --range and --fix are as for likc fit. With -o DIR a
scatter plot of every parameter is drawn, and an interrupted run goes on where it ended.
` + studyHelp,
		Args: cli.Exactly("MODEL"),
	})
}

// subjectsPerFit is the number of subjects that one part of the work on a cluster simulates and fits.
const subjectsPerFit = 20

// Run simulates and fits, and prints how estimates compare with the truth.
func (f *recoverFlags) Run(cmd *cobra.Command, args []string) error {
	s := &f.Settings
	if err := f.checkDestinations(); err != nil {
		return err
	}
	models, err := cli.ReadModels(args)
	if err != nil {
		return err
	}
	if err := f.Simulated(models[0], s); err != nil {
		return err
	}
	if err := readColumns(&f.ColumnFlags, cmd, models[0], s, &f.Design); err != nil {
		return err
	}
	if f.Asked() {
		return f.runStudies(cmd, models[0])
	}
	plan, err := recovery.New(models[0], *s)
	if err != nil {
		return cli.NameFlag(err)
	}
	defer plan.Close()
	return each(cmd, &f.checkFlags, models, study.CountParts(1, s.Subjects, subjectsPerFit), func(m *catalog.Model) (recovery.Summary, error) {
		return plan.Run(cmd.Context(), study.NewCheck(f.Where, "recover", "subjects", m, nil, *s), drawRecovery)
	}, printRecovery)
}

// drawRecovery draws a scatter plot of truth against estimate for each parameter.
func drawRecovery(s *recovery.Summary) (study.Drawing, error) {
	var params []figure.Recovered
	for _, p := range s.Params {
		r := figure.Recovered{Name: p.Name, Note: fmt.Sprintf("r = %.3f", p.R)}
		for _, e := range p.Estimates {
			r.Truth, r.Estimate = append(r.Truth, e.Truth), append(r.Estimate, e.Mean)
		}
		params = append(params, r)
	}
	return figure.Recovery(params)
}

func printRecovery(w io.Writer, all []recovery.Summary) error {
	s := all[0]
	fmt.Fprintf(w, "model %s, %s\n\n", s.Model, fitted(&s))
	if err := printFigures(w, &s); err != nil {
		return err
	}
	if s.NoVerdict != "" {
		fmt.Fprintf(w, "\npower: share of 90 %% intervals that exclude 0; where the truth is 0, how often an effect is found that is not there\n")
		fmt.Fprintf(w, "no verdict on coverage: %s\n", s.NoVerdict)
	} else {
		fmt.Fprintf(w, "\nin 50%%, in 90%%: share of intervals that contain the truth; for an honest posterior, in 99 of 100 cases, %.3f to %.3f and %.3f to %.3f\n", s.Band50[0], s.Band50[1], s.Band90[0], s.Band90[1])
	}
	if s.Deadline.IsSet() {
		fmt.Fprintf(w, "simulated trials without response: %.1f %%\n", 100*s.Omitted)
	}
	_, err := fmt.Fprintf(w, "fits with R-hat above %v: %d; with divergent transitions: %d; failed: %d\n", recovery.HighRhat, s.RhatHigh, s.Divergent, s.Failed)
	return err
}

// fitted returns a sentence with the numbers of simulated and fitted subjects.
func fitted(s *recovery.Summary) string {
	each := notation.Count(s.Trials, "trial")
	if s.Columns != nil {
		each = "the trials of the data"
	}
	switch {
	case s.Studies == 0:
		return fmt.Sprintf("%s of %s", notation.Count(s.Subjects-s.Failed, "subject"), each)
	case s.Columns != nil:
		return fmt.Sprintf("%s of %s: %s", notation.Count(s.Studies-s.Failed, "study"), notation.Count(s.Subjects, "participant"), each)
	}
	return fmt.Sprintf("%s of %s and %s each", notation.Count(s.Studies-s.Failed, "study"), notation.Count(s.Subjects, "participant"), each)
}

// printFigures writes a row for each parameter. The row has the power where true values are stated, and elsewhere a mark at a coverage that
// chance does not explain.
func printFigures(w io.Writer, s *recovery.Summary) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	if s.NoVerdict != "" {
		fmt.Fprintln(t, "\tr\tbias\tRMSE\tin 50%\tin 90%\tpower\t")
	} else {
		fmt.Fprintln(t, "\tr\tbias\tRMSE\tin 50%\tin 90%\t")
	}
	for _, p := range s.Params {
		fmt.Fprintf(t, "%s\t%s\t%.4f\t%.4f\t", p.Name, correlation(p.R), p.Bias, p.RMSE)
		switch {
		case s.NoVerdict == "":
			fmt.Fprintf(t, "%.3f%s\t%.3f%s\t\n", p.Covered50, outside(float64(p.Covered50), s.Band50), p.Covered90, outside(float64(p.Covered90), s.Band90))
		case p.Power == nil:
			fmt.Fprintf(t, "%.3f\t%.3f\t-\t\n", p.Covered50, p.Covered90)
		default:
			fmt.Fprintf(t, "%.3f\t%.3f\t%.3f\t\n", p.Covered50, p.Covered90, *p.Power)
		}
	}
	return t.Flush()
}

// correlation prints a correlation, or a dash if it is undefined, as between estimates and a true value that is always the
// same.
func correlation(r finite.Number) string {
	if math.IsNaN(float64(r)) {
		return "-"
	}
	return fmt.Sprintf("%.3f", r)
}

// outside marks a share that lies outside a band.
func outside(share float64, band []float64) string {
	if share < band[0] || share > band[1] {
		return " OUT"
	}
	return ""
}
