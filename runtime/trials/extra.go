package trials

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Extra is a column besides those of the model, as it stands in the file: a text a row of the table.
type Extra struct {
	Name  string
	Texts []string
}

// Numbers returns the column as numbers, with NaN where a row holds NaN or NA; false where a row holds anything else, or none
// holds a number.
func (e *Extra) Numbers() ([]float64, bool) {
	all, some := make([]float64, len(e.Texts)), false
	for i, text := range e.Texts {
		v, err := number(cell{text: text})
		switch {
		case err == errNaN:
			v = math.NaN()
		case err != nil:
			return nil, false
		default:
			some = true
		}
		all[i] = v
	}
	return all, some
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
