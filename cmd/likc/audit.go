package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"strings"
	"text/tabwriter"

	"likc/runtime/figure"
	"likc/search/audit"
	"likc/search/bank"
	"likc/search/ppc"

	"github.com/spf13/cobra"
)

// auditFlags are what audit was asked for.
type auditFlags struct {
	checkFlags
	bank     string
	window   []float64
	after    bool
	settings auditSettings
}

// auditSettings are all that results depend on but model and bank.
type auditSettings struct {
	Guesses audit.Guesses `json:"guesses"`
	Shares  []float64     `json:"shares"` // none first
	Sample  int           `json:"sample"`
	Seed    uint64        `json:"seed"`
}

func newAudit() *cobra.Command {
	f := &auditFlags{}
	cmd := &cobra.Command{
		Use:   "audit MODEL… --bank BANK",
		Short: "What limits a model's recovery: the values its estimates converge to, and fast guesses",
		Long: `Audit finds, for the true parameters of every subject of a bank, the population argmax: the parameters at which the mean log density
over all trials of the truth is highest, so what estimates converge to with unlimited trials. The mean is a quadrature against the exact
density, or over a large simulated sample where the bank's simulator has none. The correlation of these limits with the truth
is the recovery that they imply; the gap is that less the correlation measured by fits of the bank's own trials.

Then a share of every subject's trials is replaced by fast guesses, response times uniform in a short early window with a choice at
random, and the bank is fitted again: which models still recover every parameter, by the rule of likc judge?`,
		Args: models,
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args) },
	}
	f.checkFlags.add(cmd)
	flags := cmd.Flags()
	flags.StringVar(&f.bank, "bank", "", "folder of the `BANK`, or one that comes with likc, such as test-60 (required)")
	flags.Float64SliceVar(&f.settings.Shares, "guesses", []float64{0.0025, 0.005, 0.01, 0.02}, "shares of fast guesses, beside none at all")
	flags.Float64SliceVar(&f.window, "window", []float64{0.1, 0.3}, "`FROM,TO` in seconds: response times of guesses")
	flags.BoolVar(&f.after, "after-onset", false, "the window begins at each subject's true non-decision time, not at zero")
	flags.IntVar(&f.settings.Sample, "sample", 100_000, "simulated trials a subject, where there is no exact density")
	flags.Uint64Var(&f.settings.Seed, "seed", 1, "seed of guesses, samples and fits")
	return cmd
}

func (f *auditFlags) run(cmd *cobra.Command, names []string) error {
	if len(f.window) != 2 || !(f.window[0] > 0 && f.window[0] < f.window[1] && f.window[1] < maxBankTime) {
		return usagef("--window %v: want FROM,TO in seconds, 0 < FROM < TO", f.window)
	}
	f.settings.Guesses = audit.Guesses{From: f.window[0], To: f.window[1], AfterOnset: f.after}
	for _, share := range f.settings.Shares {
		if !(share > 0 && share < 1) {
			return usagef("--guesses %v: want shares between 0 and 1", share)
		}
	}
	f.settings.Shares = append([]float64{0}, f.settings.Shares...)
	if f.settings.Sample < 100 {
		return usagef("--sample %d: want 100 or more", f.settings.Sample)
	}
	b, err := checkedBank(f.bank)
	if err != nil {
		return err
	}
	sim, err := ppc.SimulatorOf(b)
	if err != nil {
		return err
	}
	return eachModel(cmd, &f.checkFlags, names, func(src source) (audit.Summary, error) { return f.audit(cmd, src, b, sim) }, printAudits)
}

// maxBankTime is the longest response time that banks keep, in seconds.
const maxBankTime = 20

// auditUnit is a subject's limit or the recovery at one share of guesses.
type auditUnit struct {
	Limit    *audit.Limit    `json:"limit,omitempty"`
	Recovery *audit.Recovery `json:"recovery,omitempty"`
}

// audit runs what is missing and writes the model's files.
func (f *auditFlags) audit(cmd *cobra.Command, src source, b *bank.Bank, sim ppc.Simulator) (audit.Summary, error) {
	if m := simulatorOf(src); m == nil || m.Name != b.Settings.Model {
		return audit.Summary{}, fmt.Errorf("%s: its parameters are not those of %s, from which the bank is simulated", src.Name, b.Settings.Model)
	}
	a, done, err := newAuditor(src, b, sim, f.settings)
	if err != nil {
		return audit.Summary{}, err
	}
	defer done()
	subjects := len(b.Subjects)
	all, err := runUnits(cmd, &f.checkFlags, src, newUnitHeader("audit", src, b.Settings, f.settings), subjects+len(f.settings.Shares), "units",
		func(ctx context.Context, i int) (auditUnit, error) {
			if i < subjects {
				limit, err := a.limit(ctx, b.Subjects[i])
				return auditUnit{Limit: &limit}, err
			}
			recovery, err := a.recovery(ctx, f.settings.Shares[i-subjects])
			return auditUnit{Recovery: &recovery}, err
		})
	if err != nil {
		return audit.Summary{}, err
	}
	var limits []audit.Limit
	var recoveries []audit.Recovery
	for _, u := range all {
		if u.Limit != nil {
			limits = append(limits, *u.Limit)
		} else {
			recoveries = append(recoveries, *u.Recovery)
		}
	}
	s := audit.Summarise(a.model, b, limits, recoveries, f.settings.Guesses)
	s.Population = a.population()
	return s, f.write(src, s, func() (*figure.Figure, error) { return drawLimits(s) })
}

// drawLimits draws the population argmax against the truth.
func drawLimits(s audit.Summary) (*figure.Figure, error) {
	var params []figure.Recovered
	for j, p := range s.Params {
		r := figure.Recovered{Name: p.Name, Note: fmt.Sprintf("implied r = %.3f, measured %.3f", p.Implied, p.Measured)}
		for _, l := range s.Limits {
			r.Truth, r.Estimate = append(r.Truth, float64(l.Truth[j])), append(r.Estimate, float64(l.Argmax[j]))
		}
		params = append(params, r)
	}
	return figure.Recovery(params)
}

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
		fmt.Fprintf(t, "%+.3f\t%s\t", s.MedianGap, passWord(s.ImpliedPass))
		for k, r := range s.Recoveries {
			fmt.Fprintf(t, "%s %s\t", passWord(r.Pass), figureOf("%.2f", float64(r.WeakestR)))
			if r.Pass {
				passes[k]++
			}
		}
		fmt.Fprintln(t)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	var counts []string
	for k, r := range all[0].Recoveries {
		counts = append(counts, fmt.Sprintf("%d at %g%%", passes[k], math.Round(1e6*r.Share)/1e4))
	}
	fmt.Fprintf(w, "\nof %s, this many recover all parameters with that share of guesses: %s\n", count(len(all), "model"), strings.Join(counts, ", "))
	return nil
}

func passWord(pass bool) string {
	if pass {
		return "pass"
	}
	return "fail"
}
