package checks

import (
	"context"
	"fmt"
	"likc/cmd/likc/internal/cli"
	"likc/runtime/catalog"
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
	ofOnset  bool
	from     string
	top      int
	settings audit.Settings

	judged judged
}

// auditHeader is the settings that the units of a file depend on: a half-done audit is not mixed with one whose fits are others.
type auditHeader struct {
	audit.Settings
	Judge string `json:"judge"` // the hash of the fits' settings
}

func NewAudit() *cobra.Command {
	f := &auditFlags{}
	cmd := &cobra.Command{
		Use:   "audit MODEL…|--from VERDICTS.jsonl --bank BANK",
		Short: "What limits a model's recovery: the values its estimates converge to, and fast guesses",
		Long: `Audit finds, for the true parameters of every subject of a bank, the population argmax: the parameters at which the mean log density
over all trials of the truth is highest, so what estimates converge to with unlimited trials. The mean is a quadrature against the exact
density, or over a large simulated sample where the bank's simulator has none. The correlation of these limits with the truth
is the recovery that they imply; the gap is that less the correlation measured by fits of the bank's own trials.

Then a share of every subject's trials is replaced by fast guesses, response times uniform in a short early window with a choice at
random, and the bank is fitted again: which models still recover every parameter, by the rule of likc judge?

With --from, the forms that likc judge fitted are audited, best first. What was measured is the verdict's, and forms that recover are
fitted again with guesses. Of all of them together it says how many recover each parameter, as implied and as measured, the median
gap, and the correlation of the two over the forms; with -o DIR this is DIR/AGREEMENT.json.

  likc audit expr1 expr2 --bank test-60
  likc audit --from VERDICTS.jsonl --top 100 --bank test-60 -o audits`,
		Args: func(cmd *cobra.Command, args []string) error {
			if f.from != "" && len(args) == 0 {
				return nil
			}
			if f.from != "" {
				return cli.Usagef("audit: wants MODEL… or --from VERDICTS.jsonl, not both")
			}
			return models(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args) },
	}
	f.checkFlags.add(cmd)
	flags := cmd.Flags()
	flags.StringVar(&f.bank, "bank", "", "folder of the `BANK`, or one that comes with likc, such as test-60 (required)")
	flags.StringVar(&f.from, "from", "", "audit the forms of `VERDICTS.jsonl`, as likc judge writes it on the same bank")
	flags.IntVar(&f.top, "top", 0, "with --from: how many, best first; 0: all")
	flags.Float64SliceVar(&f.settings.Shares, "guesses", []float64{0.0025, 0.005, 0.01, 0.02}, "shares of fast guesses, beside none at all")
	flags.Float64SliceVar(&f.window, "window", []float64{0.1, 0.3}, "`FROM,TO` in seconds: response times of guesses")
	flags.BoolVar(&f.after, "after-onset", false, "the window begins at each subject's true non-decision time, not at zero")
	flags.BoolVar(&f.ofOnset, "of-onset", false, "the window is in multiples of each subject's true non-decision time, as --window 0.5,1, not in seconds")
	flags.IntVar(&f.settings.Sample, "sample", 100_000, "simulated trials a subject, where there is no exact density")
	flags.Uint64Var(&f.settings.Seed, "seed", 1, "seed of guesses, samples and fits")
	return cmd
}

func (f *auditFlags) run(cmd *cobra.Command, names []string) error {
	if len(f.window) != 2 || !(f.window[0] > 0 && f.window[0] < f.window[1] && f.window[1] < bank.Latest) {
		return cli.Usagef("--window %v: want FROM,TO in seconds, 0 < FROM < TO", f.window)
	}
	if f.after && f.ofOnset {
		return cli.Usagef("--after-onset and --of-onset: want one of them")
	}
	f.settings.Guesses = audit.Guesses{From: f.window[0], To: f.window[1], AfterOnset: f.after, OfOnset: f.ofOnset}
	for _, share := range f.settings.Shares {
		if !(share > 0 && share < 1) {
			return cli.Usagef("--guesses %v: want shares between 0 and 1", share)
		}
	}
	f.settings.Shares = append([]float64{0}, f.settings.Shares...)
	if f.settings.Sample < 100 {
		return cli.Usagef("--sample %d: want 100 or more", f.settings.Sample)
	}
	b, err := checkedBank(f.bank)
	if err != nil {
		return err
	}
	sim, err := ppc.SimulatorOf(b)
	if err != nil {
		return err
	}
	check := func(src *catalog.Model) (audit.Summary, error) { return f.audit(cmd, src, b, sim) }
	if f.from == "" {
		return eachModel(cmd, &f.checkFlags, names, check, f.printAll)
	}
	sources, known, err := forms(f.from, f.top, b)
	if err != nil {
		return err
	}
	f.judged = known
	return eachSource(cmd, &f.checkFlags, sources, check, f.printAll)
}

// auditUnit is a subject's limit or the recovery at one share of guesses.
type auditUnit struct {
	Limit    *audit.Limit    `json:"limit,omitempty"`
	Recovery *audit.Recovery `json:"recovery,omitempty"`
}

// audit runs what is missing and writes the model's files.
func (f *auditFlags) audit(cmd *cobra.Command, src *catalog.Model, b *bank.Bank, sim ppc.Simulator) (audit.Summary, error) {
	if !f.judged.bankModel(src, b) {
		return audit.Summary{}, fmt.Errorf("%s: its parameters are not those of %s, from which the bank is simulated", src.Name, b.Settings.Model)
	}
	settings := f.settings
	settings.Shares = f.judged.shares(src, f.settings.Shares)
	a, done, err := audit.Open(src, b, sim, settings)
	if err != nil {
		return audit.Summary{}, err
	}
	defer done()
	subjects := len(b.Subjects)
	header := newUnitHeader("audit", src, b.Settings, auditHeader{settings, settings.Judge().Hash(b, nil)})
	all, err := runUnits(cmd, &f.checkFlags, src, header, subjects+len(settings.Shares), "units",
		func(ctx context.Context, i int) (auditUnit, error) {
			if i < subjects {
				limit, err := a.Limit(ctx, b.Subjects[i])
				return auditUnit{Limit: &limit}, err
			}
			recovery, err := a.Recovery(ctx, settings.Shares[i-subjects])
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
	recoveries = f.judged.complete(src, f.settings.Shares, recoveries)
	s := audit.Summarise(a.Model(), b, limits, recoveries, f.settings.Guesses)
	s.Population = a.Population()
	return s, f.write(src, s, func() (*figure.Figure, error) { return drawLimits(s) })
}
