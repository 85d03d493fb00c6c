package expr

// Looped is a model's log density in which each integral is a [NodeSum] over a table of nodes, instead of a sum that is written
// out. With it, printed code has a loop over the table instead of many copies of the integrand.
type Looped struct {
	Of     *Expr // the model's LogLik, in which the sums are written out
	LogLik *Expr
	Lets   []Let
	Tables []Table
}

// Table has the nodes of one integral: Columns[j][k] is the value of symbol Symbols[j] at node k. The symbols occur only in the
// argument of the NodeSum with the table's name.
type Table struct {
	Name    string
	Symbols []string
	Columns [][]float64
}

// Nodes returns the number of nodes.
func (t Table) Nodes() int { return len(t.Columns[0]) }

// WithLoops returns the model with its integrals as loops. It reports false for a model without integrals, and for one whose log density was
// changed after the integrals became sums.
func (m *Model) WithLoops() (*Model, bool) {
	if m.Looped == nil || m.Looped.Of != m.LogLik {
		return m, false
	}
	out := *m
	out.LogLik, out.Lets = m.Looped.LogLik, m.Looped.Lets
	return &out, true
}
