package trials

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// missingTime is the code of HDDM and ssm-simulators for a trial without a response in time. Many files use it for any missing
// value.
const missingTime = -999

// collector converts rows of cells into a Table.
type collector struct {
	file string
	plan *plan
	Options

	row     []float64 // values of the current row's trial symbols
	silent  bool      // whether the row has no response time, and the model declares a value for that
	table   *Table
	subject map[string]int // index in table.Subjects by label; -1 for a subject that is skipped
	others  []string       // labels of skipped subjects
	codes   choiceCodes
	pooled  responseCounts // numbers of used rows by response, if the model has no choice
	refused responseCounts // numbers of rows with another response than the wanted one

	answered bool     // whether a row has the wanted response
	strange  *strange // set if a text in the column of choices is no choice; then only the texts of that column are read

	rows       int                     // number of rows read so far
	labels     map[string]float64      // number of each label, by the column's symbol followed by the label
	texts      map[string]uint32       // the code in table.Labels of the response in a cell, by the text of the cell
	numbers    map[float64]uint32      // the code in table.Labels of the response in a cell, by the number in the cell
	seen       map[int]map[string]bool // labels in the watched columns
	kept       int                     // rows in the table, if subjects are wanted
	missing    int                     // number of response times of -999
	omitted    []int                   // rows of the table without a response, if there is a deadline
	firstGone  place                   // position of the first response time of -999
	firstBad   place                   // position of the first response time ≤ 0
	firstValue float64                 // that response time
}

func newCollector(file string, names []string, o Options) (*collector, error) {
	for i := range names {
		names[i] = strings.TrimSpace(names[i])
	}
	p, err := newPlan(names, o)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	t := &Table{Symbols: slices.Clone(o.Trials), Columns: make([][]float64, len(o.Trials)), ChoiceSymbol: o.Choice}
	if o.Choice != "" {
		t.Labels = NewLabels()
	}
	for _, name := range o.Extra {
		t.Extra = append(t.Extra, Extra{Name: name})
	}
	for _, name := range o.Supplied {
		if from := slices.Index(names, name); from >= 0 {
			p.supplied, t.Supplied = append(p.supplied, from), append(t.Supplied, Supplied{Name: name})
		}
	}
	if p.subject >= 0 {
		t.SubjectColumn = names[p.subject]
	}
	c := &collector{file: file, plan: p, Options: o, row: make([]float64, len(o.Trials)), table: t, subject: map[string]int{}, texts: map[string]uint32{}, numbers: map[float64]uint32{}, seen: map[int]map[string]bool{}}
	c.codes.numbered = o.Choices
	c.codes.name(o.Responses)
	for _, watched := range p.watched {
		c.seen[watched] = map[string]bool{}
	}
	t.Source = c.source()
	return c, nil
}

// source returns the description of the file, with the columns that are used.
func (c *collector) source() Source {
	s := Source{File: c.file, Dropped: map[string]int{}, Columns: map[string]string{}}
	for i, from := range c.plan.trials {
		s.Columns[c.table.Symbols[i]] = c.plan.names[from]
	}
	if c.plan.choice >= 0 {
		s.Columns[c.table.ChoiceSymbol] = c.plan.names[c.plan.choice]
	}
	if c.plan.rt >= 0 {
		s.Unit = cmp.Or(c.Unit, Seconds)
	}
	s.Subject = c.table.SubjectColumn
	return s
}

// add adds one row. cells are indexed like the file's columns.
func (c *collector) add(at place, cells []Cell) error {
	c.rows++
	if c.strange != nil {
		c.strange.texts.add(cells[c.plan.choice])
		return nil
	}
	c.silence(cells)
	label, err := c.label(at, cells)
	if err != nil {
		return err
	}
	if c.Only != "" && label != c.Only && label != "" {
		c.skip(at, cells, otherSubject)
		return nil
	}
	for _, watched := range c.plan.watched {
		if isAbsent(cells[watched]) {
			continue
		}
		if label := cells[watched].label(); !c.seen[watched][label] {
			c.seen[watched][strings.Clone(label)] = true
		}
	}
	c.watchSuspects(cells)
	if c.DropMissing && (c.plan.subject >= 0 && label == "" || c.lacks(cells)) {
		c.skip(at, cells, incomplete)
		return nil
	}
	if c.omits(cells) {
		if err := c.readOmission(at, cells); err != nil {
			return err
		}
		return c.keep(at, cells, label, true)
	}
	if err := c.readRow(at, cells); err != nil {
		return err
	}
	if why := cmp.Or(c.otherResponse(cells), c.outside()); why != "" {
		c.skip(at, cells, why)
		return nil
	}
	if err := c.inTime(at, cells); err != nil {
		return err
	}
	return c.keep(at, cells, label, false)
}

// keep appends a row to the table.
func (c *collector) keep(at place, cells []Cell, label string, omitted bool) error {
	if c.plan.choice >= 0 {
		code := float64(codeNil) // code of an omission; the choices are set at the end
		var err error
		if !omitted {
			if code, err = c.readChoice(at, cells[c.plan.choice]); err != nil {
				return c.postpone(c.errorf(at, c.plan.choice, "%w", err), cells)
			}
		}
		c.table.Choice = append(c.table.Choice, code)
	} else if c.choiceFollows() {
		c.table.Choice = append(c.table.Choice, c.followingChoice())
	}
	for i, v := range c.row {
		c.table.Columns[i] = append(c.table.Columns[i], v)
	}
	if err := c.addExtra(at, cells); err != nil {
		return err
	}
	c.table.Rows = append(c.table.Rows, at.row)
	if c.table.Labels != nil {
		c.table.Labels.codes = append(c.table.Labels.codes, c.responseCode(cells, omitted))
	}
	if c.plan.response >= 0 && !omitted {
		c.pooled.add(cells[c.plan.response])
	}
	c.assignSubject(label)
	return c.checkRoom()
}

