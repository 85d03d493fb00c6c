package cli

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"likc/runtime/model/catalog"
	"likc/runtime/model/trials"
	"likc/runtime/sys/interrupt"
)

// DataFlags are the flags that name a command's data, and their columns.
type DataFlags struct {
	File        string   `flag:"data" help:"trials: CSV with a header, or Parquet; - is standard input (required)"`
	RT          string   `flag:"rt" help:"column of the response times"`
	Choice      string   `flag:"choice" help:"column of the choices: +1/-1, 1/0, upper/lower, 0 to n-1 for a model of n choices, or what --response says; for a model of one response, the column in which --response TEXT is looked up"`
	Subject     string   `flag:"subject" help:"column of the subjects"`
	Only        string   `flag:"only" help:"take the trials of this subject only"`
	Columns     []string `flag:"column" value:"SYMBOL=NAME" help:"SYMBOL=NAME: the column of one of the model's symbols"`
	Unit        string   `flag:"unit" one:"s,ms" help:"unit of the response times, and of stop-signal delays, in the file: s or ms (default s)"`
	Responses   []string `flag:"response" value:"TEXT=CHOICE,…" help:"TEXT=CHOICE,…: what the column of choices holds, as left=-1,right=1,timeout=none (none: nobody responded) or 1=0,2=1,3=2; or, for a model of one response, TEXT: only the trials of this response are used"`
	MinRT       float64  `flag:"min-rt" in:"[0,1e+06]" help:"drop trials with shorter response times, in seconds: estimates are biased then, and lapses are better (likc fit --lapse)"`
	MaxRT       float64  `flag:"max-rt" in:"[0,1e+06]" help:"drop trials with longer response times, in seconds: estimates are biased then, and lapses are better (likc fit --lapse)"`
	DropMissing bool     `flag:"drop-missing" help:"drop rows in which a value of any column that is used is missing: empty, -999, or NA, NaN, None, null, #N/A and the like"`
	Pool        bool     `flag:"pool" not:"only" help:"take the trials of several subjects for one person's; with --subject and a model whose trials depend on earlier ones, each subject still has states of their own"`

	Careful bool // refuse data that are likely a mistake, such as response times that look like milliseconds; fits set it

	// The command sets the next two fields from flags that it defines itself.
	Deadline trials.Deadline // time by which a participant must respond
	Go       float64         // in a go/no-go task, the choice whose trials have a response; 0: both choices are responses

	several bool // whether Several was called
}

// Several makes Read accept the trials of several subjects without --pool, for a caller that handles each subject separately.
func (f *DataFlags) Several() { f.several = true }

// options returns the reader's options that the flags and the model choose. The model's last columns, at whose changes states restart, hold
// labels. Idle columns may be empty in a trial without a response. From supplied columns, the model's simulator computes others.
func (f *DataFlags) options(src *catalog.Model) (trials.Options, error) {
	o := trials.Options{
		Trials: src.DataColumns(), Labels: len(src.Restarts()), Persons: src.Stateful(), Positive: src.Positive, Zero: src.Zero, Missing: src.Missing,
		Idle: src.Idle(), Choice: src.Choice, Choices: src.Choices, Rename: map[string]string{}, Subject: f.Subject, Only: f.Only,
		Unit: trials.Unit(f.Unit), MinRT: f.MinRT, MaxRT: f.MaxRT, DropMissing: f.DropMissing, Careful: f.Careful, Pool: f.Pool || f.several,
		Deadline: f.Deadline, Go: f.Go,
	}
	if f.File == "" {
		return o, Usagef("--data: missing; name a CSV or Parquet file")
	}
	if s, ok := src.Sequence(); ok {
		o.Supplied = s.Supplied()
	}
	if f.Pool && f.Subject != "" && !src.Stateful() {
		return o, Usagef("--pool: not with --subject, because trials of the model %s do not depend on one another", src.Name)
	}
	if err := f.checkTimes(src); err != nil {
		return o, err
	}
	var err error
	if src.Choice == "" {
		if o.Response, err = f.oneResponse(src); err != nil {
			return o, err
		}
		o.ResponseColumn = f.Choice
	} else if o.Responses, err = f.parseResponses(src); err != nil {
		return o, err
	}
	return o, f.rename(src, o.Rename)
}

// rename sets the columns that the user named for some symbols.
func (f *DataFlags) rename(src *catalog.Model, columns map[string]string) error {
	if f.RT != "" {
		rt := trials.ResponseTime(src.Trials)
		if rt == "" {
			return Usagef("--rt: the model has no response time; use --column SYMBOL=NAME")
		}
		columns[rt] = f.RT
	}
	if f.Choice != "" && src.Choice != "" {
		columns[src.Choice] = f.Choice
	}
	for _, pair := range f.Columns {
		symbol, name, ok := strings.Cut(pair, "=")
		if !ok || symbol == "" || name == "" || symbol != src.Choice && !slices.Contains(src.DataColumns(), symbol) {
			return Usagef("--column %s: want SYMBOL=NAME with SYMBOL one of %s", pair, strings.Join(append(src.DataColumns(), src.Choice), ", "))
		}
		columns[symbol] = name
	}
	return nil
}

