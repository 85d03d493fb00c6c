package checks

import (
	"likc/cmd/likc/internal/cli"
	"likc/runtime/model/catalog"
	"likc/search/study"
	"likc/search/study/audit"
	"likc/search/study/bank"
	"likc/search/study/judge"
	"likc/search/study/ppc"

	"github.com/spf13/cobra"
)

// auditFlags are what audit was asked for.
type auditFlags struct {
	checkFlags
	bank, from     string
	window, shares []float64
	top            int
	settings       audit.Settings
}

func NewAudit() *cobra.Command {
	f := &auditFlags{shares: []float64{0.0025, 0.005, 0.01, 0.02}, window: []float64{0.1, 0.3}}
	cmd := &cobra.Command{
		Use:   "audit MODEL…|--from VERDICTS.jsonl --bank BANK",
		Short: "What limits a model's recovery: the values its estimates converge to, and fast guesses",
		Long: `Audit finds, for the true parameters of every subject of a bank, the population argmax: the parameters at which the mean log density
over all trials of the truth is highest, so what estimates converge to with unlimited trials. The mean is a quadrature against the exact
density, or over a large simulated sample where the bank's simulator has none. The correlation of these limits with the truth
is the recovery that they imply; the gap is that less the correlation measured by fits of the bank's own trials.

Then a share of every subject's trials is replaced by fast guesses, response times uniform in a short early window with a choice at
random, and the bank is fitted again: which models still recover every parameter, by the rule of likc judge? These fits take most of the
time, as long again for every share: --guesses 0.01 fits the bank twice, the default five times.

With --lapse, what is fitted is the model mixed with lapses, as likc fit --lapse does: response times from 0 to a subject's last one
and choices at random. Its mass stays one, so guesses before the onset no longer bound the non-decision time. It is for densities:
an expression that is none is refused. The population argmaxes are those of the model alone.

With --from, the forms that likc judge fitted are audited, best first. What was measured is the verdict's, and forms that recover are
fitted again with guesses. Of all of them together it says how many recover each parameter, as implied and as measured, the median
gap, and the correlation of the two over the forms; with -o DIR this is DIR/AGREEMENT.json.

  likc audit expr1 expr2 --bank test-60
  likc audit ddm --bank test-60 --guesses 0.02 --lapse 'beta(1,20)'
  likc audit --from VERDICTS.jsonl --top 100 --bank test-60 -o audits`,
		Args: func(cmd *cobra.Command, args []string) error {
			if f.from != "" && len(args) == 0 {
				return nil
			}
			if f.from != "" {
				return cli.Usagef("audit: wants MODEL… or --from VERDICTS.jsonl, not both")
			}
			return someModels(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args) },
	}
	f.checkFlags.add(cmd)
	flags := cmd.Flags()
	flags.StringVar(&f.bank, "bank", "", "folder of the `BANK`, or one that comes with likc, such as test-60 (required)")
	flags.StringVar(&f.from, "from", "", "audit the forms of `VERDICTS.jsonl`, as likc judge writes it on the same bank")
	flags.IntVar(&f.top, "top", 0, "with --from: how many, best first; 0: all")
	flags.Var(cli.NewNumbers(&f.shares), "guesses", "shares of fast guesses, beside none at all")
	flags.Var(cli.NewNumbers(&f.window), "window", "`FROM,TO` in seconds: response times of guesses")
	flags.BoolVar(&f.settings.Guesses.AfterOnset, "after-onset", false, "the window begins at each subject's true non-decision time, not at zero")
	flags.BoolVar(&f.settings.Guesses.OfOnset, "of-onset", false, "the window is in multiples of each subject's true non-decision time, as --window 0.5,1, not in seconds")
	flags.StringVar(&f.settings.Lapse, "lapse", "", "`P|PRIOR`: fit the model mixed with lapses, of this probability (0.05) or with this prior of it ('beta(1,20)')")
	flags.IntVar(&f.settings.Sample, "sample", 100_000, "simulated trials a subject, where there is no exact density")
	flags.Uint64Var(&f.settings.Seed, "seed", 1, "seed of guesses, samples and fits")
	return cmd
}

// unitsPerPart is how many argmaxes or fits of the bank make a part on a cluster.
const unitsPerPart = 5

func (f *auditFlags) run(cmd *cobra.Command, names []string) error {
	if err := f.check(); err != nil {
		return err
	}
	if err := f.checkPlaces(); err != nil {
		return err
	}
	b, err := openBank(f.bank)
	if err != nil {
		return err
	}
	sim, err := ppc.SimulatorOf(b)
	if err != nil {
		return err
	}
	models, known, err := f.models(names, b)
	if err != nil {
		return err
	}
	parts := study.CountParts(len(models), len(b.Subjects)+len(f.settings.Shares), unitsPerPart)
	return each(cmd, &f.checkFlags, models, parts, func(m *catalog.Model) (audit.Summary, error) {
		return audit.Audit(cmd.Context(), m, b, sim, f.settings, known, f.Where)
	}, f.printAll)
}

// check finds what is wrong with the flags.
func (f *auditFlags) check() error {
	if len(f.window) != 2 {
		return cli.Usagef("--window %v: want FROM,TO in seconds, 0 < FROM < TO", f.window)
	}
	f.settings.Guesses.From, f.settings.Guesses.To = f.window[0], f.window[1]
	f.settings.Shares = append([]float64{0}, f.shares...)
	if err := f.settings.Check(); err != nil {
		return cli.Usagef("--%w", err)
	}
	if f.settings.Lapse != "" && f.from != "" {
		return cli.Usagef("--lapse: not with --from, whose verdicts are of fits without lapses")
	}
	return cli.Within("--top", f.top, 0, mostTop)
}

// mostTop is the largest number that --top takes.
const mostTop = 1_000_000

// models are those of the arguments or of --from. A model that cannot be audited is an error before any work.
func (f *auditFlags) models(names []string, b *bank.Bank) (models []*catalog.Model, known audit.Judged, err error) {
	if f.from == "" {
		models, err = readModels(names)
	} else {
		var verdicts []*judge.Verdict
		if verdicts, err = cli.ReadVerdicts(f.from); err == nil {
			models, known, err = audit.Forms(f.from, verdicts, f.top, b, cli.ReadModel)
		}
	}
	if err != nil {
		return nil, nil, err
	}
	for _, m := range models {
		if err := audit.Admits(m, b, known); err != nil {
			return nil, nil, err
		}
		if f.settings.Lapse == "" {
			continue
		}
		if err := audit.AdmitsLapses(m); err != nil {
			return nil, nil, err
		}
	}
	return models, known, nil
}
