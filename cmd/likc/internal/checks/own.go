package checks

import (
	"errors"
	"fmt"
	"io"
	"text/tabwriter"

	"likc/cmd/likc/internal/cli"
	"likc/runtime/catalog"
	"likc/runtime/engine"
	"likc/runtime/fit"
	"likc/runtime/fit/folder"
	"likc/search/ppc"

	"github.com/spf13/cobra"
)

// ownFlags name the fits of a user's own data, and the data.
type ownFlags struct {
	data  cli.DataFlags
	fit   string
	fixed []string
}

func (f *ownFlags) add(cmd *cobra.Command) {
	f.data.Add(cmd)
	cmd.Flags().StringVar(&f.fit, "fit", "", "check the `FIT` of --data, a folder of likc fit -o, in place of a bank")
	cmd.Flags().StringArrayVar(&f.fixed, "fix", nil, "with --fit: the fit's own `NAME=VALUE` (repeatable)")
	cmd.MarkFlagsMutuallyExclusive("fit", "bank")
	cmd.MarkFlagsMutuallyExclusive("fit", "output")
}

// ownReplicates is how many replicates a subject has unless --replicates says otherwise.
const ownReplicates = 200

// runOwn checks a fit of the user's own data.
func (f *ppcFlags) runOwn(cmd *cobra.Command, names []string) error {
	if len(names) != 1 {
		return cli.Usagef("--fit %s: wants one MODEL, the one that was fitted", f.own.fit)
	}
	m, err := cli.ReadModel(names[0])
	if err != nil {
		return err
	}
	saved, err := folder.Open(f.own.fit)
	if err != nil {
		return fmt.Errorf("--fit %w", err)
	}
	if saved.Subjects[0].Model != m.Name {
		return cli.Usagef("--fit %s: is a fit of %s, not of %s", f.own.fit, saved.Subjects[0].Model, m.Name)
	}
	predictor, err := f.predictor(m)
	if err != nil {
		return err
	}
	table, err := f.own.data.Read(m, cmd.ErrOrStderr())
	if err != nil {
		return err
	}
	subjects := []fit.Subject{{Label: f.own.data.Only, Columns: table.Columns, Choice: table.Choice}}
	if f.own.data.Subject != "" && f.own.data.Only == "" {
		subjects = folder.Subjects(table)
	}
	replicates := ownReplicates
	if cmd.Flags().Changed("replicates") {
		replicates = f.settings.Replicates
	}
	out, err := ppc.CheckFits(cmd.Context(), saved, predictor, subjects, f.settings.Trials, replicates)
	if cmd.Context().Err() != nil {
		return errors.New("interrupted: nothing is kept of a check of a fit")
	}
	if err != nil {
		return err
	}
	if f.asJSON {
		return cli.PrintJSON(cmd.OutOrStdout(), out)
	}
	return printOwn(cmd.OutOrStdout(), out)
}

// predictor simulates what fits of the model predict.
func (f *ppcFlags) predictor(m *catalog.Model) (*fit.Predictor, error) {
	fixed, err := fit.ParseFixed(m, f.own.fixed)
	if err != nil {
		return nil, cli.Usagef("--fix %w", err)
	}
	spec, err := fit.NewSpec(m, fit.Wishes{Fixed: fixed})
	if err != nil {
		return nil, cli.Usage(err)
	}
	binder, err := engine.Open(m, engine.Ready)
	if err != nil {
		return nil, err
	}
	simulate, err := fit.SimulatorOf(m, binder)
	return &fit.Predictor{Spec: spec, Simulate: simulate, Seed: f.settings.Seed}, err
}

func printOwn(w io.Writer, own ppc.Own) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "subject\ttrials\tKS\tnull\tp\t")
	for _, s := range own.Subjects {
		name := s.Subject
		if name == "" {
			name = "all"
		}
		fmt.Fprintf(t, "%s\t%d\t%.3f\t%.3f\t%.3f\t\n", name, s.Trials, s.KS, s.KSNull, s.P)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\nKS: distance between observed and predicted response times, signed by choice; null: the same of trials that the fit simulates\n"+
		"itself; p: share of these at least as far off. A p near 0 says that the model does not predict the data\n")
	return err
}
