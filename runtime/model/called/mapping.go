package called

import (
	"fmt"
	"math"
	"slices"

	"likc/runtime/model/kernel"
	"likc/runtime/model/trials"
	"likc/runtime/num/vec"
)

// bound is a map on trials. Rows stand in the order of participants, each one's in the order of the data.
type bound struct {
	*Map
	n       int
	order   []int       // by row, the trial; nil where it is the row
	columns [][]float64 // of the sheets: trial columns, restarts and choice
	data    [][]float64 // what depends on them alone
	begins  [][]int     // by state: the rows at which it starts afresh, and n
	missing []int       // rows without a response
}

// Bind gives trials to the map.
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
		b.silence()
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

// byPerson returns the trials in the order of persons, nil where that is their own order.
func byPerson(person []int32) (order []int) {
	last := map[int32]int{}
	together := true
	for i, p := range person {
		before, seen := last[p]
		together = together && (!seen || before == i-1)
		last[p] = i
		order = append(order, i)
	}
	if together {
		return nil
	}
	rank := map[int32]int{}
	for _, p := range person {
		if _, ok := rank[p]; !ok {
			rank[p] = len(rank)
		}
	}
	slices.SortStableFunc(order, func(i, j int) int { return rank[person[i]] - rank[person[j]] })
	return order
}

func gathered(x []float64, order []int) []float64 {
	if order == nil {
		return x
	}
	out := make([]float64, len(x))
	for row, i := range order {
		out[row] = x[i]
	}
	return out
}

func gathered32(x []int32, order []int) []int32 {
	if order == nil || x == nil {
		return x
	}
	out := make([]int32, len(x))
	for row, i := range order {
		out[row] = x[i]
	}
	return out
}

// begin finds the rows at which states start afresh.
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

