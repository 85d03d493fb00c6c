package trials

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Extra is a column besides those of the model, as it stands in the file: a text a row of the table.
type Extra struct {
	Name  string
	Texts []string
}

// Numbers returns the column as finite numbers; false where a row holds anything else.
func (e *Extra) Numbers() ([]float64, bool) {
	all := make([]float64, len(e.Texts))
	for i, text := range e.Texts {
		v, err := number(cell{text: text})
		if err != nil {
			return nil, false
		}
		all[i] = v
	}
	return all, true
}

// extraColumns are the indices of the columns that o asks for besides the model's.
func extraColumns(names []string, o Options) ([]int, error) {
	var all []int
	for _, name := range o.Extra {
		i := slices.Index(names, name)
		if i < 0 {
			return nil, fmt.Errorf("no column %s: the columns are %s", strconv.Quote(name), list(names))
		}
		all = append(all, i)
	}
	return all, nil
}

// addExtra keeps a row's cells of the extra columns.
func (c *collector) addExtra(cells []cell) {
	for i, from := range c.plan.extra {
		c.table.Extra[i].Texts = append(c.table.Extra[i].Texts, visible(strings.Clone(cells[from].label())))
	}
}
