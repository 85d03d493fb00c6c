package run

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"path/filepath"

	"likc/cmd/likc/internal/cli"
	"likc/runtime/sys/store"
	html "likc/search/work/report"

	"github.com/spf13/cobra"
)

// reportFlags are the flags of the command report.
type reportFlags struct {
	Out   string `flag:"output,o" value:"FILE.html" help:"FILE.html to write (default: RUN.html or FIT.html)"`
	Sweep string `flag:"sweep" value:"DIR" help:"DIR of likc sweep -o over the run's verdicts, with more beside them than the run's own sweep has"`
	cli.ForceFlag
}

// NewReportPage returns the command report.
func NewReportPage() *cobra.Command {
	return cli.Command(&reportFlags{}, &cobra.Command{
		Use:   "report RUN|FIT…",
		Short: "One page of a run, of a sweep or of fits: tables, plots, warnings, what was assumed",
		Example: `  likc report fit -o fit.html
  likc report free central -o both.html`,
		Long: `Write one HTML page of a folder: self-contained, without scripts or anything from the network.

Of fits (likc fit -o): what was fitted, the estimates, what is wrong with them in words, what the model predicts, and a paragraph
with references for a paper's method section. Several fits of the same trials are compared too.

Of the folder that likc run made, finished or not, or likc sweep -o: tables beside the paper's, plots, expressions. Numbers are read
from the run's result files alone, after their sums were checked.

Folders of likc recover, ppc and other checks have no page. Open their figures, MODEL.svg, in a browser.`,
		Args: cli.Some("RUN or FIT…: a folder of likc run, likc sweep or likc fit"),
	})
}

// Run writes the page and prints its name.
func (f *reportFlags) Run(cmd *cobra.Command, args []string) error {
	if f.Out == "" {
		run, err := filepath.Abs(args[0])
		if err != nil {
			return err
		}
		f.Out = filepath.Base(run) + ".html"
	}
	if err := cmp.Or(cli.CheckParentFolder("--output", f.Out), cli.CheckOutput(cmd, args, "--output", f.Out, cli.Matches(`<title>likc: `))); err != nil {
		return err
	}
	var text bytes.Buffer
	if err := writePage(&text, args, f.Sweep); err != nil {
		return err
	}
	if err := store.WriteFile(f.Out, func(w io.Writer) error { _, err := text.WriteTo(w); return err }); err != nil {
		return err
	}
	_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s\n", f.Out)
	return err
}

// writePage writes the page of one run, or of fits.
func writePage(w io.Writer, dirs []string, sweep string) error {
	if !html.IsFit(dirs[0]) {
		if len(dirs) > 1 {
			return fmt.Errorf("%s: is no folder of likc fit -o: it has no summary.json", dirs[0])
		}
		return html.Write(w, dirs[0], sweep)
	}
	if sweep != "" {
		return cli.Usagef("--sweep %s: a fit has no sweep", sweep)
	}
	return html.WriteFits(w, dirs)
}
