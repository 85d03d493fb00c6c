package frame

import (
	"math"
	"math/bits"

	"likc/runtime/model/kernel"
)

// Groups divides rows, each of which is a trial, into groups with the same parameters, except for the onset. So one pass through the
// networks serves a whole group. It is the working memory of one evaluation, and must not be used concurrently.
type Groups struct {
	Theta []float64 // parameters of the current group, with the onset of its first row

	frame *Frame
	table []int32 // hash table of the groups' numbers plus 1; 0 marks a free slot
	first []int32 // for each group, its first row
	last  []int32 // for each group, its last row so far
	next  []int32 // for each row, the next row of its group, -1 after the last
}

// NewGroups returns the memory for n rows.
func (f *Frame) NewGroups(n int) *Groups {
	size := 4 << bits.Len(uint(n))
	return &Groups{Theta: make([]float64, f.Model.Dim()), frame: f, table: make([]int32, size),
		first: make([]int32, 0, n), last: make([]int32, 0, n), next: make([]int32, n)}
}

// Find finds the groups of rows, whose parameters are theta as in [kernel.Rows], and returns how many there are. They are
// numbered in the order of their first rows.
func (g *Groups) Find(theta [][]float64) int {
	g.first, g.last = g.first[:0], g.last[:0]
	clear(g.table)
	shared := true
	for _, j := range g.frame.inputs {
		shared = shared && len(theta[j]) == 1
	}
	for i := range g.next {
		at := 0
		if !shared || i == 0 {
			at = g.number(theta, i)
		}
		g.next[i] = -1
		if at == len(g.first) {
			g.first, g.last = append(g.first, int32(i)), append(g.last, int32(i))
			continue
		}
		g.next[g.last[at]] = int32(i)
		g.last[at] = int32(i)
	}
	return len(g.first)
}

// number returns the number of row i's group. For the first row of a new group, this is the number of groups so far.
func (g *Groups) number(theta [][]float64, i int) int {
	hash := uint64(0)
	for _, j := range g.frame.inputs {
		hash = (hash ^ math.Float64bits(kernel.At(theta[j], i))) * 0x9e3779b97f4a7c15
		hash ^= hash >> 32
	}
	for slot := int(hash) & (len(g.table) - 1); ; slot = (slot + 1) & (len(g.table) - 1) {
		switch at := int(g.table[slot]) - 1; {
		case at < 0:
			g.table[slot] = int32(len(g.first) + 1)
			return len(g.first)
		case g.same(theta, int(g.first[at]), i):
			return at
		}
	}
}

// same reports whether two rows have bitwise equal parameters, except for the onset.
func (g *Groups) same(theta [][]float64, i, k int) bool {
	for _, j := range g.frame.inputs {
		if math.Float64bits(kernel.At(theta[j], i)) != math.Float64bits(kernel.At(theta[j], k)) {
			return false
		}
	}
	return true
}

// Rows sets Theta to the parameters of group k and returns its first row; Next returns the following rows.
func (g *Groups) Rows(theta [][]float64, k int) (first int) {
	first = int(g.first[k])
	for j := range g.Theta {
		g.Theta[j] = kernel.At(theta[j], first)
	}
	return first
}

// Next returns the row of the group after row i, -1 after the last.
func (g *Groups) Next(i int) int { return int(g.next[i]) }

// OnsetOf returns row i's onset, in seconds; 0 for a process without one.
func (f *Frame) OnsetOf(theta [][]float64, i int) float64 {
	switch {
	case f.onset < 0:
		return 0
	case f.width < 0:
		return kernel.At(theta[f.onset], i)
	}
	return kernel.At(theta[f.onset], i) - kernel.At(theta[f.width], i)/2
}

// OnsetIndex returns the index of the onset among the parameters, -1 for a process without one. The onset moves all response times by as
// much as it changes, and is no input of networks.
func (f *Frame) OnsetIndex() int { return f.onset }
