package trials

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// missingTime is what HDDM and ssm-simulators write where nobody responded in time.
const missingTime = -999

// cell is one value of a data file: text, which may spell a number, or in Parquet a number or nothing.
type cell struct {
	text   string
	number float64
	kind   cellKind
}

type cellKind uint8

const (
	textCell cellKind = iota
	numberCell
	nullCell
)

// label is a cell as a subject's name.
func (c cell) label() string {
	if c.kind == numberCell {
		return strconv.FormatFloat(c.number, 'g', -1, 64)
	}
	return strings.TrimSpace(c.text)
}

// place is where a row stands. Rows count data rows from 1; Parquet has no lines.
type place struct{ row, line int }

func (p place) String() string {
	if p.line == 0 {
		return fmt.Sprintf("row %d", p.row)
	}
	return fmt.Sprintf("row %d (line %d)", p.row, p.line)
}

// collector turns rows of cells into a Table.
type collector struct {
	file string
	plan *plan
	only string

	table   *Table
	subject map[string]int // index in table.Subjects, of all subjects where only is set
	others  []string       // labels passed over
	codes   choiceCodes

	rows       int
	kept       int // rows in the table, where subjects are wanted
	missing    int // response times of -999
	firstGone  place
	firstBad   place // of a response time ≤ 0
	firstValue float64
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
	if p.subject >= 0 {
		t.SubjectColumn = names[p.subject]
	}
	return &collector{file: file, plan: p, only: o.Only, table: t, subject: map[string]int{}}, nil
}

// add takes one row; cells are indexed as the file's columns are.
func (c *collector) add(at place, cells []cell) error {
	c.rows++
	keep, err := c.addSubject(at, cells)
	if err != nil {
		return err
	}
	if !keep {
		c.passOver(at, cells)
		return nil
	}
	for i, from := range c.plan.trials {
		v, err := number(cells[from])
		if err != nil {
			return c.errorf(at, from, "%w", err)
		}
		switch {
		case i == c.plan.rt:
			c.checkTime(at, v)
		case c.plan.above0[i] && v <= 0:
			return c.errorf(at, from, "%v: want a number > 0, which the model asks of %s", v, c.table.Symbols[i])
		}
		c.table.Columns[i] = append(c.table.Columns[i], v)
	}
	if c.plan.choice >= 0 {
		code, err := c.codes.read(at, cells[c.plan.choice])
		if err != nil {
			return c.errorf(at, c.plan.choice, "%w", err)
		}
		c.table.Choice = append(c.table.Choice, code)
	}
	return nil
}

// passOver looks at a row of another subject than the one wanted. It may hold anything, but what 1 means in the column of
// choices depends on all codes there: if one subject has 1 alone, another's 2 or 0 tells.
func (c *collector) passOver(at place, cells []cell) {
	if c.plan.choice >= 0 {
		_, _ = c.codes.read(at, cells[c.plan.choice])
	}
}

// addSubject enters a row under its subject, and reports whether the row is wanted.
func (c *collector) addSubject(at place, cells []cell) (keep bool, err error) {
	if c.plan.subject < 0 {
		return true, nil
	}
	label := visible(cells[c.plan.subject].label())
	if label == "" {
		return false, c.errorf(at, c.plan.subject, "empty: want the subject of the trial")
	}
	i, known := c.subject[label]
	if c.only != "" && label != c.only {
		if !known {
			c.subject[label] = -1
			c.others = append(c.others, strings.Clone(label))
		}
		return false, nil
	}
	if !known {
		i = len(c.table.Subjects)
		label = strings.Clone(label)
		c.subject[label] = i
		c.table.Subjects = append(c.table.Subjects, Subject{Label: label})
	}
	s := &c.table.Subjects[i]
	s.Rows = append(s.Rows, c.kept)
	c.kept++
	return true, nil
}

// visible is a label with the characters that a terminal obeys, or does not show, written out.
func visible(label string) string {
	if !strings.ContainsFunc(label, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return label
	}
	quoted := strconv.Quote(label)
	return quoted[1 : len(quoted)-1]
}

// checkTime remembers bad response times; finish reports them, when it can say how many there are.
func (c *collector) checkTime(at place, v float64) {
	switch {
	case v == missingTime:
		if c.missing++; c.missing == 1 {
			c.firstGone = at
		}
	case c.plan.above0[c.plan.rt] && v <= 0 && c.firstBad == place{}:
		c.firstBad, c.firstValue = at, v
	}
}

func (c *collector) errorf(at place, column int, format string, args ...any) error {
	return fmt.Errorf("%s: %s, column %q: %w", c.file, at, c.plan.names[column], fmt.Errorf(format, args...))
}

// finish checks what only the whole file tells, and returns the table.
func (c *collector) finish() (*Table, error) {
	t := c.table
	switch {
	case c.rows == 0:
		return nil, errorf(c.file, "no data row: want a row a trial under the header")
	case c.only != "" && len(t.Subjects) == 0:
		return nil, errorf(c.file, "no subject %q in column %q: the subjects are %s", c.only, c.plan.names[c.plan.subject], list(c.others))
	}
	if err := c.checkTimes(); err != nil {
		return nil, err
	}
	if c.plan.choice >= 0 {
		note, err := c.codes.settle(t.Choice)
		if err != nil {
			return nil, fmt.Errorf("%s: column %q: %w", c.file, c.plan.names[c.plan.choice], err)
		}
		c.note(c.plan.choice, note)
	}
	return t, nil
}

func (c *collector) note(column int, text string) {
	if text != "" {
		c.table.Notes = append(c.table.Notes, fmt.Sprintf("%s: column %q: %s", c.file, c.plan.names[column], text))
	}
}

func (c *collector) checkTimes() error {
	if c.plan.rt < 0 {
		return nil
	}
	column := c.plan.trials[c.plan.rt]
	times := c.table.Columns[c.plan.rt]
	hint := ""
	if m := median(times); m > 100 {
		hint = fmt.Sprintf("the median is %.4g: are these milliseconds? want seconds", m)
	}
	switch {
	case c.missing > 0:
		return fmt.Errorf("%s: column %q: %d of %d rows hold %d (no response), the first is %s: remove those rows",
			c.file, c.plan.names[column], c.missing, len(times), missingTime, c.firstGone)
	case c.firstBad != place{} && hint != "":
		return c.errorf(c.firstBad, column, "%v is not a response time: want seconds > 0; %s", c.firstValue, hint)
	case c.firstBad != place{}:
		return c.errorf(c.firstBad, column, "%v is not a response time: want seconds > 0", c.firstValue)
	}
	c.note(column, hint)
	return nil
}

func median(v []float64) float64 {
	if len(v) == 0 {
		return math.NaN()
	}
	sorted := slices.Clone(v)
	slices.Sort(sorted)
	return sorted[len(sorted)/2]
}
