// Package trials reads and writes trial data: one trial per row, in CSV with a header or in Parquet. It finds the columns that a
// model uses by their own or their usual names, and checks every value. An error names the file, row and column, and says what
// is expected there.
package trials

import (
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
)

// Options describe what a model needs from a data file.
type Options struct {
	Trials []string // the model's trial symbols, in its order, then Labels
	Labels int      // how many of the last columns of Trials hold texts that only distinguish rows; the texts are numbered in order of first occurrence
	Choice string   // the model's choice symbol; "" for a model without choice

	// Choices is the number of choices of a model whose choices are numbered 0, 1, …; 0 for a model of two boundaries, or without choice.
	Choices int

	// Response keeps only the trials with this response, as the file writes it, if the model has no choice; "" keeps all.
	Response string
	// ResponseColumn is the column of the responses of a model without choice; "" means one with a usual name of choices.
	ResponseColumn string

	// Positive are the trial symbols whose values must be greater than 0, as the model declares.
	Positive []string
	// Zero lists the symbols of Positive whose values may also be 0.
	Zero []string
	// Missing holds the value that the model declares for an empty cell, by trial symbol or choice. A row without a response time must have
	// the choice that is declared for a missing choice. If that choice is one of two, the file may have no column of choices.
	Missing map[string]float64

	// RT is the trial symbol that is a response time; its column may have a usual name. "" means the symbol that itself has a usual name
	// (see ResponseTime).
	RT string

	// Rename gives the column of a symbol, if the names do not determine it.
	Rename map[string]string

	Unit      Unit               // unit of the response times in the file, and of the delays of stop signals; "" is seconds
	Responses map[string]float64 // the choice for each text of the file, Omitted if the text means that nobody responded; nil: one of the usual codings
	MinRT     float64            // rows with shorter response times are dropped, in seconds; 0 for none
	MaxRT     float64            // rows with longer response times are dropped, in seconds; 0 for none

	// DropMissing drops rows in which a cell of a used column is missing: it is empty, or holds -999 or a usual text for a missing value,
	// such as NA, NaN, None, null or #N/A. Cells to which Missing or a Deadline gives a meaning do not count as missing.
	DropMissing bool
	// With a Deadline, rows whose response time or choice is missing are omissions; without it, they are an error.
	Deadline Deadline
	// Go is the only choice that a response can have, +1 or -1, in a go/no-go task: the other choice means no response. It is 0 for other
	// tasks. Go needs a Deadline; the file may then have no column of choices.
	Go float64

	// Careful refuses data that can be read but are probably a mistake: rows of several subjects treated as one person's, and response
	// times without a Unit that look like milliseconds.
	Careful  bool
	Pool     bool     // whether the rows of several subjects are to be treated as one person's
	Extra    []string // names, in the file, of further columns to read
	Idle     []string // symbols of Trials that may be missing in a trial without a response, if there is a Deadline; the value is then 0
	Supplied []string // names of numeric columns that are read if the file has them
	Persons  bool     // whether Table.Person is wanted: the participant of each trial, also if the trials of several are pooled

	Grouped bool   // whether the subject of each trial is wanted
	Subject string // the subjects' column, "" means one with a usual name; implies Grouped
	Only    string // the only subject whose trials are kept; "" keeps all; implies Grouped
}

// Unit is a unit of time.
type Unit string

// These are the units: seconds and milliseconds.
const (
	Seconds      Unit = "s"
	Milliseconds Unit = "ms"
)

func (o Options) grouped() bool { return o.Grouped || o.Subject != "" || o.Only != "" }

// responseTime returns the index in Trials of the response time, or -1.
func (o Options) responseTime() int {
	if o.RT != "" {
		return slices.Index(o.Trials, o.RT)
	}
	return slices.Index(o.Trials, ResponseTime(o.Trials))
}

// Table holds trials by column.
type Table struct {
	Symbols []string    // the trial symbols
	Columns [][]float64 // the values, one slice for each symbol, as a likelihood binds them

	ChoiceSymbol string    // "" if the model has no choice
	Choice       []float64 // +1 (upper) or -1 (lower), or 0, 1, …; [Omitted] for an omission. For a model without choice: 0 for a response if there is a deadline; otherwise nil

	Deadlines []float64 // for each trial, the deadline of its response in seconds; nil without Options.Deadline

	Extra    []Extra    // the columns of Options.Extra
	Supplied []Supplied // the columns among Options.Supplied that the file has

	// Rows holds the trials' row numbers in the file: data rows from 1, including rows that are not used. Labels holds the responses as
	// the file writes them, "" without a response; it is nil if the model has no choice. Both are nil for trials from no file.
	Rows   []int
	Labels *Labels

	// Pooled lists the different responses, most frequent first, that a model without choice treats alike; nil if there are none.
	Pooled []Response
	// Suspect is a column that nothing uses and that probably names participants, of which the table makes one person; nil if there is none.
	Suspect *Suspect

	SubjectColumn string    // the name of the subjects' column; "" if subjects were not wanted
	Subjects      []Subject // the subjects, in order of first appearance

	// Person identifies the participant of each trial, for models whose trials depend on earlier ones. It is nil if not wanted, and if
	// the file has no column with a usual name of subjects.
	Person []int32

	// Notes are remarks, one on each line, on data that are accepted but look wrong.
	Notes []string

	Source Source // the source of the trials
}

