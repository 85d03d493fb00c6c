package formula

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// mostCodes is the largest number of different whole numbers in a column that may be codes of levels.
const mostCodes = 10

// Notes returns remarks, one on each line, about columns whose use in the formula may be unintended: codes such as 1, 2, 3, which
// count as numbers, and numbers with leading zeros, which count as labels.
func (f *Formula) Notes(t Table) (notes []string) {
	terms := slices.Clone(f.Common)
	for _, g := range f.Groups {
		terms = append(terms, g.Effects...)
	}
	for _, term := range terms {
		for _, factor := range term.Factors {
			if factor.Kind != Plain {
				continue
			}
			c, err := t.column(factor.Column, factor.Pos)
			if err != nil {
				continue // the design reports this error
			}
			if note := c.note(); note != "" && !slices.Contains(notes, note) {
				notes = append(notes, note)
			}
		}
	}
	return notes
}

// note returns a remark on how the values of a column are used if this may be unintended; "" for other columns.
func (c *DataColumn) note() string {
	if _, spelt := c.spelt(); spelt {
		return fmt.Sprintf("column %s is taken for labels, because it has numbers with leading zeros, as %s; write I(%s) for numbers",
			quote(c.Name), quote(slices.Min(c.Labels)), QuoteName(c.Name))
	}
	codes := c.codes()
	if codes == nil {
		return ""
	}
	return fmt.Sprintf("column %s has the values %s and is taken for a number; write C(%s) for levels", quote(c.Name), strings.Join(codes, ", "), QuoteName(c.Name))
}

// codes returns the values of a numeric column that are exactly 1, 2, …, n or 0, 1, …, n; nil for any other column. It is also
// nil for the values 0 and 1, which give the same columns as numbers and as levels.
func (c *DataColumn) codes() []string {
	if len(c.Numeric) == 0 {
		return nil
	}
	least, most := slices.Min(c.Numeric), slices.Max(c.Numeric)
	if least != 0 && least != 1 || most-least < 1 || most-least >= mostCodes || least == 0 && most == 1 {
		return nil
	}
	seen := make([]bool, mostCodes)
	for _, v := range c.Numeric {
		if v != math.Trunc(v) {
			return nil
		}
		seen[int(v-least)] = true
	}
	var codes []string
	for i := range int(most-least) + 1 {
		if !seen[i] {
			return nil
		}
		codes = append(codes, strconv.Itoa(int(least)+i))
	}
	return codes
}
