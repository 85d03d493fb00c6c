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
}

// bind divides the trials into blocks and binds each.
//
// Trials with the same linear predictors share a block: those of a participant, if participants are all that parameters depend
// on. A parameter that the likelihood takes as a linear combination (see [engine.Binder.Linear]) may differ from trial to trial
// within a block.
func (s *Study) bind(b *engine.Binder) error {
	free := b.Linear()
	cells := make([][]int, len(s.params))
	for i, l := range s.params {
		if i != free || !l.varies {
			cells[i] = s.cells(l, &s.predictors)
		}
	}
	for _, rows := range partition(cells, s.data.Table.Rows) {
		if err := s.bindBlock(b, free, cells, rows); err != nil {
			return err
		}
	}
	return nil
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
	write := func(c combination) {
		for k, column := range c.columns {
			key = binary.LittleEndian.AppendUint64(key, uint64(column))
			key = binary.LittleEndian.AppendUint64(key, math.Float64bits(c.values[k]))
		}
		key = append(key, '|')
	}
	key = binary.LittleEndian.AppendUint64(key, math.Float64bits(l.offsetOf(row)))
	write(rowOf(&l.inside, row))
	if outside {
		write(rowOf(&l.outside, row))
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

// bindBlock binds the trials of rows.
func (s *Study) bindBlock(b *engine.Binder, free int, cells [][]int, rows []int) error {
	columns, choice := s.data.of(rows)
	var out block
	var err error
	for i := range s.params {
		if cells[i] != nil {
			out.inputs = append(out.inputs, cells[i][rows[0]])
		}
	}
	if free >= 0 && cells[free] == nil {
		inputs, values := s.linearInputs(s.params[free], rows)
		out.inputs = slices.Insert(out.inputs, free, inputs...)
		out.lik, err = b.BindLinear(columns, choice, values)
	} else {
		out.lik, err = b.Bind(columns, choice)
	}
	if err != nil {
		return fmt.Errorf("hierarchy: %w", err)
	}
	s.blocks = append(s.blocks, out)
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
