package trials

import "fmt"

// absent returns what an empty cell of a symbol stands for, if the model says so.
func (c *collector) absent(symbol string, from cell) (float64, bool) {
	x, declared := c.Missing[symbol]
	if !declared || !isMissing(from) {
		return 0, false
	}
	if c.table.Source.Filled == nil {
		c.table.Source.Filled = map[string]int{}
	}
	c.table.Source.Filled[symbol]++
	return x, true
}

// readChoice reads the choice of a row. Where the row has no response time it must be the one that has none.
func (c *collector) readChoice(at place, from cell) (float64, error) {
	code, filled := c.absent(c.Choice, from)
	if !filled {
		var err error
		if code, err = c.codes.read(at, from); err != nil {
			return 0, err
		}
	}
	if silent, declared := c.Missing[c.Choice]; c.silent && declared && code != silent {
		return 0, fmt.Errorf("the choice %v without a response time: want one, or the choice %v or none, which mean that nobody responded", code, silent)
	}
	return code, nil
}
