package fit

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"likc/cmd/likc/internal/cli"
	"likc/runtime/fit"
	"likc/runtime/fit/folder"
	"likc/runtime/model/bound"
	"likc/runtime/model/catalog"
	"likc/runtime/num/notation"
	"likc/runtime/sys/store"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// command returns arguments that repeat a command: the model, and the flags that were set, by name. It leaves out the flags
// that say where, and in which parts, the work is done.
func (f *fitFlags) command(cmd *cobra.Command, model string) []string {
	args := []string{"likc", "fit", model}
	cmd.Flags().Visit(func(flag *pflag.Flag) {
		if !f.IsOwn(flag.Name) && !cli.IsPartFlag(flag.Name) {
			args = append(args, cli.FlagArgs(flag)...)
		}
	})
	return args
}

// runAgain repeats the fit in a folder, and compares the draws.
func runAgain(cmd *cobra.Command, f *fitFlags) error {
	record, err := readRecord(f.Again)
	if err != nil {
		return err
	}
	repeat, g, err := repetition(cmd, f, record)
	if err != nil {
		return err
	}
	temp, err := store.NewFolder(filepath.Join(os.TempDir(), "likc-again"))
	if err != nil {
		return err
	}
	defer temp.Discard()
	g.Dir = filepath.Join(temp.Path, "fit")
	repeat.SetContext(cmd.Context())
	repeat.SetOut(io.Discard)
	repeat.SetErr(cmd.ErrOrStderr())
	err = runFit(repeat, repeat.Flags().Arg(0), g)
	if cmd.Context().Err() != nil {
		return errors.New("interrupted: nothing was compared")
	}
	if err != nil {
		return err
	}
	return sayWhetherSame(cmd.OutOrStdout(), f.Again, g.Dir, record)
}

// readRecord reads how the fit in a folder came about.
func readRecord(dir string) (*fit.Record, error) {
	path := filepath.Join(dir, folder.SummaryFile)
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("--again %s: %w", path, store.Cause(err))
	}
	record, err := fit.ReadRecord(text)
	switch {
	case err != nil:
		return nil, fmt.Errorf("--again %s: %w", path, err)
	case record.Sampler == nil:
		return nil, fmt.Errorf("--again %s: is of a posterior mode, which has no draws to compare", path)
	}
	return record, nil
}

// repetition returns the command that made a fit, with new values of the flags that may differ: the path of the data, and the number of threads.
func repetition(cmd *cobra.Command, f *fitFlags, record *fit.Record) (*cobra.Command, *fitFlags, error) {
	var other []string
	cmd.Flags().Visit(func(flag *pflag.Flag) {
		if flag.Name != "again" && flag.Name != "data" && flag.Name != "threads" {
			other = append(other, "--"+flag.Name)
		}
	})
	if len(other) > 0 {
		return nil, nil, cli.Usagef("--again: %s cannot be given with it: the fit is repeated as it was", strings.Join(other, ", "))
	}
	g := &fitFlags{}
	repeat := newFit(g)
	if err := repeat.ParseFlags(record.Command[2:]); err != nil {
		return nil, nil, fmt.Errorf("--again: this version of likc does not know the flags that version %s recorded: %w", record.Version, err)
	}
	if f.File != "" {
		g.File = f.File
	} else if record.Data != nil && g.File == "-" {
		return nil, nil, cli.Usagef("--again: the data came from standard input: name them with --data FILE")
	}
	g.Threads, g.repeats = f.Threads, record
	g.Predictive = 0
	g.JSON, g.PNG, g.Zarr, g.LogLik, g.CSV, g.AllFigures, g.NoFigures, g.NoLOO = false, false, false, false, false, false, true, true
	g.Resume = false
	return repeat, g, nil
}

// sayWhetherSame compares the files of draws in two folders, byte by byte.
func sayWhetherSame(w io.Writer, old, repeated string, record *fit.Record) error {
	files, differ, err := folder.CompareDraws(old, repeated)
	switch {
	case err != nil:
		return err
	case files == 0:
		return fmt.Errorf("--again %s: there is no file of draws to compare", old)
	case len(differ) > 0:
		return fmt.Errorf("the draws differ in %d of %s, the first is %s; %s was made by likc %s on %s",
			len(differ), notation.Count(files, "file"), differ[0], old, record.Version, record.CPU)
	}
	_, err = fmt.Fprintf(w, "the draws are the same: %s, byte for byte\n", notation.Count(files, "file"))
	return err
}

// RecordedData returns the model that was fitted, as its command named it, and the flags of the data, from the record of a fit.
func RecordedData(summary *fit.Summary) (model string, data cli.DataFlags, err error) {
	if summary.Record == nil || len(summary.Command) <= 2 {
		return "", data, errors.New("does not record its command: name the MODEL, and the data by --data")
	}
	f := &fitFlags{}
	cmd := newFit(f)
	if err := cmd.ParseFlags(summary.Command[2:]); err != nil {
		return "", data, fmt.Errorf("this version of likc does not know the flags of the fit, which version %s recorded: %w", summary.Version, err)
	}
	if f.File == "-" {
		return "", data, errors.New("its data came from standard input: name the MODEL, and a file of them by --data")
	}
	return cmd.Flags().Arg(0), f.DataFlags, nil
}

// Recorded returns the model and the specification of a fit, from the flags that its record holds. It sets the fit's
// deadlines in data, and whether the fit pooled participants. The caller must close the model.
func Recorded(summary *fit.Summary, m *catalog.Model, data *cli.DataFlags) (*bound.Prepared, *fit.Spec, error) {
	f := &fitFlags{}
	cmd := newFit(f)
	if err := cmd.ParseFlags(summary.Command[2:]); err != nil {
		return nil, nil, fmt.Errorf("this version of likc does not know the flags of the fit, which version %s recorded: %w", summary.Version, err)
	}
	cmd.SetErr(io.Discard)
	p, spec, err := f.extend(cmd, m)
	data.Deadline, data.Go, data.Pool = f.Deadline, f.Go, f.Pool
	switch {
	case err != nil:
		return nil, nil, err
	case p == nil: // the fit has neither lapses nor a deadline: take the best engine that needs no building
		p, err = bound.Open(m, bound.Ready)
	case summary.Lapse != nil: // the times of lapses may follow from the data: take those that the fit recorded
		if f.times, err = summary.Lapse.Read(); err == nil {
			p, err = f.wrap(p.Bare())
		}
	}
	return p, spec, err
}
