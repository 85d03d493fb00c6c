package model

import (
	"fmt"
	"io"
	"math"

	"likc/cmd/likc/internal/cli"
	"likc/compiler/normal"
	"likc/runtime/model/bound"
	"likc/runtime/model/catalog"

	"github.com/spf13/cobra"
)

// normaliseFlags are the flags of the command normalise.
type normaliseFlags struct {
	Out string `flag:"output,o" value:"FILE.lik" writes:"model" help:"FILE.lik to write (default: standard output)"`
}

// NewNormalise makes the command that writes an expression as a density.
func NewNormalise() *cobra.Command {
	return cli.Command(&normaliseFlags{}, &cobra.Command{
		Use:     "normalise MODEL -o FILE.lik",
		Short:   "Write an expression as a density: less the log of its integral over time and all choices",
		Example: `  likc normalise expr2 -o expr2n.lik`,
		Long: `Write the model with the word normalise, so that its log density is that of MODEL less log Z. Z is the integral over
time and all choices. likc computes it once an evaluation, with its gradient, on a fixed grid of times. The grid is chosen for
the model and checked against adaptive quadrature: log Z is right to 2e-5 where responses come latest, earliest and closest together,
at 32 points spread over the ranges and, for up to four parameters, at corners of the ranges and midway between them.

The file is a MODEL for every command. Unlike most expressions it can be mixed with lapses (fit --lapse), has omissions by a
deadline, leave-one-out cross-validation and predictions. A model that integrates to 1 as it is, such as exwald, is refused.
Normalising does not undo bias: likc judge --reference measures that.

  likc normalise wald -o wald_normalised.lik
  likc judge wald wald_normalised.lik --reference ddm --bank test-60`,
		Args: cli.Exactly("MODEL"),
	})
}

// Run normalises the model and writes it.
func (f *normaliseFlags) Run(cmd *cobra.Command, args []string) error {
	from, err := cli.ReadExpression(args[0])
	if err != nil {
		return err
	}
	if from.Normalise {
		return fmt.Errorf("%s: is normalised already", from.Name)
	}
	if err := from.Normalisable(); err != nil {
		return fmt.Errorf("normalise %s: %w", from.Name, err)
	}
	if err := checkNeed(from); err != nil {
		return err
	}
	m := from.Renamed(from.Name + "_normalised")
	m.Normalise = true
	parts, err := normal.Of(m.Model)
	if err != nil {
		return err
	}
	return cli.WriteOutput(cmd, f.Out, func(w io.Writer) error { return writeNormalised(w, from.Name, m, parts.Grid) })
}

// checkNeed refuses a model that is a density as it is: normalising would only make it slower.
func checkNeed(m *catalog.Model) error {
	b, err := cli.OpenEngine(m, "", bound.Ready)
	if err != nil {
		return err
	}
	defer b.Close()
	if masses, ok := b.Masses(); ok && masses.Normalised() {
		return fmt.Errorf("normalise %s: it is a density already: it %s; use it as it is", m.Name, masses)
	}
	return nil
}

// writeNormalised writes the model below a line that says how well its integral is known.
func writeNormalised(w io.Writer, from string, m *catalog.Model, g normal.Grid) error {
	if _, err := fmt.Fprintf(w, "// %s as a density: less the log of its integral, which is right to %.1g at %d points of the ranges.\n", from, roundUp(g.Error), g.Points); err != nil {
		return err
	}
	return catalog.WriteModel(w, m.Model)
}

// roundUp returns x to one digit, and not below x.
func roundUp(x float64) float64 {
	scale := math.Pow(10, math.Floor(math.Log10(x)))
	return math.Ceil(x/scale) * scale
}
