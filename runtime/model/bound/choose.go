package bound

import (
	"slices"

	"likc/runtime/model/kernel"
)

// plan is the way in which trials are bound to a kernel.
type plan uint8

// Trials with the same predictors share a block, into which each parameter enters as one number, unless the plan says otherwise.
const (
	eachBlock plan = iota // a sum of the kernel for each block
	together              // one sum of the kernel for all blocks
	combined              // one parameter differs within blocks, as a linear combination of coefficients
	columns               // parameters differ within blocks, by columns of data with many values
	byRows                // trial by trial: blocks would be small, or the kernel has no sum
)

func (p plan) String() string {
	return [...]string{"a sum a block", "all blocks together", "a linear combination", "columns", "row by row"}[p]
}

// abilities are the ways to evaluate a kernel, besides rows; nil for a way that it does not have.
type abilities struct {
	sum      kernel.Summer
	blocks   kernel.Blocker
	combine  kernel.Combiner
	combined int // the parameter that may be a linear combination; -1 for none
	columns  kernel.Columner
}

func abilitiesOf(k kernel.Kernel) (a abilities) {
	a.sum, _ = k.(kernel.Summer)
	a.blocks, _ = k.(kernel.Blocker)
	a.columns, _ = k.(kernel.Columner)
	a.combined = -1
	if c, ok := k.(kernel.Combiner); ok {
		a.combine, a.combined = c, c.Combined()
	}
	return a
}

// choose returns the plan, and the trials of each block.
func choose(a abilities, m kernel.Map, d *division) (plan, [][]int) {
	each := false
	if m != nil {
		for k := range m.Out() {
			_, varies := m.Depends(k)
			each = each || varies
		}
	}
	for k := range d.params {
		switch p := &d.params[k]; {
		case m != nil || p.alike():
		case k == a.combined:
			d.free = k
		case a.columns != nil:
			d.wide[k] = p.asWide()
		}
	}
	isWide := slices.ContainsFunc(d.wide, func(w *wide) bool { return w != nil })
	blocks := d.blocks()
	switch {
	case m != nil && m.Stateful():
		return byRows, d.persons()
	case a.sum == nil || each || d.trials.Weight != nil || len(blocks) > mostBlocks(d.n):
		return byRows, d.coarse()
	case d.free >= 0:
		return combined, blocks
	case isWide:
		return columns, blocks
	case m == nil && a.blocks != nil && len(blocks) > 1:
		return together, blocks
	}
	return eachBlock, blocks
}

// mostBlocks returns the largest number of blocks. More blocks would have fewer than eight trials on average; then rows are evaluated
// one by one instead.
func mostBlocks(trials int) int { return max(8, trials/8) }

// division says how each parameter of a model enters the blocks of trials.
type division struct {
	trials     kernel.Trials
	n          int         // number of trials
	params     []Predictor // each parameter as a function of the trials
	predictors Predictors  // the values that are computed from coefficients
	free       int         // the parameter that differs within blocks as a linear combination, in the plan combined; -1 for none
	wide       []*wide     // for each parameter, its columns of data with many values; nil if it has none
	cells      [][]int     // for each parameter that is one number in a block: the predictor of each trial, or one for all trials; nil for other parameters
}

func newDivision(t kernel.Trials, params []Predictor) *division {
	return &division{trials: t, n: t.N(), params: params, free: -1, wide: make([]*wide, len(params)), cells: make([][]int, len(params))}
}

// blocks groups the trials by the predictors of all parameters, except for the free parameter and for columns of parameters that
// have them.
func (d *division) blocks() [][]int {
	keys := make([][]int, len(d.params))
	for k := range d.params {
		switch {
		case k == d.free:
		case d.wide[k] != nil:
			keys[k] = d.wide[k].cells(d.n)
		default:
			d.cells[k] = d.params[k].cells(&d.predictors, d.n)
			keys[k] = d.cells[k]
		}
	}
	return partition(keys, d.n)
}

// whole returns one block of all trials.
func (d *division) whole() [][]int {
	for k := range d.params {
		if d.cells[k] == nil {
			d.cells[k] = d.params[k].cells(&d.predictors, d.n)
		}
	}
	return partition(nil, d.n)
}

// coarse groups the trials into blocks that share those parameters which have the same value in many trials. A kernel may then
// compute once for a block what depends only on shared parameters.
func (d *division) coarse() [][]int {
	all := d.whole()
	keys := make([][]int, len(d.cells))
	for k, cells := range d.cells {
		if differing(cells) <= mostBlocks(d.n) {
			keys[k] = cells
		}
	}
	if blocks := partition(keys, d.n); len(blocks) <= mostBlocks(d.n) {
		return blocks
	}
	return all
}

// persons groups the trials into blocks of whole participants that share parameters, because states go from trial to trial of a
// participant.
func (d *division) persons() [][]int {
	all := d.whole()
	var keys [][]int
	for _, cells := range d.cells {
		if len(cells) > 1 && d.trials.Person != nil && within(cells, d.trials.Person) {
			keys = append(keys, cells)
		}
	}
	if blocks := partition(keys, d.n); len(blocks) <= mostBlocks(d.n) {
		return blocks
	}
	return all
}

// within reports whether each participant has only one cell, which is a set of trials that share a parameter.
func within(cells []int, person []int32) bool {
	of := map[int32]int{}
	for i, p := range person {
		if c, known := of[p]; known && c != cells[i] {
			return false
		}
		of[p] = cells[i]
	}
	return true
}

// differing returns the number of different cells.
func differing(cells []int) int {
	seen := map[int]bool{}
	for _, c := range cells {
		seen[c] = true
	}
	return len(seen)
}
