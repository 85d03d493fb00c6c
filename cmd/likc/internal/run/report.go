package run

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"

	"likc/cmd/likc/internal/cli"
	"likc/runtime/store"
	html "likc/search/report"

	"github.com/spf13/cobra"
)

func NewReportPage() *cobra.Command {
	var out, sweep string
	cmd := &cobra.Command{
		Use:   "report RUN",
		Short: "One page of a run or a sweep: tables beside the paper's, plots, expressions, what was assumed",
		Long: `Report writes one HTML page of the folder that likc run made, finished or not, or likc sweep -o: self-contained, without
scripts or anything from the network. Numbers are read from the run's result files alone, after their sums were checked.`,
		Args: cli.Exactly("RUN"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if out == "" {
				run, err := filepath.Abs(args[0])
				if err != nil {
					return err
				}
				out = filepath.Base(run) + ".html"
			}
			if err := cli.CheckPlace("--output", out); err != nil {
				return err
			}
			var text bytes.Buffer
			if err := html.Write(&text, args[0], sweep); err != nil {
				return err
			}
			if err := store.WriteFile(out, func(w io.Writer) error { _, err := text.WriteTo(w); return err }); err != nil {
				return err
			}
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s\n", out)
			return err
		},
	}
	cmd.Flags().StringVarP(&out, "output", "o", "", "`FILE.html` to write (default: RUN.html)")
	cmd.Flags().StringVar(&sweep, "sweep", "", "`DIR` of likc sweep -o over the run's verdicts, with more beside them than the run's own sweep has")
	return cmd
}
