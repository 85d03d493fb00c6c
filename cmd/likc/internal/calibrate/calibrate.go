// Package calibrate has the command that calibrates an expression.
package calibrate

import (
	"errors"
	"fmt"
	"io"

	"likc/cmd/likc/internal/cli"
	"likc/cmd/likc/internal/remote"
	"likc/compiler/expr"
	"likc/runtime/fit/progress"
	"likc/runtime/model/catalog"
	"likc/search/find/calibrate"

	"github.com/spf13/cobra"
)

// flags are the flags of the command.
type flags struct {
	Teacher string      `flag:"teacher" value:"TEACHER" required:"calibrate: --teacher is missing: a folder made by likc teacher train" help:"TEACHER: a folder made by likc teacher, the name of a teacher that comes with likc, or another density"`
	Out     string      `flag:"output,o" value:"FILE.lik" writes:"model" help:"FILE.lik to write (default: standard output)"`
	Lapse   probability `flag:"lapse" help:"probability of a lapse, for a model without lapses of its own; 0 for none"`
	Until   float64     `flag:"lapse-until" in:"[1,1e+06]" help:"response times of lapses are uniform from 0 to that many seconds"`
	calibrate.Settings
	remote.TaskFlags
}

// probability is the probability of a lapse.
type probability float64

// Check refuses a probability, other than 0, that is not from 1e-6 to 0.5.
func (p probability) Check() error {
	if p == 0 || p >= 1e-6 && p <= 0.5 {
		return nil
	}
	return fmt.Errorf("%v: want 0, or 1e-06 to 0.5", float64(p))
}

// New makes the command.
func New() *cobra.Command {
	s := calibrate.Default()
	return cli.Command(&flags{Settings: s, Lapse: probability(s.Lapse.Probability), Until: s.Lapse.Until}, &cobra.Command{
		Use:     "calibrate MODEL --teacher TEACHER -o FILE.lik",
		Short:   "Correct the bias of an expression by a teacher; write the corrected model",
		Example: `  likc calibrate expr2 --teacher lan -o calibrated.lik`,
		Long: `Write a model whose estimates converge to the true parameters. MODEL is normalised (see likc normalise) and mixed with
a few lapses, so that no trial has density 0. The estimates of that density converge to the binding function of the true
parameters, b: where the mean log density over the teacher's trials is highest. likc computes b by quadrature at many points of
the ranges, fits polynomials to it, and writes the density at b. Its estimates converge to the true parameters.

Most formulas have a tail that is too heavy or too light, and then b may have two maxima and jump between them. So the density is
also tilted: its log falls by η(θ) a second, where η is one more value of b. --tilt=false leaves that out. Where trials say
little of some direction, b is pulled towards the true parameters; --pull sets how strongly.

A density with lapses is evaluated trial by trial. --lapse 0 writes a density without lapses. Its sums over trials can come from
tables if the sums of the expression can; then an evaluation costs the same for any number of trials. Without lapses a single early
response pulls the onset before it. likc fit --lapse adds lapses to such a density when it is fitted. To compute b, calibrate still uses
lapses of probability 1e-6. Without them the one trial that the expression finds least probable would decide b.

The report begins the file. It names the points of the ranges at which b has no inverse. No correction is possible there, and calibrate
refuses a model in which they are more than 5 % of the ranges. The report also gives

  the share of the teacher's precision that MODEL can keep
  the ratio of the posteriors' width to the errors of estimates, if b were exact
  how far the pull moves estimates
  the distance of the polynomials from b, in standard deviations of an estimate

  likc calibrate wald --teacher spline -o wald_calibrated.lik
  likc judge wald_calibrated.lik --reference ddm --bank test-60`,
		Args: cli.Exactly("MODEL"),
	})
}

// Run calibrates the model, here or on a cluster, writes it and prints the report.
func (f *flags) Run(cmd *cobra.Command, args []string) (err error) {
	if err := f.CheckAndEnterStartFolder(cmd, "FILE.lik", &f.Out); err != nil {
		return err
	}
	from, err := cli.ReadExpression(args[0])
	if err != nil {
		return err
	}
	if from.Binding != nil {
		return fmt.Errorf("%s: is calibrated already", from.Name)
	}
	teacher, err := openTeacher(f.Teacher)
	if err != nil {
		return err
	}
	if _, ok := teacher.Density(); !ok {
		return fmt.Errorf("--teacher %s: is an expression; expected a teacher's folder or another density", f.Teacher)
	}
	if f.OnCluster() {
		return f.runOnCluster(cmd)
	}
	defer f.Tidy(f.Out, &err) // removes what a cluster's task left behind
	m, report, err := f.calibrate(cmd, from.Model, teacher)
	// without a file, the model goes to standard output, and its comment has the report already
	if report != nil && (err != nil || f.Out != "" && f.Out != "-") {
		err = errors.Join(err, report.Write(cmd.OutOrStdout(), ""))
	}
	if err != nil {
		return err
	}
	return cli.WriteOutput(cmd, f.Out, func(w io.Writer) error { return writeCalibrated(w, from.Name, m, report) })
}

// runOnCluster lets a cluster calibrate, and prints the report.
func (f *flags) runOnCluster(cmd *cobra.Command) error {
	printed, err := f.Do(cmd, remote.Task{Outputs: []remote.Output{{Flag: "output", Name: "CALIBRATED.lik", Path: f.Out}}})
	if err != nil {
		return err
	}
	_, err = cmd.OutOrStdout().Write(printed)
	return err
}

// writeCalibrated writes a comment about the model's origin, the model itself, and the report.
func writeCalibrated(w io.Writer, from string, m *expr.Model, r *calibrate.Report) error {
	if _, err := fmt.Fprintf(w, "// The model %s with its bias corrected by the teacher %s. What likc calibrate said of it:\n//\n", from, r.Teacher); err != nil {
		return err
	}
	if err := r.Write(w, "// "); err != nil {
		return err
	}
	return catalog.WriteModel(w, m)
}

// openTeacher opens the density to learn from: a model, or else a teacher of that name that comes with likc.
func openTeacher(name string) (*catalog.Model, error) {
	m, err := cli.ReadModel(name)
	if err == nil {
		return m, nil
	}
	if folder, unknown := cli.Committed(name); unknown == nil {
		if m, notTeacher := cli.ReadModel(folder); notTeacher == nil {
			return m.Renamed(name), nil
		}
	}
	return nil, fmt.Errorf("--teacher %w", err)
}

// calibrate runs the calibration with a bar for each stage.
func (f *flags) calibrate(cmd *cobra.Command, from *expr.Model, teacher *catalog.Model) (*expr.Model, *calibrate.Report, error) {
	f.Settings.Lapse = expr.Lapse{Probability: float64(f.Lapse), Until: f.Until}
	bars := progress.NewBars(cmd.ErrOrStderr())
	defer bars.Close()
	stages := map[string]int{}
	f.Progress = func(stage string, done, of int) {
		if _, known := stages[stage]; !known {
			stages[stage] = len(stages)
		}
		bars.Show(stages[stage], fmt.Sprintf("%-16s ", stage), done, of, "")
	}
	return calibrate.Run(cmd.Context(), from, teacher, f.Settings)
}
