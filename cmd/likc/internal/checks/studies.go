package checks

import (
	"errors"

	"likc/cmd/likc/internal/cli"
	"likc/runtime/fit"
	"likc/runtime/model/catalog"
	"likc/search/study"
	"likc/search/study/recovery"

	"github.com/spf13/cobra"
)

const studyHelp = `
With --formula or --preset, as in likc fit, recover simulates and fits whole studies: --subjects participants (default 30) of --trials
trials each. It draws the coefficients and spreads of the population from their priors, and the participants from the population.
The table compares the population's coefficients with the truth. --theta states a true value instead of drawing it: then there is
a column for power, the share of 90% intervals that exclude 0, and coverage has no verdict, because its level is only promised for
true values that are drawn from the priors. --column and
--between say what the columns hold that formulas name: values are crossed and repeated; numbers of a distribution are drawn once,
the same for all studies.`

// runStudies simulates hierarchical studies and fits them, and reports how well the fits recover the truth.
func (f *recoverFlags) runStudies(cmd *cobra.Command, m *catalog.Model) error {
	if f.Columns == nil && !cmd.Flags().Changed("subjects") {
		f.Subjects = 30
	}
	experiments, err := study.NewStudies(m, study.StudySettings{Settings: f.Settings, Studies: f.Studies, Design: f.Design})
	if errors.As(err, new(fit.WishError)) {
		return cli.NameFlag(err)
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
		return plan.Run(cmd.Context(), study.NewCheck(f.Where, "recover studies", "studies", m, nil, experiments.StudySettings), drawRecovery)
	}, printRecovery)
}
