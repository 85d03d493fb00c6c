package trials

import (
	"fmt"

	"likc/runtime/sys/space"
)

// roomEvery is the number of rows after which the remaining address space is checked. copies is a bound of the memory needed in all,
// as a multiple of what was read: a growing column is copied, and data are copied again where they are used.
const (
	roomEvery = 1 << 16
	copies    = 3
	roomLeast = 16 << 20 // bytes for everything else
)

// checkRoom returns an error if the rows become too many for the address space.
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
