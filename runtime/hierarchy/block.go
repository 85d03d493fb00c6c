package hierarchy

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"likc/runtime/engine"
	"likc/runtime/likelihood"
)

// block is trials whose log-likelihood is one function of some predictors.
type block struct {
	lik    likelihood.Likelihood
	inputs []int // a predictor for each parameter of lik
	trials int
	parts  int // blocks of trials that are evaluated together
}

// bind divides the trials into blocks and binds each.
//
// Trials with the same linear predictors share a block: those of a participant, if parameters depend on participants alone. Where
// the likelihood takes linear combinations, a parameter may differ within a block: one parameter of an exact density
// ([engine.Binder.BindLinear]), any of an expression ([engine.Binder.BindColumns]). If blocks would still hold few trials each, all
// trials are one block that is evaluated row by row.
func (s *Study) bind(b *engine.Binder) error {
	d := &division{binder: b, free: -1, wide: make([]*wide, len(s.params)), cells: make([][]int, len(s.params))}
	for i, l := range s.params {
		switch {
		case !l.varies:
		case i == b.Linear():
			d.free = i
		case b.TakesColumns():
			d.wide[i] = l.asWide()
		}
	}
	keys := make([][]int, len(s.params))
	for i, l := range s.params {
		switch {
		case i == d.free:
		case d.wide[i] != nil:
			keys[i] = d.wide[i].cells(s.Trials())
		default:
			d.cells[i] = s.cells(l, &s.predictors)
			keys[i] = d.cells[i]
		}
	}
	blocks := partition(keys, s.Trials())
	if len(blocks) > mostBlocks(s.Trials()) {
		for i, l := range s.params {
			if d.cells[i] == nil {
				d.cells[i] = s.cells(l, &s.predictors)
			}
		}
		return s.bindRows(b, d.cells)
	}
	if d.plain() && b.TakesBlocks() {
		return s.bindTogether(d, blocks)
	}
	for _, rows := range blocks {
		if err := s.bindBlock(d, rows); err != nil {
			return err
		}
	}
	return nil
}

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
	members := map[int][]int{}
	var key []byte
	for row := range all {
		key = l.key(key[:0], row, true)
		at, ok := known[string(key)]
		if !ok {
			at = len(known)
			known[string(key)] = at
		}
		all[row] = at
		members[at] = append(members[at], row)
	}
	index := make([]int, len(known))
	for at := range index {
		row := members[at][0]
		index[at] = to.add(rowOf(&l.inside, row), rowOf(&l.outside, row), l.offsetOf(row), s.inverse(l, members[at]))
	}
	for row, at := range all {
		all[row] = index[at]
	}
	return all
}

