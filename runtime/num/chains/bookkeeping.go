package chains

import "slices"

// Names of the columns in which R's posterior and cmdstanpy write the number of each row's chain and draw. These columns hold no parameter.
var (
	chainColumns  = []string{".chain", "chain__"}
	numberColumns = []string{".iteration", ".draw", "iter__", "draw__"}
)

// isNoParameter reports whether a column holds a figure of the sampler, or the number of a chain or draw.
func isNoParameter(column string) bool {
	return slices.Contains(samplerNames, column) || slices.Contains(chainColumns, column) || slices.Contains(numberColumns, column)
}

// byChain divides the draws among chains; chainOf holds the chain number of each row. The result is in the order of chain numbers.
func (c *Chain) byChain(chainOf []int) []Chain {
	rows := map[int][]int{}
	var ids []int
	for k, id := range chainOf {
		if rows[id] == nil {
			ids = append(ids, id)
		}
		rows[id] = append(rows[id], k)
	}
	slices.Sort(ids)
	var parts []Chain
	for _, id := range ids {
		parts = append(parts, Chain{ID: id, Trace: c.Trace.only(rows[id]), Adapted: c.Adapted})
	}
	return parts
}

// only returns a copy of the draws in the given rows.
func (t *Trace) only(rows []int) Trace {
	out := Trace{Params: make([][]float64, len(t.Params))}
	for j, column := range t.Params {
		out.Params[j] = onlyRows(column, rows)
	}
	out.LogDensity, out.AcceptStat = onlyRows(t.LogDensity, rows), onlyRows(t.AcceptStat, rows)
	out.StepSize, out.TreeDepth = onlyRows(t.StepSize, rows), onlyRows(t.TreeDepth, rows)
	out.Leapfrogs, out.Divergent = onlyRows(t.Leapfrogs, rows), onlyRows(t.Divergent, rows)
	out.Energy = onlyRows(t.Energy, rows)
	return out
}

func onlyRows[T any](column []T, rows []int) []T {
	if len(column) == 0 { // a sampler column may be absent
		return nil
	}
	out := make([]T, len(rows))
	for i, k := range rows {
		out[i] = column[k]
	}
	return out
}
