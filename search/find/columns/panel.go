// Package columns evaluates trees over columns of numbers, with the vector kernels of package vec. It works in blocks that fit in
// the processor's first cache.
//
// The rows of a [Panel] are cut into blocks of equal width. Some symbols have the same values in every block; we say that they stay.
// The other symbols move. A subtree that contains only staying symbols is computed once per panel. Columns are read where they are,
// not copied. A node's value agrees with the operator table of package expr up to rounding: exact to the last place for
// + − × ÷ √ ², within about one unit in the last place for exp and log.
package columns

import (
	"fmt"
	"unsafe"

	"likc/runtime/num/vec"
)

// Float is the type of a column's numbers.
type Float interface{ float32 | float64 }

// Panel holds rows in blocks of one width; the last block may be shorter.
type Panel[F Float] struct {
	Rows, Width int
	// Columns has one column for each symbol. A column of Width values stays: every block has these values, so the last block must
	// not be shorter. A column of Rows values moves.
	Columns [][]F
}

// Table holds rows without block structure: one column for each symbol, all of equal length.
type Table[F Float] struct{ Columns [][]F }

// blockBytes is the size of a column's part in one block of a table. The operands of a tree then mostly fit in a first cache of 32
// kB.
const blockBytes = 4096

// BlockRows returns the number of rows in a block of a table: 512 of float64, 1,024 of float32.
func BlockRows[F Float]() int {
	var x F
	return blockBytes / int(unsafe.Sizeof(x))
}

// Panel returns the table as a panel in which every column moves.
func (t *Table[F]) Panel() *Panel[F] {
	p := &Panel[F]{Width: BlockRows[F](), Columns: t.Columns}
	if len(t.Columns) > 0 {
		p.Rows = len(t.Columns[0])
	}
	p.Width = min(p.Width, max(p.Rows, 1))
	return p
}

// Blocks returns the number of blocks.
func (p *Panel[F]) Blocks() int { return (p.Rows + p.Width - 1) / p.Width }

// Span returns the first row of block b and the row after its last one.
func (p *Panel[F]) Span(b int) (from, to int) {
	return b * p.Width, min((b+1)*p.Width, p.Rows)
}

// moving returns a set of symbols: bit i is set if symbol i's values differ from block to block.
func (p *Panel[F]) moving() (mask uint64) {
	if p.Rows <= p.Width {
		return 0
	}
	for i, c := range p.Columns {
		if len(c) == p.Rows {
			mask |= 1 << i
		}
	}
	return mask
}

// Check returns an error if there is no row, or if a column has neither Rows values nor, where all blocks are full, Width values.
func (p *Panel[F]) Check() error {
	if p.Width < 1 || p.Rows < 1 {
		return fmt.Errorf("panel: %d rows in blocks of %d: at least one is needed", p.Rows, p.Width)
	}
	for i, c := range p.Columns {
		if stays := len(c) == p.Width && p.Rows%p.Width == 0; len(c) != p.Rows && !stays {
			return fmt.Errorf("panel: column %d: %d values for %d rows in blocks of %d", i, len(c), p.Rows, p.Width)
		}
	}
	return nil
}

// squaredDistance returns Σ (x-y)², accumulated in float64.
func squaredDistance[F Float](x, y []F) float64 {
	switch x := any(x).(type) {
	case []float64:
		return vec.SquaredDistance(x, any(y).([]float64))
	case []float32:
		return vec.SquaredDistance32(x, any(y).([]float32))
	}
	panic("columns: unknown float")
}
