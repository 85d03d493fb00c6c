package cli

import (
	"fmt"
	"io"
	"strings"

	"likc/runtime/catalog"
	"likc/runtime/interrupt"
	"likc/runtime/trials"

	"github.com/spf13/cobra"
)

// DataFlags are the flags with which a command finds its trials.
type DataFlags struct {
	data, rt, choice, Subject, Only string
	columns                         []string
}

func (f *DataFlags) Add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.data, "data", "", "trials: CSV with a header, or Parquet; - is standard input (required)")
	cmd.Flags().StringVar(&f.rt, "rt", "", "column of the response times, in seconds")
	cmd.Flags().StringVar(&f.choice, "choice", "", "column of the choices: +1/-1 or 1/0")
	cmd.Flags().StringVar(&f.Subject, "subject", "", "column of the subjects")
	cmd.Flags().StringVar(&f.Only, "only", "", "take the trials of this subject only")
	cmd.Flags().StringArrayVar(&f.columns, "column", nil, "`SYMBOL=NAME`: the column of one of the model's symbols")
}

// options turns the flags into what the reader wants to know.
func (f *DataFlags) options(src *catalog.Model) (trials.Options, error) {
	o := trials.Options{Trials: src.Trials, Positive: src.Positive, Choice: src.Choice, Rename: map[string]string{}, Subject: f.Subject, Only: f.Only}
	if f.data == "" {
		return o, Usagef("--data: missing; name a CSV or Parquet file")
	}
	if f.rt != "" {
		rt := trials.ResponseTime(src.Trials)
		if rt == "" {
			return o, Usagef("--rt: the model has no response time; use --column SYMBOL=NAME")
		}
		o.Rename[rt] = f.rt
	}
	if f.choice != "" {
		if src.Choice == "" {
			return o, Usagef("--choice: the model %s has no choice", src.Name)
		}
		o.Rename[src.Choice] = f.choice
	}
	for _, pair := range f.columns {
		symbol, name, ok := strings.Cut(pair, "=")
		if !ok || symbol == "" || name == "" || symbol != src.Choice && !src.IsTrial(symbol) {
			return o, Usagef("--column %s: want SYMBOL=NAME with SYMBOL one of %s", pair, strings.Join(append(src.Trials, src.Choice), ", "))
		}
		o.Rename[symbol] = name
	}
	return o, nil
}

// Read reads the trials that a model wants; remarks go to stderr.
func (f *DataFlags) Read(src *catalog.Model, stderr io.Writer) (*trials.Table, error) {
	o, err := f.options(src)
	if err != nil {
		return nil, err
	}
	table, err := interrupt.Reading(func() (*trials.Table, error) { return trials.Read(f.data, o) })
	if err != nil {
		return nil, err
	}
	for _, note := range table.Notes {
		fmt.Fprintf(stderr, "likc: note: %s\n", note)
	}
	return table, nil
}
