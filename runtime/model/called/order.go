package called

import (
	"slices"
)

// byPerson returns the trials ordered by participant; nil if they already are.
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

// gathered returns x in the given order; x itself if order is nil.
func gathered(x []float64, order []int) []float64 {
	if order == nil || x == nil {
		return x
	}
	out := make([]float64, len(x))
	for row, i := range order {
		out[row] = x[i]
	}
	return out
}

// gathered32 does the same for participants' numbers.
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

// scatter copies the outputs from the order of rows to the order of trials.
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

// inOrder copies the bars, which are the adjoints of the outputs, to the order of rows. It also returns
// memory for the gradient in that order, set to 0.
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

// outOfOrder adds the gradient in the order of rows, m.grads, to grad, which is in the order of trials.
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
