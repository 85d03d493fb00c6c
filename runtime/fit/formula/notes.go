package formula

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// mostCodes is the largest number of whole numbers in a column that are taken for codes of levels.
const mostCodes = 10

// Notes are remarks, a line each, on columns that the formula reads otherwise than may be meant: codes such as 1, 2, 3, which are numbers, and
// numbers with leading zeros, which are labels.
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
				continue // the design's own error
			}
			if note := c.note(); note != "" && !slices.Contains(notes, note) {
				notes = append(notes, note)
			}
		}
	}
	return notes
}

// note says as what a column is taken that may be meant otherwise; "" for any other column.
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

// codes are the values of a numeric column that holds 1, 2, … or 0, 1, 2, … and nothing else; nil for any other column, and for 0 and 1
// alone, which give the same columns as number and as level.
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
