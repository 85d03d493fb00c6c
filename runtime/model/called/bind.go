package called

import (
	"fmt"
	"math"
	"slices"

	"likc/runtime/model/kernel"
	"likc/runtime/model/trials"
)

// bound is a map that is bound to trials. Its rows are the trials ordered by participant; each participant's trials keep the order of the
// data.
type bound struct {
	*Map
	n       int         // number of rows
	order   []int       // for each row, the number of its trial; nil if rows and trials have the same order
	columns [][]float64 // columns that the sheets (expressions over rows) use: trial columns, columns that restart states, and the choice
	data    [][]float64 // values of expressions that depend only on columns
	begins  [][]int     // for each state: the rows at which it starts again, and n
	missing []int       // rows without a response
}

// Bind binds trials to the map.
func (c *Map) Bind(t kernel.Trials) (func() kernel.Mapping, error) {
	b := &bound{Map: c, n: t.N()}
	wanted := len(c.columns)
	if c.model.Choice != "" {
		wanted--
	}
	if len(t.Columns) != wanted || c.model.Choice != "" && t.Choice == nil {
		return nil, fmt.Errorf("%s: %d columns of trials, want %d: its trial columns, then those that restart states", c.model.Name, len(t.Columns), wanted)
	}
	all := slices.Clone(t.Columns)
	if c.model.Choice != "" {
		all = append(all, t.Choice)
	}
	if c.Stateful() {
		b.order = byPerson(t.Person)
	}
	for _, column := range all {
		b.columns = append(b.columns, gathered(column, b.order))
	}
	if c.Stateful() {
		b.begin(gathered32(t.Person, b.order))
		b.silence(gathered(t.Choice, b.order))
	}
	w := c.data.newSpace(b.n)
	w.begin(b.columns)
	for range c.data.roots {
		b.data = append(b.data, make([]float64, b.n))
	}
	for from := 0; from < b.n; from += block {
		to := min(from+block, b.n)
		w.rows(from, to)
		for k := range b.data {
			copy(b.data[k][from:to], w.root(k))
		}
	}
	return func() kernel.Mapping { return b.newMapping() }, nil
}

// begin finds the rows at which states start again.
func (b *bound) begin(person []int32) {
	for _, s := range b.states {
		var rows []int
		for i := range b.n {
			fresh := i == 0 || person != nil && person[i] != person[i-1]
			for _, name := range s.Restart {
				x := b.columns[slices.Index(b.Map.columns, name)]
				fresh = fresh || i > 0 && math.Float64bits(x[i]) != math.Float64bits(x[i-1])
			}
			if fresh {
				rows = append(rows, i)
			}
		}
		b.begins = append(b.begins, append(rows, b.n))
	}
}

// silence finds the rows without a response, which do not change the states. In these rows it replaces values that are not finite by 1;
// they are not used.
func (b *bound) silence(choice []float64) {
	for i, c := range choice {
		if c == trials.Omitted || math.IsNaN(c) {
			b.missing = append(b.missing, i)
		}
	}
	if len(b.missing) == 0 {
		return
	}
	for k, x := range b.columns {
		own := slices.Clone(x)
		for _, i := range b.missing {
			if own[i]-own[i] != 0 {
				own[i] = 1
			}
		}
		b.columns[k] = own
	}
}
