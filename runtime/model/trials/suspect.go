package trials

import (
	"slices"
	"strconv"
	"strings"
)

// A column that nothing uses probably names participants if it has at least fewestSuspects values, each in one block of rows, and the blocks have
// at least shortestBlock rows on average.
const (
	fewestSuspects = 4
	shortestBlock  = 10
	mostValues     = 100_000 // a column with more values is no longer looked at
	mostUnused     = 32      // where more columns are unused, none is looked at
)

// countingNames are usual names of columns that change from block to block, but do not name participants.
var countingNames = []string{"block", "blocks", "blocknumber", "blocknr", "session", "sessions", "run", "runs", "trial", "trials", "row", "index", "day", "date"}

// Suspect is a column that nothing uses and that probably names participants.
type Suspect struct {
	Column string
	Values int // number of different values
}

// suspect follows the values of one column from row to row.
type suspect struct {
	column int             // index of the column
	last   string          // the last value
	seen   map[string]bool // all values so far
	rows   int             // number of rows so far
}

// suspects returns a suspect for each column that nothing uses, except columns that are usually something else.
func (p *plan) suspects() []*suspect {
	var all []*suspect
	used := p.used()
	for i, name := range p.names {
		if !slices.Contains(used, i) && !slices.Contains(countingNames, plain(name)) {
			all = append(all, &suspect{column: i, seen: map[string]bool{}})
		}
	}
	if len(all) > mostUnused {
		return nil
	}
	return all
}

// fits records the next value of the column, and reports whether the column can still name participants.
func (s *suspect) fits(c Cell) bool {
	if isAbsent(c) {
		return false
	}
	s.rows++
	label := c.label()
	if label == s.last && s.rows > 1 {
		return true
	}
	if s.seen[label] || len(s.seen) >= mostValues {
		return false
	}
	if v, err := strconv.ParseFloat(label, 64); err == nil && v != float64(int64(v)) {
		return false // a measurement
	}
	s.last = strings.Clone(label)
	s.seen[s.last] = true
	return true
}

// likely reports whether the column, of which all rows were seen, probably names participants.
func (s *suspect) likely() bool {
	return len(s.seen) >= fewestSuspects && s.rows >= shortestBlock*len(s.seen)
}

// watchSuspects drops the columns that cannot name participants because of the cells of one row.
func (c *collector) watchSuspects(cells []Cell) {
	c.plan.suspected = slices.DeleteFunc(c.plan.suspected, func(s *suspect) bool { return !s.fits(cells[s.column]) })
}

// suspect returns the first column that probably names participants; nil if there is none.
func (c *collector) suspect() *Suspect {
	for _, s := range c.plan.suspected {
		if s.likely() {
			return &Suspect{Column: c.plan.names[s.column], Values: len(s.seen)}
		}
	}
	return nil
}
