package checks

import (
	"errors"

	"likc/cmd/likc/internal/cli"
	"likc/runtime/fit"
	"likc/runtime/model/catalog"
	"likc/search/study"
	"likc/search/study/recovery"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// studyFlags ask recover for hierarchical studies.
type studyFlags struct {
	studies int
	design  study.Design
}

const studyHelp = `
With --formula or --preset, as in likc fit, recover simulates and fits whole studies: --subjects participants (default 30) of --trials
trials each. It draws the coefficients and spreads of the population from their priors, and the participants from the population.
The table compares the population's coefficients with the truth. --theta states a true value instead of drawing it: then there is
a column for power, the share of 90% intervals that exclude 0, and coverage has no verdict, because its level is only promised for
true values that are drawn from the priors. --column and
--between say what the columns hold that formulas name: values are crossed and repeated; numbers of a distribution are drawn once,
the same for all studies.`

func (f *studyFlags) add(flags *pflag.FlagSet) {
	flags.StringArrayVar(&f.design.Formulas, "formula", nil, "`FORMULA` of one parameter, such as 'v ~ 1 + cond + (1 + cond | subj_idx)' (repeatable)")
	flags.StringArrayVar(&f.design.Links, "link", nil, "`NAME=LINK` of a parameter with a formula: identity, log or logit (repeatable)")
	flags.StringVar(&f.design.Preset, "preset", "", "`NAME` of a study, one of those of likc fit")
	flags.IntVar(&f.studies, "studies", 100, "simulated studies, with --formula or --preset")
	flags.StringArrayVar(&f.design.Within, "column", nil, "`NAME=VALUE,VALUE,…` or NAME=DISTRIBUTION of a column that changes from trial to trial (repeatable)")
	flags.StringArrayVar(&f.design.Between, "between", nil, "the same of a column that changes from participant to participant (repeatable)")
	flags.StringArrayVar(&f.design.Truths, "theta", nil, "`NAME=VALUE`: the true value of a population coefficient in all studies (repeatable; default: drawn)")
}

// runStudies recovers hierarchical studies.
func (f *recoverFlags) runStudies(cmd *cobra.Command, m *catalog.Model) error {
	if f.study.design.Preset != "" && len(f.study.design.Formulas) > 0 {
		return cli.Usagef("--preset: not with --formula")
	}
	if err := cli.Within("--studies", f.study.studies, 1, 100_000); err != nil {
		return err
	}
	if !cmd.Flags().Changed("subjects") {
		f.settings.Subjects = 30
	}
	experiments, err := study.NewStudies(m, study.StudySettings{Settings: f.settings, Studies: f.study.studies, Design: f.study.design})
	if wrong := (fit.WishError{}); errors.As(err, &wrong) {
		return usageOf(wrong)
	}
	if err != nil {
		return cli.Usage(err)
	}
	if err := experiments.Open(); err != nil {
		return err
	}
	plan := recovery.NewStudies(m, experiments)
	defer plan.Close()
	return each(cmd, &f.checkFlags, []*catalog.Model{m}, study.CountParts(1, plan.N(), 1), func(m *catalog.Model) (recovery.Summary, error) {
		return plan.Run(cmd.Context(), study.NewCheck(f.Where, "recover studies", "studies", m, nil, experiments.StudySettings))
	}, printRecovery)
}
