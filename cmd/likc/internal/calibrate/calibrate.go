// Package calibrate has the command that calibrates an expression.
package calibrate

import (
	"cmp"
	"errors"
	"fmt"
	"io"

	"likc/cmd/likc/internal/cli"
	"likc/compiler/expr"
	"likc/runtime/fit/progress"
	"likc/runtime/model/catalog"
	"likc/runtime/sys/store"
	"likc/search/find/calibrate"

	"github.com/spf13/cobra"
)

// flags of the command.
type flags struct {
	teacher, out string
	settings     calibrate.Settings
}

// New makes the command.
func New() *cobra.Command {
	f := flags{settings: calibrate.Default()}
	cmd := &cobra.Command{
		Use:   "calibrate MODEL --teacher TEACHER -o FILE.lik",
		Short: "Correct the bias of an expression by a teacher; write the corrected model",
		Long: `Calibrate writes a model whose estimates converge to the true parameters. MODEL is normalised (see likc normalise) and mixed with
a few lapses, so that no trial has density 0. The estimates of that density converge to the binding function of the true
parameters, b: where the mean log density over the teacher's trials is highest. likc computes b by quadrature at many points of
the ranges, fits polynomials to it, and writes the density at b. Its estimates converge to the true parameters.

Most formulas have a tail that is too heavy or too light, and then b may have two maxima and jump between them. So the density is
also tilted: its log falls by η(θ) a second, where η is one more value of b. --tilt=false leaves that out. Where trials say
little of some direction, b is pulled towards the true parameters; --pull sets how strongly.

A density mixed with lapses looks at every trial in each evaluation. --lapse 0 writes one without lapses, whose sums over trials
can come from tables: then it costs the same for any number of trials, if the expression's own sums do. One trial before the onset has density 0
there, and pulls the onset before it; likc fit --lapse can mix such a density with lapses of its own. b is then computed with lapses of probability 1e-6,
because with none the rarest trial of the teacher would rule it.

The report says where b has no inverse: there no correction is possible, and calibrate refuses where that is more than 5 % of
the ranges. It also says how much of the teacher's precision MODEL can keep, and how wide posteriors are beside the errors of
estimates, were b exact; how far the pull moves estimates; and how far the polynomials are from b, in standard deviations of an
estimate. The file begins with it.

  likc calibrate wald --teacher spline -o wald_calibrated.lik
  likc judge wald_calibrated.lik --reference ddm --bank test-60`,
		Args: cli.Exactly("MODEL"),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },
	}
	s := &f.settings
	cmd.Flags().StringVar(&f.teacher, "teacher", "", "`TEACHER`: a folder made by likc teacher, the name of a teacher that comes with likc, or another density")
	cli.AddForce(cmd)
	cmd.Flags().StringVarP(&f.out, "output", "o", "", "`FILE.lik` to write (default: standard output)")
	cmd.Flags().IntVar(&s.Points, "points", s.Points, "points of the ranges at which b is computed")
	cmd.Flags().IntVar(&s.Degree, "degree", s.Degree, "degree of the polynomials")
	cmd.Flags().Float64Var(&s.Pull, "pull", s.Pull, "strength of a pull of b towards the truth, which makes b smooth where trials say little")
	cmd.Flags().BoolVar(&s.Tilt, "tilt", s.Tilt, "tilt the density by an exponential function of time")
	cmd.Flags().Float64Var(&s.Trials, "trials", s.Trials, "trials a subject has, for which errors are measured")
	cmd.Flags().Float64Var(&s.Lapse.Probability, "lapse", s.Lapse.Probability, "probability of a lapse, for a model without lapses of its own; 0 for none")
	cmd.Flags().Float64Var(&s.Lapse.Until, "lapse-until", s.Lapse.Until, "lapses last from 0 to that many seconds")
	cmd.Flags().IntVar(&s.Threads, "threads", 0, "threads (0: one a processor); results do not depend on it")
	return cmd
}

// check looks at the flags.
func (f *flags) check() error {
	s := &f.settings
	for _, wrong := range []error{
		cli.Within("--points", s.Points, 200, 1000000),
		cli.Within("--degree", s.Degree, 1, 12),
		cli.Within("--pull", s.Pull, 1e-8, 1),
		cli.Within("--trials", s.Trials, 1, 1e9),
		lapseWithin(s.Lapse.Probability),
		cli.Within("--lapse-until", s.Lapse.Until, 1, 1e6),
		cli.Within("--threads", s.Threads, 0, 4096),
		cli.CheckPlace("--output", f.out),
	} {
		if wrong != nil {
			return wrong
		}
	}
	if f.teacher == "" {
		return cli.Usagef("calibrate: --teacher is missing: a folder made by likc teacher train")
	}
	return nil
}

// lapseWithin is nil for a probability of a lapse that a model can have, and for none.
func lapseWithin(p float64) error {
	if p == 0 || p >= 1e-6 && p <= 0.5 {
		return nil
	}
	return cli.Usagef("--lapse %v: want 0, or 1e-06 to 0.5", p)
}

func (f *flags) run(cmd *cobra.Command, name string) error {
	if err := cmp.Or(f.check(), cli.CheckOutput(cmd, []string{name}, "--output", f.out, cli.WrittenModel)); err != nil {
		return err
	}
	from, err := cli.ReadExpression(name)
	if err != nil {
		return err
	}
	if from.Binding != nil {
		return fmt.Errorf("%s: is calibrated already", from.Name)
	}
	teacher, err := openTeacher(f.teacher)
	if err != nil {
		return err
	}
	if _, ok := teacher.Density(); !ok {
		return fmt.Errorf("--teacher %s: is an expression; expected a teacher's folder or another density", f.teacher)
	}
	m, report, err := f.calibrate(cmd, from.Model, teacher)
	if report != nil && (err != nil || f.out != "" && f.out != "-") {
		err = errors.Join(err, report.Write(cmd.OutOrStdout(), ""))
	}
	if err != nil {
		return err
	}
	write := func(w io.Writer) error { return writeCalibrated(w, from.Name, m, report) }
	if f.out == "" || f.out == "-" {
		return write(cmd.OutOrStdout())
	}
	return store.WriteFile(f.out, write)
}

// writeCalibrated writes the model below a sentence that says what it is, and the report.
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
	bars := progress.NewBars(cmd.ErrOrStderr())
	defer bars.Close()
	stages := map[string]int{}
	f.settings.Progress = func(stage string, done, of int) {
		if _, known := stages[stage]; !known {
			stages[stage] = len(stages)
		}
		bars.Show(stages[stage], fmt.Sprintf("%-16s ", stage), done, of, "")
	}
	return calibrate.Run(cmd.Context(), from, teacher, f.settings)
}
