package called

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
	if m.bound.next.diagonal {
		for k := range m.states {
			scan(m.states[k], m.jacobian[k], m.shifts[k], m.begins[k], m.begun[k])
		}
		return
	}
	m.combine()
}

// startAt returns the value, at a row, of one expression (root) of a sheet. The sheet depends only on parameters.
func (m *mapping) startAt(w *space, root, row int) float64 {
	if x, shared := w.shared(root); shared {
		return x
	}
	w.rows(row, row+1)
	return w.root(root)[0]
}

// stay sets the Jacobian to the identity for rows without a response, where states do not change.
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

// scan computes a state that depends on no other state, by s' = a·s + b from its starting values.
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

// setStarts sets the starting values of the states that start at row i.
func (m *mapping) setStarts(i int) {
	for k := range m.x {
		if m.begins[k][m.at[k]] == i {
			m.x[k] = m.begun[k][m.at[k]]
			m.at[k]++
		}
		m.states[k][i] = m.x[k]
	}
}

// combine computes linear states that depend on each other.
func (m *mapping) combine() {
	clear(m.at)
	for i := range m.n {
		m.setStarts(i)
		for k := range m.y {
			m.y[k] = m.shifts[k][i]
		}
		for e, at := range m.bound.next.entries {
			m.y[at.row] += m.jacobian[e][i] * m.x[at.column]
		}
		m.x, m.y = m.y, m.x
	}
}

// walk computes states that are not linear, trial by trial. run computes the states after a trial in m.memory.
func (m *mapping) walk(run func()) {
	clear(m.at)
	missing := m.missing
	for i := range m.n {
		m.setStarts(i)
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
