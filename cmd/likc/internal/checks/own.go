package checks

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"likc/cmd/likc/internal/cli"
	"likc/runtime/fit"
	"likc/runtime/fit/folder"
	"likc/runtime/model/catalog"
	"likc/runtime/model/lapse"
	"likc/search/study/ppc"

	"github.com/spf13/cobra"
)

// ownFlags name the fits of a user's own data, and the data.
type ownFlags struct {
	cli.DataFlags `but:"pool.drop=true | data.help=with --fit: the trials that were fitted: CSV with a header, or Parquet; - is standard input"`
	Fit           string   `flag:"fit" value:"FIT" not:"bank output" help:"check the FIT of --data, a folder of likc fit -o, in place of a bank"`
	Fixed         []string `flag:"fix" value:"NAME=VALUE" help:"with --fit: the fit's own NAME=VALUE, of a fit that does not record it (repeatable)"`
}

// ownReplicates is how many replicates a subject has unless --replicates says otherwise: their part of the Monte Carlo error of p is .016 at most.
const ownReplicates = 1000

// runOwn checks a fit of the user's own data.
func (f *ppcFlags) runOwn(cmd *cobra.Command, names []string) error {
	if f.OnCluster() || f.Given() {
		return cli.Usagef("--on: not with --fit, which takes seconds")
	}
	if len(names) != 1 {
		return cli.Usagef("--fit %s: wants one MODEL, the one that was fitted", f.Fit)
	}
	m, err := cli.ReadModel(names[0])
	if err != nil {
		return err
	}
	saved, err := folder.Open(f.Fit)
	if err != nil {
		return fmt.Errorf("--fit %w", err)
	}
	if saved.Subjects[0].Model != m.Name {
		return cli.Usagef("--fit %s: is a fit of %s, not of %s", f.Fit, saved.Subjects[0].Model, m.Name)
	}
	predictor, done, err := f.predictor(m, saved.Subjects[0])
	if err != nil {
		return err
	}
	defer done()
	table, err := f.Read(m, cmd.ErrOrStderr())
	if err != nil {
		return err
	}
	subjects := []fit.Subject{{Label: f.Only, Columns: table.Columns, Choice: table.Choice}}
	if f.Subject != "" && f.Only == "" {
		subjects = folder.Subjects(table)
	}
	trials, replicates := 0, ownReplicates // 0: as many as p needs
	if cmd.Flags().Changed("trials") {
		trials = f.Settings.Trials
	}
	if cmd.Flags().Changed("replicates") {
		replicates = f.Settings.Replicates
	}
	out, err := ppc.CheckFits(cmd.Context(), saved, predictor, subjects, table.Source.SHA256, trials, replicates)
	if cmd.Context().Err() != nil {
		return errors.New("interrupted: nothing is kept of a check of a fit")
	}
	if err != nil {
		return err
	}
	if f.JSON {
		return cli.PrintJSON(cmd.OutOrStdout(), out)
	}
	return printOwn(cmd.OutOrStdout(), out)
}

// predictor simulates what a fit of the model predicts, with the lapses and fixed values that the fit recorded. done releases what
// it needs.
func (f *ppcFlags) predictor(m *catalog.Model, of *fit.Summary) (p *fit.Predictor, done func(), err error) {
	if err := f.simulable(of); err != nil {
		return nil, nil, err
	}
	x := fit.Extend(m)
	if of.Lapse != nil {
		if err := x.AddLapses(lapse.Window{Low: of.Lapse.Low, High: of.Lapse.High}); err != nil {
			x.Close()
			return nil, nil, err
		}
	}
	fixed, err := f.fixedOf(x.Model, of)
	if err == nil {
		p, err = x.Predictor(fixed, f.Settings.Seed)
	}
	if err != nil {
		x.Close()
		return nil, nil, err
	}
	return p, x.Close, nil
}

// simulable says why trials of a fit cannot be simulated from its parameters alone.
func (f *ownFlags) simulable(of *fit.Summary) error {
	if of.Regression != nil {
		return cli.Usagef("--fit %s: is a regression, whose parameters differ by trial: look at its predictive.svg", f.Fit)
	}
	if of.Record != nil && slices.ContainsFunc(of.Command, func(arg string) bool { return strings.HasPrefix(arg, "--deadline=") }) {
		return cli.Usagef("--fit %s: is a fit with --deadline, and this check knows no trials without response: look at its predictive.svg", f.Fit)
	}
	return nil
}

// fixedOf are the values that parameters were fixed at: what --fix says, else what the fit recorded.
func (f *ownFlags) fixedOf(m *catalog.Model, of *fit.Summary) (map[string]float64, error) {
	if len(f.Fixed) == 0 && of.Record != nil {
		return of.Fixed, nil
	}
	fixed, err := fit.ParseFixed(m, f.Fixed)
	if err != nil {
		return nil, cli.Usagef("--fix %w", err)
	}
	return fixed, nil
}

func printOwn(w io.Writer, own ppc.Own) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "subject\ttrials\tKS\tnull\tp\tmcse\t")
	for _, s := range own.Subjects {
		name := s.Subject
		if name == "" {
			name = "all"
		}
		fmt.Fprintf(t, "%s\t%d\t%.3f\t%.3f\t%.3f\t%.3f\t\n", name, s.Trials, s.KS, s.KSNull, s.P, s.MCSE)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\nKS: distance between observed and predicted response times, signed by choice; null: the same of trials that the fit simulates\n"+
		"itself; p: share of these at least as far off, with its Monte Carlo error mcse. A p near 0 says that the model does not predict the data\n")
	return err
}