// checkTimes checks --unit, --min-rt and --max-rt.
func (f *DataFlags) checkTimes(src *catalog.Model) error {
	switch {
	case f.Unit == "" && f.MinRT == 0 && f.MaxRT == 0:
		return nil
	case trials.ResponseTime(src.Trials) == "":
		return Usagef("--unit, --min-rt and --max-rt: the model %s has no response time", src.Name)
	case f.MaxRT > 0 && f.MinRT >= f.MaxRT:
		return Usagef("--min-rt %v: want less than --max-rt %v", f.MinRT, f.MaxRT)
	}
	return nil
}

// choicesByText maps the words that --response accepts to the codes of two boundaries.
var choicesByText = map[string]float64{"1": 1, "+1": 1, "upper": 1, "-1": -1, "0": -1, "lower": -1}

// oneResponse reads --response and --choice for a model without choice. It returns the only response whose trials are used, or "" if all
// trials are used.
func (f *DataFlags) oneResponse(src *catalog.Model) (string, error) {
	switch {
	case len(f.Responses) == 0 && f.Choice != "":
		return "", Usagef("--choice: the model %s has no choice; with --response TEXT it takes the trials of one response alone", src.Name)
	case len(f.Responses) == 0:
		return "", nil
	case len(f.Responses) > 1 || f.Responses[0] == "" || strings.Contains(f.Responses[0], "="):
		return "", Usagef("--response %s: the model %s has no choice; want --response TEXT, the only response whose trials it takes", strings.Join(f.Responses, " "), src.Name)
	}
	return f.Responses[0], nil
}

// parseResponses reads --response; nil without it.
func (f *DataFlags) parseResponses(src *catalog.Model) (map[string]float64, error) {
	if len(f.Responses) == 0 {
		return nil, nil
	}
	all := map[string]float64{}
	for _, pair := range strings.Split(strings.Join(f.Responses, ","), ",") {
		at := strings.LastIndex(pair, "=")
		if at < 1 {
			return nil, Usagef("--response %s: want TEXT=CHOICE, as in left=-1,right=1", pair)
		}
		text := strings.TrimSpace(pair[:at])
		choice, err := choiceNamed(src, strings.TrimSpace(pair[at+1:]))
		if err != nil {
			return nil, Usagef("--response %s: %w", pair, err)
		}
		if _, twice := all[text]; twice {
			return nil, Usagef("--response %s: given twice", text)
		}
		all[text] = choice
	}
	return all, nil
}

// choiceNamed returns the choice of a model that a text of --response names.
func choiceNamed(src *catalog.Model, text string) (float64, error) {
	if text == "none" {
		return trials.Omitted, nil
	}
	if src.Choices == 0 {
		if choice, ok := choicesByText[text]; ok {
			return choice, nil
		}
		return 0, errors.New("want a choice of 1 or -1, or none, after =")
	}
	k, err := strconv.Atoi(text)
	if err != nil || k < 0 || k >= src.Choices {
		return 0, fmt.Errorf("want a choice of 0 to %d, or none, after =", src.Choices-1)
	}
	return float64(k), nil
}

// Read reads the trials that a model needs. It prints remarks on stderr.
func (f *DataFlags) Read(src *catalog.Model, stderr io.Writer) (*trials.Table, error) {
	return f.ReadWith(src, nil, stderr)
}

// ReadWith does what Read does, and also reads columns of the file that the model does not have.
func (f *DataFlags) ReadWith(src *catalog.Model, extra []string, stderr io.Writer) (*trials.Table, error) {
	o, err := f.options(src)
	if err != nil {
		return nil, err
	}
	o.Extra = extra
	table, err := interrupt.WhileReading(func() (*trials.Table, error) { return trials.Read(f.File, o) })
	if err != nil {
		return nil, advise(err, src)
	}
	if len(table.Pooled) > 0 {
		table.Notes = append(table.Notes, table.Source.File+": "+pooledText(table.Pooled, src))
	}
	if s := table.Suspect; s != nil {
		table.Notes = append(table.Notes, fmt.Sprintf("%s: column %q has %d values, each in one block of rows, and nothing uses it: if it names participants, "+
			"all rows are now taken for one person's; --subject %[2]s fits each participant, --pool says that one person is meant", table.Source.File, s.Column, s.Values))
	}
	for _, note := range table.Notes {
		fmt.Fprintf(stderr, "likc: note: %s\n", note)
	}
	return table, nil
}

// pooledText says which different responses the model treats as one kind, and which flag selects the trials of a single response.
func pooledText(all []trials.Response, src *catalog.Model) string {
	var counts []string
	for _, r := range all {
		counts = append(counts, r.String())
	}
	return fmt.Sprintf("column %q: %s, taken together as one kind of response, because %s has no choice; --response %s takes those of %[4]s alone",
		all[0].Column, strings.Join(counts, ", "), src.Name, all[0].Label)
}
