package checks

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"likc/cmd/likc/internal/cli"
	"likc/runtime/catalog"
	"likc/runtime/engine"
	"likc/runtime/figure"
	"likc/runtime/posterior"
	"likc/search/bank"
	"likc/search/ppc"
	"slices"
	"text/tabwriter"

	"github.com/spf13/cobra"
)

// ppcFlags are what ppc was asked for.
type ppcFlags struct {
	checkFlags
	bank     string
	settings ppc.Settings
}

func NewPPC() *cobra.Command {
	f := &ppcFlags{settings: ppc.DefaultSettings()}
	cmd := &cobra.Command{
		Use:   "ppc MODEL… --bank BANK",
		Short: "Posterior predictive check: do the fits of simulated subjects predict their trials?",
		Long: `Ppc fits every subject of a bank with NUTS, simulates trials from the posterior with the bank's own simulator, and measures how far
response times signed by choice are from the observed ones, by the distance of Kolmogorov and Smirnov. It gives the median over
subjects, beside two others:

  true   trials simulated at the true parameters: a ceiling that no estimator with finite error attains
  null   the fair null: an unbiased estimator that recovers each parameter as the fits do, by the correlation with the truth. Its
         trials are simulated at the true parameters plus independent Gaussian noise, drawn for every trial, as the fits' trials
         have a posterior draw each; values outside the bank's range are drawn anew, and the noise is matched to that. The figure
         is the median over replicates, with their range from 5% to 95%
  single the same with one error a subject, an estimate beside the truth in place of a distribution around it: farther from the trials`,
		Args: models,
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args) },
	}
	f.checkFlags.add(cmd)
	flags := cmd.Flags()
	flags.StringVar(&f.bank, "bank", "", "folder of the `BANK`, or one that comes with likc, such as test-60 (required)")
	flags.IntVar(&f.settings.Chains, "chains", f.settings.Chains, "Markov chains")
	flags.IntVar(&f.settings.Warmup, "warmup", f.settings.Warmup, "transitions of warm-up a chain")
	flags.IntVar(&f.settings.Draws, "draws", f.settings.Draws, "draws a chain")
	flags.IntVar(&f.settings.Trials, "trials", f.settings.Trials, "trials of each predictive")
	flags.IntVar(&f.settings.Replicates, "replicates", f.settings.Replicates, "replicates of the fair null")
	flags.Float64Var(&f.settings.Init, "init", f.settings.Init, "chains start uniformly within this `DISTANCE` of the middle of the ranges, unconstrained; 0: there")
	flags.Uint64Var(&f.settings.Seed, "seed", f.settings.Seed, "seed of draws, predictives and null")
	return cmd
}

func (f *ppcFlags) run(cmd *cobra.Command, names []string) error {
	if err := f.settings.Check(); err != nil {
		return cli.Usagef("--%w", err)
	}
	b, err := checkedBank(f.bank)
	if err != nil {
		return err
	}
	sim, err := ppc.SimulatorOf(b)
	if err != nil {
		return err
	}
	return eachModel(cmd, &f.checkFlags, names, func(src *catalog.Model) (ppc.Summary, error) { return f.check(cmd, src, b, sim) }, printPredictions)
}

// checkedBank opens the bank that a check needs.
func checkedBank(dir string) (*bank.Bank, error) {
	if dir == "" {
		return nil, cli.Usagef("--bank: missing; name the folder of a bank, as likc bank make writes it")
	}
	folder, err := cli.FolderOrCommitted(dir)
	if err != nil {
		return nil, fmt.Errorf("--bank %s: %w", dir, err)
	}
	b, err := bank.Open(folder)
	if err == nil && len(b.Subjects) == 0 {
		err = fmt.Errorf("%s: the bank has no subject", dir)
	}
	return b, err
}

// check runs what is missing and writes the model's files.
func (f *ppcFlags) check(cmd *cobra.Command, src *catalog.Model, b *bank.Bank, sim ppc.Simulator) (ppc.Summary, error) {
	if !src.Of(b.Settings.Model) {
		return ppc.Summary{}, fmt.Errorf("%s: its parameters are not those of %s, from which the bank is simulated", src.Name, b.Settings.Model)
	}
	binder, err := engine.Open(src, engine.Auto)
	if err != nil {
		return ppc.Summary{}, err
	}
	defer binder.Close()
	m := ppc.Model{Name: src.Name, Params: src.ParamNames(), Bind: func(s bank.Subject) (*posterior.Posterior, func() error, error) {
		return posteriorOf(src, binder, s)
	}}
	all, err := runUnits(cmd, &f.checkFlags, src, newUnitHeader("ppc", src, b.Settings, f.settings), len(b.Subjects), "subjects",
		func(ctx context.Context, i int) (ppc.Subject, error) {
			return ppc.Fit(ctx, m, sim, b.Subjects[i], f.settings)
		})
	if err != nil {
		return ppc.Summary{}, err
	}
	s, err := ppc.Summarise(cmd.Context(), m, sim, b, all, f.settings)
	if err != nil {
		return s, err
	}
	return s, f.write(src, s, func() (*figure.Figure, error) { return f.draw(cmd.Context(), m, sim, b, s) })
}

// posteriorOf binds a subject's trials.
func posteriorOf(src *catalog.Model, binder *engine.Binder, s bank.Subject) (*posterior.Posterior, func() error, error) {
	columns, choice := [][]float64{s.RT}, s.Choice
	params, err := src.Parameters(nil, columns, choice)
	if err != nil {
		return nil, nil, err
	}
	lik, err := binder.Bind(columns, choice)
	if err != nil {
		return nil, nil, err
	}
	post, err := posterior.New(lik, params)
	return post, nil, err
}

// draw draws three subjects that span the choice balance, and all distances.
func (f *ppcFlags) draw(ctx context.Context, m ppc.Model, sim ppc.Simulator, b *bank.Bank, s ppc.Summary) (*figure.Figure, error) {
	var subjects []figure.Predicted
	for _, i := range ppc.Spanning(s.Subjects) {
		predicted, err := ppc.Predict(ctx, m, sim, b.Subjects[i], f.settings)
		if err != nil {
			return nil, err
		}
		name := fmt.Sprintf("%s, subject %d: %.0f%% upper, KS %.3f", s.Model, s.Subjects[i].ID, 100*s.Subjects[i].Upper, s.Subjects[i].KS)
		subjects = append(subjects, figure.Predicted{Name: name, Seen: ppc.Signed(b.Subjects[i].RT, b.Subjects[i].Choice), Predicted: predicted})
	}
	var order []int
	for i := range s.Subjects {
		if s.Subjects[i].Error == "" {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(s.Subjects[i].KS, s.Subjects[j].KS) })
	kinds := []figure.Distances{{Name: "posterior", Median: float64(s.KS)}, {Name: "true", Median: float64(s.KSTruth)}, {Name: "null", Median: float64(s.KSNull)}}
	for _, i := range order {
		kinds[0].KS = append(kinds[0].KS, float64(s.Subjects[i].KS))
		kinds[1].KS = append(kinds[1].KS, float64(s.Subjects[i].AtTrue))
		kinds[2].KS = append(kinds[2].KS, s.Nulls[i])
	}
	return figure.Predictive(subjects, kinds)
}

func printPredictions(w io.Writer, all []ppc.Summary) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "model\tKS\ttrue\tnull\t(5%-95%)\tbeats null\tsingle\t(5%-95%)\tbeats it\tfailed\tr (null's)\t")
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
