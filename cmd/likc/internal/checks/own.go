package checks

import (
	"errors"
	"fmt"
	"io"
	"text/tabwriter"

	"likc/cmd/likc/internal/cli"
	fitcmd "likc/cmd/likc/internal/fit"
	"likc/runtime/fit"
	"likc/runtime/fit/folder"
	"likc/runtime/model/bound"
	"likc/runtime/model/catalog"
	"likc/runtime/model/lapse"
	"likc/search/study/ppc"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// ownFlags name the fits of a user's own data, and the file of the data.
type ownFlags struct {
	cli.DataFlags `title:"Data" but:"pool.drop=true | data.help=with --fit: the trials that were fitted, CSV with a header or Parquet; - is standard input (default: the file of the fit)"`
	Fit           string   `flag:"fit" value:"FIT" not:"bank output" help:"check the FIT of --data, a folder of likc fit -o, in place of a bank"`
	Fixed         []string `flag:"fix" value:"NAME=VALUE" help:"with --fit: NAME=VALUE of a parameter that the fit held at a value, for a fit whose folder does not record it (repeatable)"`
}

// ownReplicates is the default of --replicates: the number of replicates of a subject. Their contribution to the Monte Carlo error of p is .016 at
// most.
const ownReplicates = 1000

// runOwn checks a fit of the user's own data.
func (f *ppcFlags) runOwn(cmd *cobra.Command, names []string) error {
	if f.OnCluster() || f.Given() {
		return cli.Usagef("--on: not with --fit, which takes seconds")
	}
	if len(names) > 1 {
		return cli.Usagef("--fit %s: needs one MODEL, the one that was fitted", f.Fit)
	}
	saved, err := folder.Open(f.Fit)
	if err != nil {
		return fmt.Errorf("--fit %w", err)
	}
	name, err := f.fillIn(cmd, names, saved.Subjects[0])
	if err != nil {
		return err
	}
	m, err := cli.ReadModel(name)
	if err != nil {
		return err
	}
	if saved.Subjects[0].Model != m.Name {
		return cli.Usagef("--fit %s: is a fit of %s, not of %s", f.Fit, saved.Subjects[0].Model, m.Name)
	}
	fits, done, err := f.fitsOf(m, saved)
	if err != nil {
		return err
	}
	defer done()
	subjects, sum, err := f.read(fits.Spec, cmd.ErrOrStderr())
	if err != nil {
		return err
	}
	trials, replicates := 0, ownReplicates // 0 trials: the number that a stable p value needs
	if cmd.Flags().Changed("trials") {
		trials = f.Settings.Trials
	}
	if cmd.Flags().Changed("replicates") {
		replicates = f.Settings.Replicates
	}
	out, err := fits.Check(cmd.Context(), subjects, sum, trials, replicates)
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

// fillIn returns the name of the model that was fitted. It takes from the record of a fit what the user left out: the model, and the file of the data
// with all flags that say how to read it.
func (f *ppcFlags) fillIn(cmd *cobra.Command, names []string, summary *fit.Summary) (model string, err error) {
	if len(names) == 1 && f.File != "" {
		return names[0], nil
	}
	recorded, data, err := fitcmd.RecordedData(summary)
	if err != nil {
		return "", cli.Usagef("--fit %s: %w", f.Fit, err)
	}
	if f.File == "" {
		reading := &cobra.Command{}
		cli.Bind(reading, &cli.DataFlags{})
		var given []string
		reading.Flags().VisitAll(func(flag *pflag.Flag) {
			if cmd.Flags().Changed(flag.Name) {
				given = append(given, "--"+flag.Name)
			}
		})
		if len(given) > 0 {
			return "", cli.Usagef("%s: needs --data too; without it, the trials are read as the fit read them", given[0])
		}
		f.DataFlags = data
	}
	return append(names, recorded)[0], nil
}

// fitsOf reads the fits of a folder, with the lapses, deadlines, fixed values and formulas that the first of them records. done releases what its
// simulator holds.
func (f *ppcFlags) fitsOf(m *catalog.Model, saved *folder.Saved) (fits *ppc.Fits, done func(), err error) {
	p, spec, err := f.recorded(m, saved.Subjects[0])
	if err != nil {
		return nil, nil, err
	}
	done = func() { p.Close() }
	fits = &ppc.Fits{Saved: saved, Spec: spec, Seed: f.Settings.Seed}
	if _, session := m.Session(); !session {
		if fits.Simulator, err = fit.SimulatorOf(p.Model, p); err != nil {
			done()
			return nil, nil, err
		}
	}
	return fits, done, nil
}

// recorded returns the model and the specification of a fit from its record. For a fit without a record, or with --fix, it assumes that there were
// no formulas and no deadlines, and that --fix gives all fixed values.
func (f *ownFlags) recorded(m *catalog.Model, summary *fit.Summary) (*bound.Prepared, *fit.Spec, error) {
	if summary.Record != nil && len(summary.Command) > 2 && len(f.Fixed) == 0 {
		return fitcmd.Recorded(summary, m, &f.DataFlags)
	}
	p, err := bound.Open(m, bound.Ready)
	if err == nil && summary.Lapse != nil {
		var times lapse.Times
		if times, err = summary.Lapse.Read(); err == nil {
			p, err = p.With(lapse.Lapses{Times: times})
		}
	}
	if err != nil {
		return nil, nil, err
	}
	spec, err := fit.NewSpec(p.Model, fit.Wishes{Fixed: f.Fixed})
	if err != nil {
		return nil, nil, cli.NameFlag(err)
	}
	return p, spec, nil
}

// read reads the trials that were fitted, and returns them with the SHA-256 of their file.
func (f *ownFlags) read(spec *fit.Spec, stderr io.Writer) (all []fit.Subject, sum string, err error) {
	if spec.Grouped() {
		f.Several()
	}
	table, err := f.ReadWith(spec.Model, spec.Columns(), stderr)
	if err != nil {
		return nil, "", err
	}
	return folder.Subjects(table, f.Subject != "" && f.Only == "" && !f.Pool && !spec.Grouped(), f.Only), table.Source.SHA256, nil
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
	_, err := fmt.Fprintf(w, "\nKS: distance between observed and predicted response times, signed by choice; null: the median distance of data sets that the\n"+
		"fit simulates; p: share of these data sets at least as far off, with its Monte Carlo error mcse. A p near 0 says that the model does not predict the data\n")
	return err
}
