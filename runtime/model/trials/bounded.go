package trials

import (
	"fmt"
	"io"
)

// A file is refused if a row, a cell or the header is longer than these limits. It holds something other than trials, or was made to
// fill the memory.
const (
	maxCell    = 1 << 20 // bytes
	maxRow     = 8 << 20 // bytes
	maxColumns = 100_000
)

// A compressed file that unpacks to more than maxRatio times its size, once that is more than freeUnpacked bytes, is refused.
const (
	maxRatio     = 250
	freeUnpacked = 64 << 20
)

// boundedRows is a reader of CSV text. It returns an error at a row that exceeds the limits, before the CSV reader has the whole row in
// memory.
type boundedRows struct {
	in        io.Reader
	separator byte

	line, from         int   // the current line, and the line on which its row began, counted from 1
	row, cell, columns int   // size of the current row and cell so far, in bytes, and the number of columns begun
	quoted             bool  // whether the current character is inside quotes
	failed             error // the error of a row that exceeds the limits
}

func newBoundedRows(in io.Reader, separator rune) *boundedRows {
	return &boundedRows{in: in, separator: byte(separator), line: 1, from: 1, columns: 1}
}

func (b *boundedRows) Read(into []byte) (int, error) {
	if b.failed != nil {
		return 0, b.failed
	}
	n, err := b.in.Read(into)
	for i, c := range into[:n] {
		if b.count(c); b.row > maxRow || b.cell > maxCell || b.columns > maxColumns {
			b.failed = b.excess()
			return i, b.failed
		}
	}
	return n, err
}

// count counts the next character.
func (b *boundedRows) count(c byte) {
	b.row++
	b.cell++
	switch c {
	case '"':
		b.quoted = !b.quoted
	case '\n':
		b.line++
		if !b.quoted {
			b.from, b.row, b.cell, b.columns = b.line, 0, 0, 1
		}
	case b.separator:
		if !b.quoted {
			b.cell = 0
			b.columns++
		}
	}
}

// excess returns the error for a row that exceeds a limit.
func (b *boundedRows) excess() error {
	switch {
	case b.columns > maxColumns:
		return fmt.Errorf("line %d: more than %d columns, the most that are read", b.from, maxColumns)
	case b.quoted:
		return fmt.Errorf("line %d: a quoted cell of more than %d MiB, the most that is read: is a quote opened and never closed?", b.from, maxCell>>20)
	case b.cell > maxCell:
		return fmt.Errorf("line %d: a cell of more than %d MiB, the most that is read", b.from, maxCell>>20)
	}
	return fmt.Errorf("line %d: a row of more than %d MiB, the most that is read", b.from, maxRow>>20)
}

// counted is a reader that counts the bytes read through it.
type counted struct {
	io.Reader
	n int64
}

func (c *counted) Read(into []byte) (int, error) {
	n, err := c.Reader.Read(into)
	c.n += int64(n)
	return n, err
}

// unpacked reads the content of a compressed file. It returns an error if the content is far too large for the file's size.
type unpacked struct {
	counted
	packed *counted
}

func (u *unpacked) Read(into []byte) (int, error) {
	n, err := u.counted.Read(into)
	if u.n > freeUnpacked && u.n > maxRatio*u.packed.n {
		return 0, fmt.Errorf("gzip: unpacks to more than %d times its size, the most that is read: unpack it first if it is yours", maxRatio)
	}
	return n, err
}