// readRow reads the values of a row's trial symbols.
func (c *collector) readRow(at place, cells []Cell) error {
	c.silent = false
	for i, from := range c.plan.trials {
		if value, ok := c.declaredValue(c.table.Symbols[i], cells[from]); ok {
			c.row[i] = value
			c.silent = c.silent || i == c.plan.rt
			continue
		}
		if err := c.readValue(at, cells, i); err != nil {
			return err
		}
	}
	return nil
}

// readValue reads the value of one trial symbol.
func (c *collector) readValue(at place, cells []Cell, i int) error {
	from := c.plan.trials[i]
	if i >= len(c.Trials)-c.Labels {
		if err := checkPresent(cells[from], "a number or a label"); err != nil {
			return c.errorf(at, from, "%w", err)
		}
		c.row[i] = c.numberOf(c.table.Symbols[i], cells[from].label())
		return nil
	}
	read := covariate
	if i == c.plan.rt {
		read = number // accepts -999, which finish counts
	}
	v, err := read(cells[from])
	if err != nil {
		return c.errorf(at, from, "%w", err)
	}
	switch {
	case i == c.plan.rt:
		v = c.checkTime(at, v)
	case c.plan.zero[i] && v < 0:
		return c.errorf(at, from, "%v: want 0 or a number above it, which the model asks of %s", v, c.table.Symbols[i])
	case c.plan.above0[i] && !c.plan.zero[i] && v <= 0:
		return c.errorf(at, from, "%v: want a number > 0, which the model asks of %s", v, c.table.Symbols[i])
	}
	if c.Unit == Milliseconds && isDelay(c.table.Symbols[i]) {
		v /= 1000
	}
	c.row[i] = v
	return nil
}

// numberOf numbers the labels of a column in the order of their first occurrence.
func (c *collector) numberOf(symbol, label string) float64 {
	key := symbol + "\x00" + label
	x, known := c.labels[key]
	if !known {
		if c.labels == nil {
			c.labels = map[string]float64{}
		}
		x = float64(len(c.labels))
		c.labels[key] = x
	}
	return x
}

// covariate parses a number that is not a response time.
func covariate(from Cell) (float64, error) {
	v, err := number(from)
	if err == nil && v == missingTime {
		err = checkPresent(from, "a number")
	}
	return v, err
}

// outside returns the reason why the row is dropped because of its response time; "" if it is not dropped.
func (c *collector) outside() string {
	if c.plan.rt < 0 || c.silent || c.firstBad != (place{}) || c.missing > 0 {
		return ""
	}
	switch rt := c.row[c.plan.rt]; {
	case c.MinRT > 0 && rt < c.MinRT:
		return fmt.Sprintf(tooFast, c.MinRT)
	case c.MaxRT > 0 && rt > c.MaxRT:
		return fmt.Sprintf(tooSlow, c.MaxRT)
	}
	return ""
}

// skip counts a row that is not used, by the reason why. The row's choice is still read, because the meaning of 1 depends on all codes in the
// column: if one subject only has 1, another's 2 or 0 determines it.
func (c *collector) skip(at place, cells []Cell, why string) {
	c.table.Source.Dropped[why]++
	if c.plan.choice >= 0 {
		_, _ = c.codes.read(at, cells[c.plan.choice])
	}
}

// label returns the subject of a row; "" if subjects are not wanted, or if the row has none and is dropped.
func (c *collector) label(at place, cells []Cell) (string, error) {
	if c.plan.subject < 0 {
		return "", nil
	}
	from := cells[c.plan.subject]
	if err := checkPresent(from, "the subject of the trial"); err != nil {
		if c.DropMissing {
			return "", nil
		}
		return "", c.errorf(at, c.plan.subject, "%w", err)
	}
	label := visible(from.label())
	if _, known := c.subject[label]; !known && c.Only != "" && label != c.Only {
		c.subject[strings.Clone(label)] = -1
		c.others = append(c.others, strings.Clone(label))
	}
	return label, nil
}

// assignSubject adds the row to its subject.
func (c *collector) assignSubject(label string) {
	if c.plan.subject < 0 {
		return
	}
	i, known := c.subject[label]
	if !known {
		i = len(c.table.Subjects)
		label = strings.Clone(label)
		c.subject[label] = i
		c.table.Subjects = append(c.table.Subjects, Subject{Label: label})
	}
	if c.Persons {
		c.table.Person = append(c.table.Person, int32(i))
	}
	s := &c.table.Subjects[i]
	s.Rows = append(s.Rows, c.kept)
	c.kept++
}

// visible returns a label in which control characters and invisible characters are escaped.
func visible(label string) string {
	if !strings.ContainsFunc(label, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return label
	}
	quoted := strconv.Quote(label)
	return quoted[1 : len(quoted)-1]
}

// checkTime returns a response time in seconds. It records bad ones; finish reports them with their number.
func (c *collector) checkTime(at place, v float64) float64 {
	switch {
	case v == missingTime:
		if c.missing++; c.missing == 1 {
			c.firstGone = at
		}
	case c.plan.above0[c.plan.rt] && v <= 0 && c.firstBad == place{}:
		c.firstBad, c.firstValue = at, v
	}
	if c.Unit == Milliseconds {
		v /= 1000
	}
	return v
}

func (c *collector) errorf(at place, column int, format string, args ...any) error {
	return fmt.Errorf("%s: %s, column %q: %w", c.file, at, c.plan.names[column], fmt.Errorf(format, args...))
}