// key appends what tells the predictor of a row from others, with what is outside the link or without.
func (l *linear) key(key []byte, row int, outside bool) []byte {
	key = binary.LittleEndian.AppendUint64(key, math.Float64bits(l.offsetOf(row)))
	key = append(rowOf(&l.inside, row).key(key), '|')
	if outside {
		key = rowOf(&l.outside, row).key(key)
	}
	return key
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

// inverse is the inverse link of a parameter for some trials: a logit ends where the model's support does for them, as
// non-decision time does at the fastest.
func (s *Study) inverse(l *linear, rows []int) inverse {
	if l.link != Logit {
		return inverse{link: l.link}
	}
	columns, choice := s.data.of(rows)
	low, high := l.Lower, l.Upper
	if params, err := s.model.Parameters(nil, columns, choice); err == nil {
		low, high = params[l.index].Lower, params[l.index].Upper
	}
	return inverse{Logit, low, high - low}
}

// of copies out trials.
func (d *Data) of(rows []int) (columns [][]float64, choice []float64) {
	pick := func(from []float64) []float64 {
		to := make([]float64, len(rows))
		for i, row := range rows {
			to[i] = from[row]
		}
		return to
	}
	for _, c := range d.Columns {
		columns = append(columns, pick(c))
	}
	if d.Choice != nil {
		choice = pick(d.Choice)
	}
	return columns, choice
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

// bindTogether binds all blocks as one.
func (s *Study) bindTogether(d *division, rows [][]int) error {
	out := block{trials: s.Trials(), parts: len(rows)}
	blocks := make([]likelihood.Block, len(rows))
	for k := range rows {
		columns, choice := s.data.of(rows[k])
		blocks[k] = likelihood.Block{RT: columns[0], Choice: choice}
		for _, cells := range d.cells {
			out.inputs = append(out.inputs, cells[rows[k][0]])
		}
	}
	var err error
	if out.lik, err = d.binder.BindBlocks(blocks); err != nil {
		return fmt.Errorf("hierarchy: %w", err)
	}
	s.blocks, s.counts = append(s.blocks, out), make([]int, len(d.cells))
	return nil
}

// bindBlock binds the trials of rows.
func (s *Study) bindBlock(d *division, rows []int) error {
	columns, choice := s.data.of(rows)
	out := block{trials: len(rows), parts: 1}
	var values *likelihood.Combinations
	x, wide := make([][][]float64, len(s.params)), false
	for i := range s.params {
		var inputs []int
		switch {
		case i == d.free:
			inputs, values = s.linearInputs(s.params[i], rows)
		case d.wide[i] != nil:
			inputs, x[i] = s.wideInputs(d.wide[i], rows)
			wide = true
		default:
			inputs = []int{d.cells[i][rows[0]]}
		}
		out.inputs = append(out.inputs, inputs...)
	}
	var err error
	switch {
	case values != nil:
		out.lik, err = d.binder.BindLinear(columns, choice, values)
	case wide:
		out.lik, err = d.binder.BindColumns(columns, choice, x)
	default:
		out.lik, err = d.binder.Bind(columns, choice)
	}
	if err != nil {
		return fmt.Errorf("hierarchy: %w", err)
	}
	s.blocks, s.counts = append(s.blocks, out), make([]int, len(x))
	for i := range x {
		s.counts[i] = len(x[i])
	}
	return nil
}

// linearInputs writes the parameter at each row as a linear combination of predictors: coefficients themselves with the identity
// link, else the distinct linear predictors behind the link and the coefficients outside it.
func (s *Study) linearInputs(l *linear, rows []int) (inputs []int, values *likelihood.Combinations) {
	values = &likelihood.Combinations{}
	known := map[string]int{}
	input := func(key string, add func() int) int {
		at, ok := known[key]
		if !ok {
			at = len(inputs)
			known[key] = at
			inputs = append(inputs, add())
		}
		return at
	}
	members := map[string][]int{}
	if l.link != Identity {
		for _, row := range rows {
			key := string(l.key(nil, row, false))
			members[key] = append(members[key], row)
		}
	}
	for _, row := range rows {
		var entry combination
		take := func(c combination) {
			for k, column := range c.columns {
				at := input(fmt.Sprint(column), func() int { return s.predictors.add(only(column), combination{}, 0, inverse{link: Identity}) })
				entry.columns, entry.values = append(entry.columns, at), append(entry.values, c.values[k])
			}
		}
		if l.link == Identity {
			take(rowOf(&l.inside, row))
			if x := l.offsetOf(row); x != 0 {
				at := input("1", func() int { return s.predictors.add(combination{}, combination{}, 1, inverse{link: Identity}) })
				entry.columns, entry.values = append(entry.columns, at), append(entry.values, x)
			}
		} else {
			key := string(l.key(nil, row, false))
			at := input(key, func() int {
				return s.predictors.add(rowOf(&l.inside, row), combination{}, l.offsetOf(row), s.inverse(l, members[key]))
			})
			entry.columns, entry.values = append(entry.columns, at), append(entry.values, 1)
		}
		take(rowOf(&l.outside, row))
		values.Append(entry.columns, entry.values)
	}
	values.Columns = len(inputs)
	return inputs, values
}
