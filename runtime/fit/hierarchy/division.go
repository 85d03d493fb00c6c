package hierarchy

import (
	"encoding/binary"
	"math"
	"slices"

	"likc/runtime/model/engine"
)

// mostBlocks is the number of blocks from which on rows are evaluated one by one: those of fewer than eight trials each.
func mostBlocks(trials int) int { return max(8, trials/8) }

// division says how each parameter enters the likelihood of a block.
type division struct {
	binder *engine.Binder
	free   int     // the parameter that is a linear combination; -1 for none
	wide   []*wide // of parameters that are columns
	cells  [][]int // of parameters that are one number: the predictor of each row
}

// plain reports whether each parameter of a block is one number.
func (d *division) plain() bool {
	return d.free < 0 && !slices.ContainsFunc(d.wide, func(w *wide) bool { return w != nil })
}

// cells adds the distinct predictors of a parameter, and returns that of each row.
func (s *Study) cells(l *linear, to *predictors) []int {
	known, all := map[string]int{}, make([]int, s.data.Table.Rows)
	var first []int // the first row of each
	var key []byte
	for row := range all {
		key = l.key(key[:0], row, true)
		at, ok := known[string(key)]
		if !ok {
			at = len(known)
			known[string(key)], first = at, append(first, row)
		}
		all[row] = at
	}
	index := make([]int, len(known))
	for at, row := range first {
		index[at] = to.add(rowOf(&l.inside, row), rowOf(&l.outside, row), l.offsetOf(row), l.inverse(row))
	}
	for row, at := range all {
		all[row] = index[at]
	}
	return all
}

// key appends what tells the predictor of a row from others, with what is outside the link or without.
func (l *linear) key(key []byte, row int, outside bool) []byte {
	key = binary.LittleEndian.AppendUint64(key, math.Float64bits(l.offsetOf(row)))
	key = append(rowOf(&l.inside, row).key(l.endsKey(key, row)), '|')
	if outside {
		key = rowOf(&l.outside, row).key(key)
	}
	return key
}

// endsKey appends what tells the ends of a row's link from those of others.
func (l *linear) endsKey(key []byte, row int) []byte {
	if l.by == nil {
		return key
	}
	return binary.LittleEndian.AppendUint64(key, uint64(l.by.index[row]))
}

// key appends the combination.
func (c combination) key(key []byte) []byte {
	for k, column := range c.columns {
		key = binary.LittleEndian.AppendUint64(key, uint64(column))
		key = binary.LittleEndian.AppendUint64(key, math.Float64bits(c.values[k]))
	}
	return key
}

func (l *linear) offsetOf(row int) float64 {
	if l.offset == nil {
		return 0
	}
	return l.offset[row]
}

// partition groups the rows that are in the same cells, in the order in which they come; a nil slice of cells tells none apart.
func partition(cells [][]int, n int) [][]int {
	known, key := map[string]int{}, []byte(nil)
	var all [][]int
	for row := range n {
		key = key[:0]
		for _, c := range cells {
			if c != nil {
				key = binary.LittleEndian.AppendUint64(key, uint64(c[row]))
			}
		}
		at, ok := known[string(key)]
		if !ok {
			at = len(all)
			known[string(key)] = at
			all = append(all, nil)
		}
		all[at] = append(all[at], row)
	}
	return all
}
