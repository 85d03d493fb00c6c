package checks

import (
	"errors"
	"fmt"

	"likc/cmd/likc/internal/cli"
	"likc/runtime/model/catalog"
	"likc/search/study"
	"likc/search/study/ablate"
	"likc/search/study/bank"
	"likc/search/study/judge"

	"github.com/spf13/cobra"
)

// ablateFlags are the flags of the command ablate.
type ablateFlags struct {
	checkFlags
	Bank string `flag:"bank" value:"BANK" help:"folder of the BANK, or one that comes with likc, such as test-60 (required)"`
	Top  int    `flag:"top" default:"30" in:"[0,1000000]" help:"number of terms to print, those that carry most; 0: all"`
	ablate.Settings
}

// NewAblate returns the command ablate.
func NewAblate() *cobra.Command {
	return cli.Command(&ablateFlags{}, &cobra.Command{
		Use:         "ablate MODEL… --bank BANK",
		Annotations: cli.KeepsWork,
		Short:       "Which terms of a formula matter? Judge the formula without each",
		Example:     `  likc ablate found57 --bank test-60`,
		Long: `Replace each term of a formula by a number, and judge the result as likc judge does: NUTS for every subject of a bank. The
numbers are 0, 1, and the mean of the term over the bank's trials at the true parameters. A normalised formula is divided by the
integral of the formula without the term.

A term is any part of the formula with an operator or a function, except conditions and the beginnings of longer sums and products
(x + y in x + y + z). Equal parts are one term, replaced everywhere at once. With --leaves, single symbols and numbers are terms too.
A term that is only added is replaced by 0 alone, because an added constant changes no posterior. Numbers at which the formula is not
finite are left out. Formulas that simplify to the same one are judged once.

  carries   how much is lost without the term: 0 if errors stay as they are, 1 if they are as large as with one guess for all subjects.
            Between, it is the log of the root mean squared error over that of the whole formula, as a share of the log with one
            guess. First the mean of all parameters, then each
  r         weakest correlation of posterior means with the truth
  RMSE      largest root mean squared error of a parameter over that of the whole formula
  covers    smallest and largest share of 90% intervals that hold the truth, over the parameters
  lost      parameters that the formula no longer recovers, and those whose intervals now cover less than 80% or more than 97%

Terms are in descending order of what they carry, which is taken from the number that loses least.

With -o DIR: MODEL.jsonl has the verdicts, one a line, as likc judge writes them, the whole formula's first. MODEL.json has the table.
MODEL.svg is the formula, with a bar beneath each term, the darker the more it carries: once for all parameters, once for each. A run
that was interrupted goes on when it is started again with the same arguments.

  likc ablate expr2 --bank test-60 -o ablation
  likc ablate testdata/densities/found57.lik --bank test-60 --subjects 60 -o ablation`,
		Args: cli.Some("MODEL…"),
	})
}

// Run ablates each model and prints its terms.
func (f *ablateFlags) Run(cmd *cobra.Command, args []string) error {
	if err := f.checkDestinations(); err != nil {
		return err
	}
	models, err := cli.ReadModels(args)
	if err != nil {
		return err
	}
	b, _, err := cli.OpenBank(f.Bank)
	if err != nil {
		return err
	}
	parts, err := f.countParts(models, b)
	if err != nil {
		return err
	}
	return each(cmd, &f.checkFlags, models, parts, func(m *catalog.Model) (*ablate.Summary, error) {
		summary, err := ablate.Run(cmd.Context(), m, b, f.Settings, f.Where)
		if errors.Is(err, judge.ErrOther) {
			err = fmt.Errorf("%w: name another folder, or remove that file", err)
		}
		return summary, err
	}, f.print)
}

// formsPerPart is the number of formulas that one part of the work on a cluster tests.
const formsPerPart = 10

// countParts returns the number of parts into which the work is divided on a cluster. It refuses models that cannot be ablated.
func (f *ablateFlags) countParts(models []*catalog.Model, b *bank.Bank) (int, error) {
	fewest := 0
	for _, m := range models {
		n, err := ablate.Count(m, b, f.Settings)
		if err != nil {
			return 0, err
		}
		if fewest == 0 || n < fewest {
			fewest = n
		}
	}
	return study.CountParts(len(models), fewest, formsPerPart), nil
}
