package checks

import (
	"errors"
	"fmt"
	"io"
	"math"
	"text/tabwriter"

	"likc/cmd/likc/internal/cli"
	"likc/runtime/fit"
	"likc/runtime/model/catalog"
	"likc/runtime/num/finite"
	"likc/runtime/num/notation"
	"likc/search/study"
	"likc/search/study/recovery"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// recoverFlags are what recover was asked for.
type recoverFlags struct {
	checkFlags
	settings study.Settings
	study    studyFlags
}

func NewRecover() *cobra.Command {
	f := &recoverFlags{settings: study.DefaultSettings()}
	cmd := &cobra.Command{
		Use:   "recover MODEL",
		Short: "Parameter recovery: do fits of a model's own data find the parameters they came from?",
		Long: `Recover draws parameters from the priors, simulates trials with the simulator that the model declares, fits them with NUTS under
the same priors, and compares posterior means with the true values:

  r        correlation over subjects: 1 is best
  bias     mean of estimate - truth
  RMSE     root of the mean squared difference
  50%, 90% share of the posterior's central intervals that hold the truth: 0.5 and 0.9 for an honest posterior. A share that chance
           explains in fewer than 1 of 100 cases is marked OUT

Trials of stop_signal are sessions: a quarter has a signal, whose delay follows a staircase.

Priors are uniform over each parameter's range unless --prior says otherwise; --range and --fix are as for likc fit. With -o DIR a
scatter plot of every parameter is drawn, and an interrupted run goes on where it ended.
` + studyHelp,
		Args: cli.Exactly("MODEL"),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args) },
	}
	f.checkFlags.add(cmd)
	addSettings(cmd.Flags(), &f.settings, "simulated subjects")
	f.study.add(cmd.Flags())
	return cmd
}

// addSettings adds the flags of what is simulated and how it is fitted. subjects says whose subjects are counted.
func addSettings(flags *pflag.FlagSet, s *study.Settings, subjects string) {
	flags.IntVar(&s.Subjects, "subjects", s.Subjects, subjects)
	flags.IntVar(&s.Trials, "trials", s.Trials, "trials of each")
	flags.StringArrayVar(&s.Priors, "prior", nil, "`NAME=PRIOR` of one parameter (repeatable; default: uniform over its range)")
	flags.StringArrayVar(&s.Ranges, "range", nil, "`NAME=LOW,HIGH`: the range of one parameter instead of the model's (repeatable)")
	flags.StringArrayVar(&s.Fixed, "fix", nil, "`NAME=VALUE`: simulate and fit with a parameter at a value (repeatable)")
	flags.IntVar(&s.Chains, "chains", s.Chains, "Markov chains")
	flags.IntVar(&s.Warmup, "warmup", s.Warmup, "transitions of warm-up a chain")
	flags.IntVar(&s.Draws, "draws", s.Draws, "draws a chain")
	flags.Uint64Var(&s.Seed, "seed", s.Seed, "seed of truths, trials and draws")
}

// subjectsPerFit is how many subjects are simulated and fitted in a part on a cluster.
const subjectsPerFit = 20

func (f *recoverFlags) run(cmd *cobra.Command, args []string) error {
	s := &f.settings
	if err := s.Check(); err != nil {
		return cli.Usagef("--%w", err)
	}
	if err := f.checkPlaces(); err != nil {
		return err
	}
	models, err := readModels(args)
	if err != nil {
		return err
	}
	if f.study.design.Asked() {
		return f.runStudies(cmd, models[0])
	}
	for _, name := range []string{"link", "studies", "column", "between", "theta"} {
		if cmd.Flags().Changed(name) {
			return cli.Usagef("--%s: only with --formula or --preset", name)
		}
	}
	plan, err := recovery.New(models[0], *s)
	if wrong := (fit.WishError{}); errors.As(err, &wrong) {
		return usageOf(wrong)
	}
	if err != nil {
		return err
	}
	defer plan.Close()
	return each(cmd, &f.checkFlags, models, study.CountParts(1, s.Subjects, subjectsPerFit), func(m *catalog.Model) (recovery.Summary, error) {
		return plan.Run(cmd.Context(), study.NewCheck(f.Where, "recover", "subjects", m, nil, *s))
	}, printRecovery)
}

// usageOf names the flag in an error of what the user wishes.
func usageOf(e fit.WishError) error {
	if e.Of == "" {
		return cli.Usage(e)
	}
	return cli.Usagef("--%s %w", e.Of, e)
}

func printRecovery(w io.Writer, all []recovery.Summary) error {
	s := all[0]
	if s.Studies > 0 {
		fmt.Fprintf(w, "model %s, %s of %s and %s each\n\n", s.Model, notation.Count(s.Studies-s.Failed, "study"), notation.Count(s.Subjects, "participant"), notation.Count(s.Trials, "trial"))
	} else {
		fmt.Fprintf(w, "model %s, %s of %s\n\n", s.Model, notation.Count(s.Subjects-s.Failed, "subject"), notation.Count(s.Trials, "trial"))
	}
	if err := printFigures(w, &s); err != nil {
		return err
	}
	if s.NoVerdict != "" {
		fmt.Fprintf(w, "\npower: share of 90 %% intervals that exclude 0; where the truth is 0, how often an effect is found that is not there\n")
		fmt.Fprintf(w, "no verdict on coverage: %s\n", s.NoVerdict)
	} else {
		fmt.Fprintf(w, "\nan honest posterior covers %.3f to %.3f and %.3f to %.3f in 99 of 100 cases\n", s.Band50[0], s.Band50[1], s.Band90[0], s.Band90[1])
	}
	_, err := fmt.Fprintf(w, "fits with R-hat above %v: %d; with divergent transitions: %d; failed: %d\n", recovery.HighRhat, s.RhatHigh, s.Divergent, s.Failed)
	return err
}

// printFigures writes a row a parameter: with power where true values are stated, else with a mark of coverage that chance does not explain.
func printFigures(w io.Writer, s *recovery.Summary) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	if s.NoVerdict != "" {
		fmt.Fprintln(t, "\tr\tbias\tRMSE\t50%\t90%\tpower\t")
	} else {
		fmt.Fprintln(t, "\tr\tbias\tRMSE\t50%\t90%\t")
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

// correlation prints one, or a dash where it is undefined, as between estimates and one stated value.
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
