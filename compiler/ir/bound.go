package ir

// Table approximates sums over trials that are functions of one parameter ψ.
type Table interface {
	// At sets value to the sums at psi. It returns false if the table is not accurate there. A shorter value gets only the first
	// sums.
	At(psi float64, value []float64) bool
}

// NewTable makes a table of k sums for ψ from lo to hi. The function sum computes the sums at several ψ: value[j*k+a] is sum a
// at psi[j], and abs[j*k+a] the sum of the absolute terms. A table does not call it concurrently.
type NewTable func(k int, lo, hi float64, edge Edge, sum func(psi, value, abs []float64)) Table

// Option changes how a program is bound.
type Option func(*Bound)

// WithTables takes sums that depend on only one parameter from tables, in groups of [TableTrials] trials or more. Where a table
// has no accurate value, the trials of the group are summed.
func WithTables(make NewTable) Option {
	return func(b *Bound) {
		for g, list := range Tabulations(b.p, b.facts) {
			if b.trials[g].n < TableTrials {
				continue
			}
			b.tables[g] = b.bindTables(g, list, make)
		}
	}
}

// groupTables holds the tables of a group, and the loops for the sums that tables do not give.
type groupTables struct {
	tables []boundTable
	rest   [2]Kernel // the loop for the other sums: for the value, and for value with gradient
}

// boundTable is a table of bound trials.
type boundTable struct {
	Tabulation
	table Table
	need  [2]int // how many of the first sums are needed, for the value and for value with gradient
}

// bindTables makes the tables of group g, and the loops for the sums without a table.
func (b *Bound) bindTables(g int, list []Tabulation, make NewTable) groupTables {
	var bound groupTables
	for _, t := range list {
		psi := b.p.Params[b.p.Values[t.Psi].Index]
		lo, hi := psi.Lower, psi.Upper
		switch t.Edge {
		case EdgeHi:
			hi = b.data[t.Bound]
		case EdgeLo:
			lo = b.data[t.Bound]
		}
		sum := func(at, value, abs []float64) { b.addUp(t, at, value, abs) }
		bound.tables = append(bound.tables, boundTable{t, make(len(t.Kernel.Outs), lo, hi, t.Edge, sum), [2]int{t.Among(b.loops[forValue][g]), t.Among(b.loops[forBoth][g])}})
	}
	for what := range bound.rest {
		k := b.loops[what][g]
		bound.rest[what] = k.Only(b.p, b.facts, k.Untabulated(list))
	}
	return bound
}

// addUp computes a table's sums over the trials at each of several ψ.
func (b *Bound) addUp(t Tabulation, psi, value, abs []float64) {
	s := b.scratch.Get().(*scratch)
	defer b.scratch.Put(s)
	for j, x := range psi {
		s.scalars[t.Psi] = x
		for _, id := range t.Scalars {
			b.scalar(s, id, b.p.Values[id], nil)
		}
		b.loop(s, &t.Kernel)
		for a, out := range t.Kernel.Outs {
			i := j*len(t.Kernel.Outs) + a
			value[i], abs[i] = s.scalars[out], s.sums[out].terms
		}
	}
}

// fromTables sets the results of a group's loop from its tables. It returns false if a table has no accurate value.
func (b *Bound) fromTables(s *scratch, group, what int) bool {
	g := &b.tables[group]
	for _, t := range g.tables {
		served := s.served[:t.need[what]]
		if len(served) > 0 && !t.table.At(s.scalars[t.Psi], served) {
			return false
		}
		for a, x := range served {
			s.scalars[t.Kernel.Outs[a]] = x
		}
	}
	if len(g.tables) > 0 {
		b.quickLoop(s, &g.rest[what])
	}
	return len(g.tables) > 0
}

// Work returns the cost of the loops over trials in an evaluation with gradient, in additions: the cost of an operator (see
// [expr.Info]) times its trials. Loops whose sums tables give do not count.
func (b *Bound) Work() int {
	work := 0
	for g := range b.p.Groups {
		k := b.loops[forBoth][g]
		if len(b.tables[g].tables) > 0 {
			k = b.tables[g].rest[forBoth]
		}
		work += k.cost(b.p) * b.trials[g].n
	}
	return work
}
