package trials

import (
	"fmt"

	"likc/runtime/sys/space"
)

// These constants are for the check that the address space is large enough for the rows of a file.
const (
	roomEvery = 1 << 16  // number of rows between two checks
	copies    = 3        // memory for the data as a multiple of their size: a growing column is copied, and data are copied where they are used
	roomLeast = 16 << 20 // memory for everything else, in bytes
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
