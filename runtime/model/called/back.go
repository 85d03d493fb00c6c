package called

import (
	"likc/runtime/num/vec"
)

// Back adds the derivatives with respect to the model's parameters to grad. bars holds the derivatives with respect to the outputs.
func (m *mapping) Back(bars, grad [][]float64) {
	own := grad
	if m.order != nil {
		bars, own = m.inOrder(bars, grad)
	}
	varyingIndex := 0
	fixedIndex := len(m.varying.s.roots)
	for k, kind := range m.kinds {
		switch kind {
		case itself:
			add(own[m.copies[k]], bars[k])
		case varying:
			m.inputs[m.bound.inputs.bars+varyingIndex] = bars[k]
			varyingIndex++
		default:
			bar := bars[k]
			if _, shared := m.fixed.shared(fixedIndex - len(m.varying.s.roots)); shared && len(bar) != 1 {
				m.ones[k] = vec.Sum(bar)
				bar = m.ones[k : k+1]
			}
			m.inputs[m.bound.inputs.bars+fixedIndex] = bar
			fixedIndex++
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

// add adds x to a gradient element by element; if the gradient has one element, it adds the sum of x.
func add(grad, x []float64) {
	if len(grad) == 1 {
		grad[0] += vec.Sum(x)
		return
	}
	for i := range grad {
		grad[i] += x[i]
	}
}

// addRows does the same as add, where x holds the rows from `from` on.
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

// pullArguments adds the derivatives through the arguments, and through the parameters of the states' updates.
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
			for i := range grad[at.column] { // one element, because an output that all rows share depends on shared parameters
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

// pull computes the adjoints of the states, from the last trial to the first, and adds the derivatives through their starting
// values.
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
	if a.diagonal {
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

// scanBack is the reverse of scan. On return, values holds the derivatives with respect to the starting values.
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

// pullStarts adds the derivatives through the starting values of the states.
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