// silence finds the rows without a response, which leave the states as they are. What is no number there is not used.
func (b *bound) silence() {
	if b.model.Choice == "" {
		return
	}
	choice := b.columns[slices.Index(b.Map.columns, b.model.Choice)]
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

// mapping has the memory of one evaluation.
type mapping struct {
	*bound
	inputs [][]float64
	theta  [][]float64 // in the order of rows
	out    [][]float64
	values [][]float64 // by output that is no parameter: room for a number a row
	first  []float64   // by output: room for one number

	starts, varying, fixed, next, nextSlopes, pulled, slopes, fixedSlopes, startSlopes *space

	states   [][]float64 // before each trial
	jacobian [][]float64 // by entry
	shifts   [][]float64 // b of linear states; what the program needs of others
	adjoints [][]float64 // ν
	pulls    [][]float64 // β
	begun    [][]float64 // by state: the value at each start, then its adjoint
	memory   []float64   // of the program
	x, y     []float64   // by state
	at       []int       // by state: the next start

	ordered, grads, scattered [][]float64 // parameters, gradients and outputs in the other order; nil where there is one order
	bars                      [][]float64 // room for bars in the order of rows
	ones                      []float64   // by output: room for a sum of bars
}

func (b *bound) newMapping() *mapping {
	l := &b.inputs
	m := &mapping{bound: b, inputs: make([][]float64, l.size), theta: make([][]float64, len(b.params)), out: make([][]float64, len(b.out)), first: make([]float64, len(b.out)),
		ones: make([]float64, len(b.out))}
	copy(m.inputs[l.columns:], b.columns)
	copy(m.inputs[l.data:], b.data)
	columns := func(n int) [][]float64 {
		all := make([][]float64, n)
		for i := range all {
			all[i] = make([]float64, b.n)
		}
		return all
	}
	m.values = make([][]float64, len(b.out))
	for k := range m.values {
		if b.kinds[k] == varying {
			m.values[k] = make([]float64, b.n)
		}
	}
	m.varying, m.fixed = b.varying.newSpace(b.n), b.fixed.newSpace(b.n)
	m.slopes, m.fixedSlopes = b.slopes.newSpace(b.n), b.fixedSlopes.newSpace(b.n)
	if b.order != nil {
		m.ordered, m.grads, m.bars, m.scattered = columns(len(b.params)), columns(len(b.params)), columns(len(b.out)), columns(len(b.out))
	}
	if !b.Stateful() {
		return m
	}
	k := len(b.Map.states)
	m.starts, m.startSlopes, m.pulled = b.starts.newSpace(b.n), b.startSlopes.newSpace(b.n), b.pulled.newSpace(b.n)
	m.next, m.nextSlopes = b.next.sheet.newSpace(b.n), b.next.slopes.newSpace(b.n)
	m.states, m.jacobian, m.adjoints, m.pulls = columns(k), columns(len(b.next.entries)), columns(k), columns(k)
	if b.next.linear {
		m.shifts = columns(k)
	} else {
		m.shifts = columns(len(b.next.needs))
		m.memory = slices.Clone(b.next.program.memory)
	}
	copy(m.inputs[l.states:], m.states)
	copy(m.inputs[l.adjoints:], m.adjoints)
	m.x, m.y, m.at = make([]float64, k), make([]float64, k), make([]int, k)
	for _, rows := range b.begins {
		m.begun = append(m.begun, make([]float64, len(rows)))
	}
	return m
}

// Forward computes the outputs at the model's parameters.
func (m *mapping) Forward(theta [][]float64) [][]float64 {
	for j, x := range theta {
		if m.order != nil && len(x) > 1 {
			for row, i := range m.order {
				m.ordered[j][row] = x[i]
			}
			x = m.ordered[j]
		}
		m.theta[j], m.inputs[j] = x, x
	}
	if m.Stateful() {
		m.advance()
	}
	m.varying.begin(m.inputs)
	m.fixed.begin(m.inputs)
	at := 0
	for k, kind := range m.kinds {
		switch {
		case kind == itself:
			m.out[k] = theta[m.copies[k]]
		case kind == varying:
			m.out[k] = m.values[k]
		default:
			if x, shared := m.fixed.shared(at); shared {
				m.first[k] = x
				m.out[k] = m.first[k : k+1]
			} else {
				m.out[k] = m.room(k)
			}
			at++
		}
	}
	for from := 0; from < m.n; from += block {
		m.write(from, min(from+block, m.n))
	}
	if m.order != nil {
		m.scatter()
	}
	return m.out
}

// room is memory for a number a row of an output.
func (m *mapping) room(k int) []float64 {
	if m.values[k] == nil {
		m.values[k] = make([]float64, m.n)
	}
	return m.values[k]
}

// write computes the outputs of some rows.
func (m *mapping) write(from, to int) {
	wide, narrow := 0, 0
	if len(m.varying.s.roots) > 0 {
		m.varying.rows(from, to)
	}
	narrowed := false
	for k, kind := range m.kinds {
		switch {
		case kind == varying:
			copy(m.values[k][from:to], m.varying.root(wide))
			wide++
		case kind == fixed:
			if _, shared := m.fixed.shared(narrow); !shared {
				if !narrowed {
					m.fixed.rows(from, to)
					narrowed = true
				}
				copy(m.values[k][from:to], m.fixed.root(narrow))
			}
			narrow++
		}
	}
}

// scatter puts the outputs in the order of the trials.
func (m *mapping) scatter() {
	for k, x := range m.out {
		if m.kinds[k] == itself || len(x) != m.n {
			continue
		}
		for row, i := range m.order {
			m.scattered[k][i] = x[row]
		}
		m.out[k] = m.scattered[k]
	}
}

// advance computes the states before every trial.
func (m *mapping) advance() {
	a := m.next.s
	m.starts.begin(m.inputs)
	for k, rows := range m.begins {
		for s, i := range rows[:len(rows)-1] {
			m.begun[k][s] = m.startAt(m.starts, k, i)
		}
	}
	m.next.begin(m.inputs)
	entries := 0
	if m.bound.next.linear {
		entries = len(m.bound.next.entries)
	}
	for from := 0; from < m.n; from += block {
		to := min(from+block, m.n)
		m.next.rows(from, to)
		for e := range entries {
			copy(m.jacobian[e][from:to], m.next.root(e))
		}
		for k := entries; k < len(a.roots); k++ {
			copy(m.shifts[k-entries][from:to], m.next.root(k))
		}
	}
	if !m.bound.next.linear {
		m.walk(func() { m.bound.next.program.run(m.memory) })
		return
	}
	m.stay()
	for _, i := range m.missing {
		for k := range m.shifts {
			m.shifts[k][i] = 0
		}
	}
	if m.bound.next.alone {
		for k := range m.states {
			scan(m.states[k], m.jacobian[k], m.shifts[k], m.begins[k], m.begun[k])
		}
		return
	}
	m.combine()
}

// startAt is a root of a sheet of parameters at a row.
func (m *mapping) startAt(w *space, root, row int) float64 {
	if x, shared := w.shared(root); shared {
		return x
	}
	w.rows(row, row+1)
	return w.root(root)[0]
}

// stay makes the Jacobian that of states which stay as they are, where nobody responded.
func (m *mapping) stay() {
	for e, at := range m.bound.next.entries {
		x := 0.0
		if at.row == at.column {
			x = 1
		}
		for _, i := range m.missing {
			m.jacobian[e][i] = x
		}
	}
}

// scan computes a state that depends on no other: a·s + b, from the values at its starts.
func scan(state, a, b []float64, begins []int, values []float64) {
	for s, from := range begins[:len(begins)-1] {
		x := values[s]
		to := begins[s+1]
		out, a, b := state[from:to], a[from:to], b[from:to]
		for i := range out {
			out[i] = x
			x = a[i]*x + b[i]
		}
	}
}

// fresh sets the states that start at row i.
func (m *mapping) fresh(i int) {
	for k := range m.x {
		if m.begins[k][m.at[k]] == i {
			m.x[k] = m.begun[k][m.at[k]]
			m.at[k]++
		}
		m.states[k][i] = m.x[k]
	}
}

// combine computes linear states that depend on one another.
func (m *mapping) combine() {
	clear(m.at)
	for i := range m.n {
		m.fresh(i)
		for k := range m.y {
			m.y[k] = m.shifts[k][i]
		}
		for e, at := range m.bound.next.entries {
			m.y[at.row] += m.jacobian[e][i] * m.x[at.column]
		}
		m.x, m.y = m.y, m.x
	}
}

// walk computes other states, trial by trial.
func (m *mapping) walk(run func()) {
	clear(m.at)
	missing := m.missing
	for i := range m.n {
		m.fresh(i)
		if len(missing) > 0 && missing[0] == i {
			missing = missing[1:]
			continue
		}
		copy(m.memory, m.x)
		for k, x := range m.shifts {
			m.memory[len(m.x)+k] = x[i]
		}
		run()
		for k, at := range m.bound.next.program.roots {
			m.x[k] = m.memory[at]
		}
	}
}

// Back adds the derivatives in the model's parameters to grad.
func (m *mapping) Back(bars, grad [][]float64) {
	own := grad
	if m.order != nil {
		bars, own = m.inOrder(bars, grad)
	}
	wide := 0
	narrow := len(m.varying.s.roots)
	for k, kind := range m.kinds {
		switch kind {
		case itself:
			add(own[m.copies[k]], bars[k])
		case varying:
			m.inputs[m.bound.inputs.bars+wide] = bars[k]
			wide++
		default:
			bar := bars[k]
			if _, shared := m.fixed.shared(narrow - len(m.varying.s.roots)); shared && len(bar) != 1 {
				m.ones[k] = vec.Sum(bar)
				bar = m.ones[k : k+1]
			}
			m.inputs[m.bound.inputs.bars+narrow] = bar
			narrow++
		}
	}
	if m.Stateful() {
		m.pull(own)
	}
	m.pullArguments(own)
	if m.order != nil {
		m.outOfOrder(grad)
	}
}

// add adds numbers to a gradient: their sum where it is one number.
func add(grad, x []float64) {
	if len(grad) == 1 {
		grad[0] += vec.Sum(x)
		return
	}
	for i := range grad {
		grad[i] += x[i]
	}
}

// addRows is add for some rows.
func addRows(grad, x []float64, from int) {
	if len(grad) == 1 {
		grad[0] += vec.Sum(x)
		return
	}
	grad = grad[from : from+len(x)]
	for i, v := range x {
		grad[i] += v
	}
}

// pullArguments adds what comes through arguments, and through the states' own parameters.
func (m *mapping) pullArguments(grad [][]float64) {
	if len(m.slopes.s.roots) > 0 {
		m.slopes.begin(m.inputs)
		for from := 0; from < m.n; from += block {
			m.slopes.rows(from, min(from+block, m.n))
			for r, j := range m.slopeParams {
				addRows(grad[j], m.slopes.root(r), from)
			}
		}
	}
	if len(m.fixedSlopes.s.roots) == 0 {
		return
	}
	m.fixedSlopes.begin(m.inputs)
	varies := false
	for r, at := range m.fixedParams {
		x, shared := m.fixedSlopes.shared(r)
		if varies = varies || !shared; shared {
			for i := range grad[at.column] { // one number: a shared output depends on shared parameters
				grad[at.column][i] += x
			}
		}
	}
	for from := 0; varies && from < m.n; from += block {
		m.fixedSlopes.rows(from, min(from+block, m.n))
		for r, at := range m.fixedParams {
			if _, shared := m.fixedSlopes.shared(r); !shared {
				addRows(grad[at.column], m.fixedSlopes.root(r), from)
			}
		}
	}
}

// pull computes the adjoints of the states, from the last trial to the first, and adds what comes through their starts.
func (m *mapping) pull(grad [][]float64) {
	a := m.bound.next
	m.pulled.begin(m.inputs)
	if !a.linear {
		m.nextSlopes.begin(m.inputs)
	}
	for from := 0; from < m.n; from += block {
		to := min(from+block, m.n)
		m.pulled.rows(from, to)
		for k := range m.pulls {
			copy(m.pulls[k][from:to], m.pulled.root(k))
		}
		if a.linear {
			continue
		}
		m.nextSlopes.rows(from, to)
		for e := range m.jacobian {
			copy(m.jacobian[e][from:to], m.nextSlopes.root(e))
		}
	}
	if !a.linear {
		m.stay()
	}
	if a.alone {
		for k := range m.states {
			scanBack(m.adjoints[k], m.jacobian[k], m.pulls[k], m.begins[k], m.begun[k])
		}
	} else {
		m.combineBack()
	}
	for _, i := range m.missing {
		for k := range m.adjoints {
			m.adjoints[k][i] = 0
		}
	}
	if len(m.startParams) > 0 {
		m.pullStarts(grad)
	}
}

// scanBack is the reverse of scan: values become the adjoints of the starts.
func scanBack(adjoint, a, pull []float64, begins []int, values []float64) {
	for s, from := range begins[:len(begins)-1] {
		to := begins[s+1]
		x := 0.0
		adjoint, a, pull := adjoint[from:to], a[from:to], pull[from:to]
		for i := len(adjoint) - 1; i >= 0; i-- {
			adjoint[i] = x
			x = pull[i] + a[i]*x
		}
		values[s] = x
	}
}

// combineBack is the reverse of combine, and of walk.
func (m *mapping) combineBack() {
	clear(m.x)
	for k := range m.at {
		m.at[k] = len(m.begins[k]) - 2
	}
	for i := m.n - 1; i >= 0; i-- {
		for k := range m.y {
			m.adjoints[k][i] = m.x[k]
			m.y[k] = m.pulls[k][i]
		}
		for e, at := range m.bound.next.entries {
			m.y[at.column] += m.jacobian[e][i] * m.x[at.row]
		}
		m.x, m.y = m.y, m.x
		for k := range m.x {
			if s := m.at[k]; s >= 0 && m.begins[k][s] == i {
				m.begun[k][s] = m.x[k]
				m.x[k] = 0
				m.at[k]--
			}
		}
	}
}

// pullStarts adds what comes through the values of the states at their starts.
func (m *mapping) pullStarts(grad [][]float64) {
	m.startSlopes.begin(m.inputs)
	for r, at := range m.startParams {
		rows := m.begins[at.row]
		g := grad[at.column]
		for s, i := range rows[:len(rows)-1] {
			x := m.begun[at.row][s] * m.startAt(m.startSlopes, r, i)
			if len(g) == 1 {
				g[0] += x
			} else {
				g[i] += x
			}
		}
	}
}

// inOrder puts bars in the order of rows, and gives room for the gradient there.
func (m *mapping) inOrder(bars, grad [][]float64) (inRows, own [][]float64) {
	for k, x := range bars {
		m.bars[k] = m.bars[k][:m.n]
		if len(x) == m.n {
			for row, i := range m.order {
				m.bars[k][row] = x[i]
			}
		} else {
			m.bars[k] = append(m.bars[k][:0], x...)
		}
	}
	for j := range grad {
		m.grads[j] = m.grads[j][:len(grad[j])]
		clear(m.grads[j])
	}
	return m.bars, m.grads
}

// outOfOrder adds the gradient of the rows to that of the trials.
func (m *mapping) outOfOrder(grad [][]float64) {
	for j, g := range m.grads {
		if len(grad[j]) != m.n {
			add(grad[j], g)
			continue
		}
		for row, i := range m.order {
			grad[j][i] += g[row]
		}
	}
}
