package trials

import (
	"fmt"

	"likc/runtime/sys/space"
)

// roomEvery is the number of rows after which the remaining address space is checked. copies is an upper
// bound of the total memory needed, as a multiple of the data read: a growing column is copied, and data are
// copied again where they are used. roomLeast is the memory needed for everything else.
const (
	roomEvery = 1 << 16
	copies    = 3
	roomLeast = 16 << 20 // bytes
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
