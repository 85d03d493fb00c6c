package trials

import (
	"fmt"

	"likc/runtime/sys/space"
)

// roomEvery is after how many rows the room for more is looked at, and copies is how many times as much as was read may be needed in all: a
// column that grows is copied, and what is read is copied again where it is used.
const (
	roomEvery = 1 << 16
	copies    = 3
	roomLeast = 16 << 20 // bytes for all else
)

// checkRoom says when the rows become too many for the address space.
func (c *collector) checkRoom() error {
	if c.rows%roomEvery != 0 {
		return nil
	}
	cells := uint64(len(c.table.Columns)+5+2*len(c.table.Extra)+len(c.table.Supplied)) * uint64(len(c.table.Rows))
	if err := space.Check(roomLeast + copies*8*cells); err != nil {
		return fmt.Errorf("%s: row %d: %w", c.file, c.rows, err)
	}
	return nil
}
