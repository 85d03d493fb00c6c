package trials

import (
	"fmt"

	"likc/runtime/num/statistic"
)

// finish makes the checks that need the whole file, and returns the table.
func (c *collector) finish() (*Table, error) {
	t := c.table
	if c.strange != nil {
		return nil, c.strange.error()
	}
	switch {
	case c.rows == 0:
		return nil, errorf(c.file, "no data row: want a row a trial under the header")
	case c.Only != "" && c.rows == t.Source.Dropped[otherSubject]:
		return nil, errorf(c.file, "no subject %q in column %q: the subjects are %s", c.Only, c.plan.names[c.plan.subject], list(c.others))
	}
	if err := c.checkTimes(); err != nil {
		return nil, err
	}
	if err := c.checkSubjects(); err != nil {
		return nil, err
	}
	if c.Response != "" && !c.answered && len(c.refused) > 0 {
		return nil, errorf(c.file, "no response %q in column %q: the responses are %s", c.Response, c.plan.names[c.plan.response], list(sortedKeys(c.refused)))
	}
	if t.Source.Rows, t.Source.Used = c.rows, c.used(); t.Source.Used == 0 {
		return nil, errorf(c.file, "no row is left: %s", t.Source.dropped())
	}
	if c.plan.choice >= 0 {
		t.Source.Coding = c.codes.coding()
		note, err := c.codes.settle(t.Choice)
		if err != nil {
			return nil, fmt.Errorf("%s: column %q: %w", c.file, c.plan.names[c.plan.choice], err)
		}
		c.note(c.plan.choice, note)
	}
	if n := t.Source.Dropped[incomplete]; n > 0 {
		t.Notes = append(t.Notes, fmt.Sprintf("%s: %d of %d rows dropped, because a value is missing", c.file, n, c.rows))
	}
	for _, cut := range t.Source.Cuts() {
		t.Notes = append(t.Notes, c.file+": "+cut.String())
	}
	if c.Pool { // only Person was wanted
		t.Subjects, t.SubjectColumn = nil, ""
	}
	t.Pooled = c.pooled.list(c.plan)
	t.Suspect = c.suspect()
	return t, c.omit()
}

// used returns the number of rows that are not dropped.
func (c *collector) used() int {
	n := c.rows
	for _, dropped := range c.table.Source.Dropped {
		n -= dropped
	}
	return n
}

// checkSubjects refuses rows of several subjects, unless the user asked to treat them as one person's.
func (c *collector) checkSubjects() error {
	for _, i := range c.plan.watched {
		if n := len(c.seen[i]); n > 1 {
			name := c.plan.names[i]
			return &Unclear{Question: OnePerson, Column: name, err: errorf(c.file, "column %q names %d subjects", name, n)}
		}
	}
	return nil
}

// note adds a remark on a column to the table; none if the text is "".
func (c *collector) note(column int, text string) {
	if text != "" {
		c.table.Notes = append(c.table.Notes, fmt.Sprintf("%s: column %q: %s", c.file, c.plan.names[column], text))
	}
}

// checkTimes returns an error for response times that are missing or not positive. It notes times that look like milliseconds.
func (c *collector) checkTimes() error {
	if c.plan.rt < 0 {
		return nil
	}
	column := c.plan.trials[c.plan.rt]
	times := c.table.Columns[c.plan.rt]
	hint := ""
	if m := statistic.Median(times); m > longTime && c.Unit == "" {
		hint = fmt.Sprintf("the median is %.4g: are these milliseconds? want seconds", m)
	}
	switch {
	case c.missing > 0:
		return &Unclear{Question: WhatOfMissing, err: errorf(c.file, "column %q: %d of %d rows hold %d (no response), the first is %s",
			c.plan.names[column], c.missing, len(times), missingTime, c.firstGone)}
	case c.firstBad != place{} && hint != "":
		return c.errorf(c.firstBad, column, "%v is not a response time: want seconds > 0; %s", c.firstValue, hint)
	case c.firstBad != place{}:
		return c.errorf(c.firstBad, column, "%v is not a response time: want seconds > 0", c.firstValue)
	}
	if c.Careful && hint != "" {
		return &Unclear{Question: WhichUnit, err: errorf(c.file, "column %q: %s", c.plan.names[column], hint)}
	}
	c.note(column, hint)
	return nil
}

// longTime is the median response time, in seconds, above which milliseconds are suspected.
const longTime = 20
