package trials

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Cell is one value of a data file: a text, which may be a number, or in Parquet a number or a missing value.
type Cell struct {
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

// TextCell returns a cell with a text.
func TextCell(text string) Cell { return Cell{text: text} }

// NumberCell returns a cell with a number.
func NumberCell(x float64) Cell { return Cell{number: x, kind: numberCell} }

// NullCell returns a cell without a value.
func NullCell() Cell { return Cell{kind: nullCell} }

// label returns a cell as a subject's name. It writes 20231015, not 2.0231015e+07.
func (c Cell) label() string {
	switch whole := c.number == math.Trunc(c.number) && math.Abs(c.number) < 1<<53; {
	case c.kind != numberCell:
		return strings.TrimSpace(c.text)
	case whole:
		return strconv.FormatFloat(c.number, 'f', 0, 64)
	}
	return strconv.FormatFloat(c.number, 'g', -1, 64)
}

// place is the position of a row. row counts data rows from 1; Parquet has no lines.
type place struct{ row, line int }

func (p place) String() string {
	if p.line == 0 {
		return fmt.Sprintf("row %d", p.row)
	}
	return fmt.Sprintf("row %d (line %d)", p.row, p.line)
}