// Subject is one participant with the rows of the table that belong to it, ascending.
type Subject struct {
	Label string
	Rows  []int
}

// N returns the number of trials.
func (t *Table) N() int {
	switch {
	case len(t.Columns) > 0:
		return len(t.Columns[0])
	case t.Choice != nil:
		return len(t.Choice)
	}
	n := 0
	for _, s := range t.Subjects {
		n += len(s.Rows)
	}
	return n
}

// Column returns the values of a trial symbol or of the choice; nil if the table has none with that name.
func (t *Table) Column(symbol string) []float64 {
	if i := slices.Index(t.Symbols, symbol); i >= 0 {
		return t.Columns[i]
	}
	if symbol != "" && symbol == t.ChoiceSymbol {
		return t.Choice
	}
	return nil
}

// Of returns copies of one subject's trials, in the form to which a likelihood is bound.
func (t *Table) Of(s Subject) (columns [][]float64, choice []float64) {
	columns = make([][]float64, len(t.Columns))
	for i, from := range t.Columns {
		columns[i] = pick(from, s.Rows)
	}
	if t.Choice != nil {
		choice = pick(t.Choice, s.Rows)
	}
	return columns, choice
}

// ByPerson returns a table for each participant, with the values of all trial symbols, in the order of first appearance. A table without Person has one
// participant.
func (t *Table) ByPerson() []*Table {
	if t.Person == nil {
		return []*Table{t}
	}
	var all []*Table
	of := map[int32]*Table{}
	for row, person := range t.Person {
		p := of[person]
		if p == nil {
			p = &Table{Symbols: t.Symbols, Columns: make([][]float64, len(t.Columns))}
			of[person], all = p, append(all, p)
		}
		for j, column := range t.Columns {
			p.Columns[j] = append(p.Columns[j], column[row])
		}
	}
	return all
}

// DeadlinesOf returns copies of one subject's deadlines; nil if there are none.
func (t *Table) DeadlinesOf(s Subject) []float64 {
	if t.Deadlines == nil {
		return nil
	}
	return pick(t.Deadlines, s.Rows)
}

// RowsOf returns copies of one subject's row numbers and labels; nil if there are none.
func (t *Table) RowsOf(s Subject) (rows []int, labels *Labels) {
	if t.Rows != nil {
		rows = pick(t.Rows, s.Rows)
	}
	if t.Labels != nil {
		labels = t.Labels.ofRows(s.Rows)
	}
	return rows, labels
}

func pick[T any](from []T, rows []int) []T {
	to := make([]T, len(rows))
	for i, row := range rows {
		to[i] = from[row]
	}
	return to
}

// garbage is the share of memory, in percent, that may be garbage while a file is read. Go's default, 100, would double the memory that
// many trials need.
const garbage = 20

// Read reads a data file: Parquet if path ends in .parquet, otherwise CSV, compressed if it ends in .gz; "-" means CSV on standard
// input.
func Read(path string, o Options) (*Table, error) {
	defer debug.SetGCPercent(debug.SetGCPercent(garbage))
	if path == "-" {
		return readText("standard input", os.Stdin, o)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, errors.Unwrap(err))
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return nil, errorf(path, "is a directory: want a CSV or Parquet file")
	}
	if !strings.EqualFold(ending(path), ".parquet") {
		return readText(path, f, o)
	}
	t, err := ReadParquet(path, f, info.Size(), o)
	if err != nil {
		return nil, err
	}
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	t.Source.SHA256 = hex.EncodeToString(sum.Sum(nil))
	return t, nil
}

// readText reads CSV, compressed if the name says so, and computes the hash of all bytes of r.
func readText(name string, r io.Reader, o Options) (*Table, error) {
	sum := sha256.New()
	all := &counted{Reader: io.TeeReader(r, sum)}
	in := io.Reader(all)
	if strings.EqualFold(filepath.Ext(name), ".gz") {
		unzipped, err := gzip.NewReader(all)
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			err = errors.New("gzip: the file is cut short")
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		in = &unpacked{counted: counted{Reader: unzipped}, packed: all}
	}
	t, err := ReadCSV(name, in, o)
	if err != nil {
		return nil, err
	}
	if _, err := io.Copy(io.Discard, all); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	t.Source.SHA256 = hex.EncodeToString(sum.Sum(nil))
	return t, nil
}
