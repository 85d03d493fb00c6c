// Package distil holds the command distil, which finds a formula that approximates a likelihood.
package distil

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"likc/cmd/likc/internal/cli"
	"likc/runtime/fit/progress"
	"likc/runtime/sys/store"
	"likc/search/work/distil"

	"github.com/spf13/cobra"
)

// flags are the flags of the command.
type flags struct {
	Out  string `flag:"output,o" value:"DIR" required:"distil: -o is missing: the folder to write" help:"DIR to write"`
	JSON bool   `flag:"json" help:"print the summary as JSON"`
	distil.Settings
	cli.ForceFlag
	cli.ExecFlags
}

// New makes the command.
func New() *cobra.Command {
	return cli.Command(&flags{Settings: distil.Default()}, &cobra.Command{
		Use:         "distil MODEL -o DIR",
		Annotations: cli.KeepsWork,
		Short:       "Find a short formula in place of a likelihood, and judge whether it is honest",
		Example:     `  likc distil ddm -o formula`,
		Long: `Find a formula near the density of MODEL: an exact density, the numerical one of a process that is written down, or that of a teacher that
has passed its gate. Of a process without any likc draws trials, by --exec where the model does not say how they come about. Formulas are sums of terms, less
the log of their integral. The best coefficients of a set of terms are a convex problem, so each set is compared at its best, and terms are
chosen from thousands by what they are expected to gain. The result is a front: the best formula of each size.

Some formulas of the front are judged. Each fits simulated subjects, as likc judge does, and so does MODEL. Those that are honest
are judged again on other subjects, and the smallest that is honest there too is written. Without one, the files say so.

DIR/formula.lik is a MODEL for every command. DIR/front.jsonl is the front, DIR/report.html explains the result, and DIR/summary.json is for
programs. The same command continues after an interruption. The same seed gives the same front and formula on any number of threads,
unless --time ends the search first.

  likc distil ddm -o ddm-formula
  likc fit ddm-formula/formula.lik --data trials.csv -o fit`,
		Args: cli.Exactly("MODEL"),
	})
}

// Run distils the model and prints the formulas that were found.
func (f *flags) Run(cmd *cobra.Command, args []string) error {
	if err := f.checkOutputs(cmd, args); err != nil {
		return err
	}
	m, err := cli.ReadDeclared(args[0])
	if err != nil {
		return err
	}
	summary, err := f.distil(cmd, func(s distil.Settings) (*distil.Summary, error) { return distil.Run(cmd.Context(), m, f.Out, s) })
	switch {
	case err != nil && cmd.Context().Err() != nil:
		return fmt.Errorf("interrupted: what was finished is in %s; start again with the same arguments to go on", f.Out)
	case err != nil:
		return err
	}
	return f.print(cmd.OutOrStdout(), summary)
}

// checkOutputs returns an error if the command would overwrite a file that likc did not write.
func (f *flags) checkOutputs(cmd *cobra.Command, args []string) error {
	err := cli.CheckParentFolder("--output", f.Out)
	for name, written := range map[string]cli.Written{
		distil.FormulaFile: cli.WrittenModel,
		distil.FrontFile:   cli.WrittenFront,
		distil.SummaryFile: cli.Begins("{\n  \"model\":"),
		distil.ReportFile:  cli.Matches("<title>likc: "),
	} {
		err = cmp.Or(err, cli.CheckOutput(cmd, args, "--output", filepath.Join(f.Out, name), written))
	}
	return err
}

// distil runs the distillation, with a progress bar for each stage.
func (f *flags) distil(cmd *cobra.Command, run func(distil.Settings) (*distil.Summary, error)) (*distil.Summary, error) {
	bars := progress.NewBars(cmd.ErrOrStderr())
	defer bars.Close()
	stages := map[string]int{}
	s := f.Settings
	s.Source = f.Exec
	s.Progress = func(stage string, done, of int) {
		if _, known := stages[stage]; !known {
			stages[stage] = len(stages)
		}
		bars.Show(stages[stage], fmt.Sprintf("%-17s ", stage), done, of, "")
	}
	return run(s)
}

// print prints the formula that was found and its verdict.
func (f *flags) print(w io.Writer, s *distil.Summary) error {
	if f.JSON {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(s)
	}
	text, err := f.formula(s)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s\n\n%s, %s\n%s\n\n%s\n", text, nodes(s), s.Distance(), s.Verdict(), f.Out)
	return err
}

// mostShown is the length of the longest formula that is printed, in bytes.
const mostShown = 4000

// formula returns the text of the formula that is printed: the declarations of names and the log density, as the file has them. For a formula
// longer than mostShown it returns a sentence with the path of the file.
func (f *flags) formula(s *distil.Summary) (string, error) {
	path := filepath.Join(f.Out, distil.FormulaFile)
	text, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("%s: %w", path, store.Cause(err))
	}
	var lines []string
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "let ") || strings.HasPrefix(line, "loglik ") {
			lines = append(lines, line)
		}
	}
	shown := strings.Join(lines, "\n")
	if len(lines) == 1 {
		shown = s.Formula
	}
	if len(shown) > mostShown {
		shown = "The formula stands in " + path
	}
	return shown, nil
}

// nodes returns a text with a formula's number of nodes.
func nodes(s *distil.Summary) string {
	if s.SizeShared == s.Size {
		return fmt.Sprintf("%d nodes", s.Size)
	}
	return fmt.Sprintf("%d nodes (%d if equal parts count once)", s.Size, s.SizeShared)
}
