package trials

import (
	"errors"
	"fmt"
	"slices"
)

// Omitted is the choice of a trial without a response in time; no model has this choice. The trial's response time is the deadline.
const Omitted = -999.0

// Deadline is the time by which a response must have come: seconds, the same for all trials, or a column in the unit of the response
// times. The zero value means no deadline.
type Deadline struct {
	Seconds float64 `json:"seconds,omitempty"`
	Column  string  `json:"column,omitempty"`
}

// IsSet reports whether there is a deadline.
func (d Deadline) IsSet() bool { return d.Seconds > 0 || d.Column != "" }

// omits reports whether a row has no response, if there is a deadline: its response time or its choice is missing.
func (c *collector) omits(cells []Cell) bool {
	if !c.Deadline.IsSet() || c.plan.rt < 0 {
		return false
	}
	return isMissing(cells[c.plan.trials[c.plan.rt]]) || c.plan.choice >= 0 && isMissing(cells[c.plan.choice])
}

// isMissing reports whether a cell is empty, not a number, or a code of HDDM or EMC2 for no response.
func isMissing(from Cell) bool {
	v, err := number(from)
	return isEmpty(from) || errors.Is(err, errNever) || err == nil && v == missingTime
}

// isEmpty reports whether a cell is empty, or not a number.
func isEmpty(from Cell) bool {
	_, err := number(from)
	return errors.Is(err, errEmpty) || errors.Is(err, errNaN)
}

// deadline returns the deadline of a row, in seconds.
func (c *collector) deadline(at place, cells []Cell) (float64, error) {
	if c.Deadline.Column == "" {
		return c.Deadline.Seconds, nil
	}
	v, err := covariate(cells[c.plan.deadline])
	if err == nil && v <= 0 {
		err = fmt.Errorf("%v: want a deadline > 0", v)
	}
	if err != nil {
		return 0, c.errorf(at, c.plan.deadline, "%w", err)
	}
	if c.Unit == Milliseconds {
		v /= 1000
	}
	return v, nil
}

// readOmission reads a row without a response. The deadline replaces its response time.
func (c *collector) readOmission(at place, cells []Cell) error {
	deadline, err := c.deadline(at, cells)
	if err != nil {
		return err
	}
	for i, from := range c.plan.trials {
		if i == c.plan.rt {
			c.row[i] = deadline
			continue
		}
		if slices.Contains(c.Idle, c.table.Symbols[i]) && isAbsent(cells[from]) {
			c.row[i] = 0
			continue
		}
		if err = c.readValue(at, cells, i); err != nil {
			return err
		}
	}
	c.omitted = append(c.omitted, len(c.table.Columns[c.plan.rt]))
	c.table.Deadlines = append(c.table.Deadlines, deadline)
	return nil
}

// inTime returns an error for a response after its deadline.
func (c *collector) inTime(at place, cells []Cell) error {
	if !c.Deadline.IsSet() || c.plan.rt < 0 {
		return nil
	}
	deadline, err := c.deadline(at, cells)
	if rt := c.row[c.plan.rt]; err == nil && rt > deadline {
		return c.errorf(at, c.plan.trials[c.plan.rt], "%v s is after the deadline of %v s: want the deadline at or above all response times, or no time in this row", rt, deadline)
	}
	c.table.Deadlines = append(c.table.Deadlines, deadline)
	return err
}

// omit marks the omissions among the choices. A model without choice then has choices too: 0 for a response. A response must have
// the choice Go, if that is set.
func (c *collector) omit() error {
	t := c.table
	if c.plan.choice < 0 && c.Deadline.IsSet() {
		t.Choice = make([]float64, len(t.Deadlines))
		for i := range t.Choice {
			t.Choice[i] = c.Go
		}
	}
	for _, i := range c.omitted {
		t.Choice[i] = Omitted
	}
	t.Source.Omitted, t.Source.Go = len(c.omitted), c.Go
	if c.Go == 0 {
		return nil
	}
	others := 0
	for _, choice := range t.Choice {
		if choice == -c.Go {
			others++
		}
	}
	if others > 0 {
		return errorf(c.file, "column %q: %d of %d responses are not the choice %+.0f, to which alone a response belongs: a trial on which the participant "+
			"chose not to respond has no response time; --response says what the column holds", c.plan.names[c.plan.choice], others, len(t.Choice)-len(c.omitted), c.Go)
	}
	return nil
}
