package chains

import "slices"

// Columns that number the chains and draws of one table, as R's posterior and cmdstanpy write them: they are no parameters.
var (
	chainColumns  = []string{".chain", "chain__"}
	numberColumns = []string{".iteration", ".draw", "iter__", "draw__"}
)

// isNoParameter reports whether a column is one of the sampler, or one that numbers chains or draws.
func isNoParameter(column string) bool {
	return slices.Contains(samplerNames, column) || slices.Contains(chainColumns, column) || slices.Contains(numberColumns, column)
}

// byChain divides the draws by the chain that each row names. Chains are in the order of their names.
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
