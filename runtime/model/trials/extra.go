package trials

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Extra is a column that the model does not use, as texts: one for each row of the table.
type Extra struct {
	Name  string
	Texts []string
}

// Numbers returns the column as numbers; it returns false if a row holds anything else. Codes with leading zeros are names, because
// 01 and 1 may be two participants.
func (e *Extra) Numbers() ([]float64, bool) {
	all := make([]float64, len(e.Texts))
	for i, text := range e.Texts {
		v, err := number(Cell{text: text})
		if err != nil || isPadded(text) {
			return nil, false
		}
		all[i] = v
	}
	return all, len(all) > 0
}

// Supplied is a column of numbers that a model does not need. A cell without a number is NaN.
type Supplied struct {
	Name   string
	Values []float64
}

// SuppliedOf returns copies of the columns of Supplied for one subject's trials.
func (t *Table) SuppliedOf(s Subject) (all []Supplied) {
	for _, c := range t.Supplied {
		all = append(all, Supplied{c.Name, pick(c.Values, s.Rows)})
	}
	return all
}

// isPadded reports whether a number has leading zeros, as in 01 and 007, but not in 0 and 0.5.
func isPadded(text string) bool {
	digits := strings.TrimLeft(text, "+-")
	return len(digits) > 1 && digits[0] == '0' && digits[1] >= '0' && digits[1] <= '9'
}

// extraColumns returns the indices of the additional columns that o asks for.
func extraColumns(names []string, o Options) ([]int, error) {
	var all []int
	for _, name := range o.Extra {
		i := slices.Index(names, name)
		if i < 0 {
			return nil, fmt.Errorf("no column %s: the columns are %s", strconv.Quote(name), list(names))
		}
		all = append(all, i)
	}
	return all, nil
}

// addExtra stores a row's cells of the extra columns. None of them may be missing.
func (c *collector) addExtra(at place, cells []Cell) error {
	for i, from := range c.plan.extra {
		if err := checkPresent(cells[from], "a number or a label"); err != nil {
			return c.errorf(at, from, "%w", err)
		}
		c.table.Extra[i].Texts = append(c.table.Extra[i].Texts, visible(strings.Clone(cells[from].label())))
	}
	for i, from := range c.plan.supplied {
		x, err := covariate(cells[from])
		if err != nil {
			x = math.NaN()
		}
		c.table.Supplied[i].Values = append(c.table.Supplied[i].Values, x)
	}
	return nil
}
