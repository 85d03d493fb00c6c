package checks

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"likc/cmd/likc/internal/cli"
	"likc/runtime/model/catalog"
	"likc/search/study/sbc"

	"github.com/spf13/cobra"
)

// sbcFlags are the flags of the command sbc.
type sbcFlags struct {
	checkFlags
	sbc.Settings
	cli.ExecFlags
}

// NewSBC returns the command sbc.
func NewSBC() *cobra.Command {
	return cli.Command(&sbcFlags{}, &cobra.Command{
		Use:         "sbc MODEL…",
		Annotations: cli.KeepsWork,
		Short:       "Simulation-based calibration: are the posteriors of a model's own data honest?",
		Example:     `  likc sbc ddm`,
		Long: `Draw parameters uniformly from their ranges, and trials from exp(log density) divided by its integral over all choices,
and fit them with NUTS under the same normalised density. If everything fits together, the true values' ranks among the posterior
draws are uniform: the difference between their empirical distribution and the uniform one stays within a band that holds
everywhere at once with probability 0.95, and their variance over that of uniform ranks, the dispersion, is near 1.

The integral is a sum over 400 values of rt - t, evenly spaced in their logarithm from 10 µs to 200 s; adaptive quadrature checks it
at every true value. An exact density and a teacher are taken as they are, and their data come from the simulator of their process.

With --process, the data of every model come from the process that its file names, and the model is fitted as it is: so ranks show
whether an expression's posteriors can be trusted with data that it did not make itself.

Simulations whose R-hat is above 1.05 or whose bulk ESS is below 100 are counted, and left out of the column "in band"; the
column "all in band" includes them.`,
		Args: cli.Some("MODEL…"),
	})
}

// Run checks the calibration of each model and prints a row for it.
func (f *sbcFlags) Run(cmd *cobra.Command, args []string) error {
	if err := f.Settings.Check(); err != nil {
		return cli.Usagef("--%w", err)
	}
	if err := f.checkDestinations(); err != nil {
		return err
	}
	models, err := cli.ReadModels(args)
	if err != nil {
		return err
	}
	return each(cmd, &f.checkFlags, models, f.Settings.Parts(len(models)), func(m *catalog.Model) (sbc.Summary, error) {
		return sbc.Calibrate(cmd.Context(), m, f.Settings, f.Where)
	}, printCalibrations)
}

func printCalibrations(w io.Writer, all []sbc.Summary) error {
	fitted := slices.IndexFunc(all, func(s sbc.Summary) bool { return len(s.All.Params) > 0 })
	if fitted < 0 {
		return fmt.Errorf("%s: no simulation could be fitted", all[0].Model)
	}
	names := all[fitted].All.Params
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(t, "model\tin band\t")
	for _, p := range names {
		fmt.Fprintf(t, "%s\t", p.Name)
	}
	fmt.Fprintln(t, "all in band\tflagged\tfailed\tdivergent\tlog Z gap\t")
	for _, s := range all {
		fmt.Fprintf(t, "%s\t%d of %d\t", s.Model, s.Kept.Inside, len(s.Kept.Params))
		for _, p := range s.Kept.Params {
			mark := ""
			if !p.Inside {
				mark = " OUT"
			}
			fmt.Fprintf(t, "%.2f (p %.2f)%s\t", p.Dispersion, p.P, mark)
		}
		if len(s.Kept.Params) == 0 { // every simulation is flagged
			fmt.Fprint(t, strings.Repeat("-\t", len(names)))
		}
		gap := "-"
		if x := float64(s.LogZGap); !math.IsNaN(x) {
			gap = fmt.Sprintf("%.1e", x)
		}
		fmt.Fprintf(t, "%d of %d\t%d\t%d\t%d\t%s\t\n", s.All.Inside, len(s.All.Params), s.Flagged, s.Failed, s.Divergent, gap)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(w, "\neach parameter: dispersion of the ranks, 1 if calibrated, and p of χ²; OUT is outside the 95%% simultaneous band\n"+
		"in band: parameters within it, flagged simulations left out; all in band: flagged ones included; flagged: R-hat above 1.05 or bulk ESS below 100\n"+
		"log Z gap: largest difference between the log of the integral as a sum and by quadrature\n")
	return nil
}
