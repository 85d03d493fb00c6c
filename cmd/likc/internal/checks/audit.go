package checks

import (
	"likc/cmd/likc/internal/cli"
	"likc/runtime/model/catalog"
	"likc/search/study"
	"likc/search/study/audit"
	"likc/search/study/bank"
	"likc/search/study/judge"

	"github.com/spf13/cobra"
)

// auditFlags are the flags of the command audit.
type auditFlags struct {
	checkFlags
	Bank       string    `flag:"bank" value:"BANK" help:"folder of the BANK, or one that comes with likc, such as test-60 (required)"`
	From       string    `flag:"from" value:"VERDICTS.jsonl" help:"audit the forms of VERDICTS.jsonl, as likc judge writes it on the same bank"`
	Top        int       `flag:"top" in:"[0,1000000]" help:"with --from: how many, best first; 0: all"`
	Shares     []float64 `flag:"guesses" list:"comma" most:"100" default:"0.0025,0.005,0.01,0.02" in:"(0,1)" want:"shares between 0 and 1" help:"shares of fast guesses, beside none at all"`
	Window     []float64 `flag:"window" value:"FROM,TO" list:"comma" default:"0.1,0.3" in:"[0,1000000]" help:"FROM,TO in seconds: response times of guesses"`
	AfterOnset bool      `flag:"after-onset" help:"the window begins at each subject's true non-decision time, not at zero"`
	OfOnset    bool      `flag:"of-onset" help:"the window is in multiples of each subject's true non-decision time, as --window 0.5,1, not in seconds"`
	audit.Settings
	cli.ExecFlags
}

// NewAudit returns the command audit.
func NewAudit() *cobra.Command {
	f := &auditFlags{}
	return cli.Command(f, &cobra.Command{
		Use:         "audit MODEL…|--from VERDICTS.jsonl --bank BANK",
		Annotations: cli.KeepsWork,
		Short:       "What limits a model's recovery: the values its estimates converge to, and fast guesses",
		Example:     `  likc audit expr2 --bank test-60`,
		Long: `Find, for the true parameters of every subject of a bank, the population argmax: the parameters at which the mean log density
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
			if f.From == "" {
				return cli.Some("MODEL…")(cmd, args)
			}
			if len(args) > 0 {
				return cli.Usagef("audit: needs MODEL… or --from VERDICTS.jsonl, not both")
			}
			return nil
		},
	})
}

// unitsPerPart is the number of maximisations or fits of the bank in one part of the work on a cluster.
const unitsPerPart = 5

// Run audits each model and prints what its estimates converge to.
func (f *auditFlags) Run(cmd *cobra.Command, names []string) error {
	if err := f.check(); err != nil {
		return err
	}
	b, sim, err := f.openBank(f.Bank)
	if err != nil {
		return err
	}
	models, known, err := f.models(names, b)
	if err != nil {
		return err
	}
	parts := study.CountParts(len(models), len(b.Subjects)+len(f.Settings.Shares), unitsPerPart)
	return each(cmd, &f.checkFlags, models, parts, func(m *catalog.Model) (audit.Summary, error) {
		return audit.Audit(cmd.Context(), m, b, sim, f.Settings, known, f.Where)
	}, f.printAll)
}

// check returns an error for flags that are invalid or do not fit together.
func (f *auditFlags) check() error {
	if len(f.Window) != 2 {
		return cli.Usagef("--window %v: want FROM,TO in seconds, 0 < FROM < TO", f.Window)
	}
	f.Guesses = audit.Guesses{From: f.Window[0], To: f.Window[1], AfterOnset: f.AfterOnset, OfOnset: f.OfOnset}
	f.Settings.Shares = append([]float64{0}, f.Shares...)
	if err := f.Settings.Check(); err != nil {
		return cli.Usagef("--%w", err)
	}
	if f.Lapse != "" && f.From != "" {
		return cli.Usagef("--lapse: not with --from, whose verdicts are of fits without lapses")
	}
	return nil
}

// models returns the models that the arguments name, or the models of --from with their verdicts. It fails if one of the models cannot be
// audited, so that no work starts.
func (f *auditFlags) models(names []string, b *bank.Bank) (models []*catalog.Model, known audit.Judged, err error) {
	if f.From == "" {
		models, err = cli.ReadModels(names)
	} else {
		var verdicts []*judge.Verdict
		if verdicts, err = cli.ReadVerdicts(f.From); err == nil {
			models, known, err = audit.Forms(f.From, verdicts, f.Top, b, cli.ReadModel)
		}
	}
	if err != nil {
		return nil, nil, err
	}
	for _, m := range models {
		if err := audit.Admits(m, b, known); err != nil {
			return nil, nil, err
		}
		if f.Settings.Lapse == "" {
			continue
		}
		if err := audit.AdmitsLapses(m); err != nil {
			return nil, nil, err
		}
	}
	return models, known, nil
}
