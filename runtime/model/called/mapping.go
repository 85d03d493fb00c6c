package called

import (
	"slices"
)

// mapping is the working memory of one evaluation.
type mapping struct {
	*bound
	inputs [][]float64 // the inputs of the sheets
	theta  [][]float64 // the model's parameters, in the order of rows
	out    [][]float64 // the outputs, the arguments of the called density
	values [][]float64 // for each output that is not a parameter: its value at each row
	first  []float64   // for each output that all rows share: its value

	starts, varying, fixed, next, nextSlopes, pulled, slopes, fixedSlopes, startSlopes *space

	states   [][]float64 // states before each trial
	jacobian [][]float64 // for each entry of the Jacobian, its value at each row
	shifts   [][]float64 // b of linear states; for others, the values that the program needs
	adjoints [][]float64 // ν, the adjoints of the states after each trial; see the package comment
	pulls    [][]float64 // β, the derivatives through each trial's own arguments
	begun    [][]float64 // for each state: the value at each start, then its adjoint
	memory   []float64   // memory of the program
	x, y     []float64   // one number for each state
	at       []int       // for each state: the index in begins of the next row at which it starts again

	ordered, grads, scattered [][]float64 // parameters and gradients in the order of rows, outputs in the order of trials; nil if both orders are the same
	bars                      [][]float64 // bars, the derivatives with respect to the outputs, in the order of rows
	ones                      []float64   // for each output: a sum of bars
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

// room returns memory for the value of output k at each row.
func (m *mapping) room(k int) []float64 {
	if m.values[k] == nil {
		m.values[k] = make([]float64, m.n)
	}
	return m.values[k]
}

// write computes the outputs of the rows from `from` to to-1.
func (m *mapping) write(from, to int) {
	varyingIndex, fixedIndex := 0, 0
	if len(m.varying.s.roots) > 0 {
		m.varying.rows(from, to)
	}
	fixedDone := false
	for k, kind := range m.kinds {
		switch {
		case kind == varying:
			copy(m.values[k][from:to], m.varying.root(varyingIndex))
			varyingIndex++
		case kind == fixed:
			if _, shared := m.fixed.shared(fixedIndex); !shared {
				if !fixedDone {
					m.fixed.rows(from, to)
					fixedDone = true
				}
				copy(m.values[k][from:to], m.fixed.root(fixedIndex))
			}
			fixedIndex++
		}
	}
}
