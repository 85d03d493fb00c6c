package hierarchy

import (
	"fmt"

	"likc/runtime/model/engine"
	"likc/runtime/model/kernel"
)

// block is trials whose log-likelihood is one function of some predictors.
type block struct {
	lik    kernel.Sum
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

// bindTogether binds all blocks as one.
func (s *Study) bindTogether(d *division, rows [][]int) error {
	out := block{trials: s.Trials(), parts: len(rows)}
	blocks := make([]kernel.Trials, len(rows))
	for k := range rows {
		columns, choice := s.data.of(rows[k])
		blocks[k] = kernel.Trials{Columns: columns, Choice: choice}
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
	var values *kernel.Combinations
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
func (s *Study) linearInputs(l *linear, rows []int) (inputs []int, values *kernel.Combinations) {
	w := &inputWriter{study: s, known: map[string]int{}}
	values = &kernel.Combinations{}
	for _, row := range rows {
		w.entry = combination{}
		if l.link == Identity {
			w.addCoefficients(rowOf(&l.inside, row))
			if x := l.offsetOf(row); x != 0 {
				w.add("offset", x, func() int { return s.predictors.add(combination{}, combination{}, 1, inverse{link: Identity}) })
			}
		} else {
			key := string(l.key(nil, row, false))
			w.add(key, 1, func() int {
				return s.predictors.add(rowOf(&l.inside, row), combination{}, l.offsetOf(row), l.inverse(row))
			})
		}
		w.addCoefficients(rowOf(&l.outside, row))
		values.Append(w.entry.columns, w.entry.values)
	}
	values.Columns = len(w.inputs)
	return w.inputs, values
}

// inputWriter writes a parameter, row by row, as linear combinations of predictors, each of which is an input once.
type inputWriter struct {
	study  *Study
	inputs []int          // predictors
	known  map[string]int // the places of inputs, by "offset", the number of a coefficient, or the key of a linear predictor
	entry  combination    // of the row under way
}

// add adds a value times an input, which predictor makes where the key is new.
func (w *inputWriter) add(key string, value float64, predictor func() int) {
	at, ok := w.known[key]
	if !ok {
		at = len(w.inputs)
		w.known[key] = at
		w.inputs = append(w.inputs, predictor())
	}
	w.entry.columns, w.entry.values = append(w.entry.columns, at), append(w.entry.values, value)
}

// addCoefficients adds a combination of coefficients, each an input of its own.
func (w *inputWriter) addCoefficients(c combination) {
	for k, column := range c.columns {
		w.add(fmt.Sprint(column), c.values[k], func() int {
			return w.study.predictors.add(only(column), combination{}, 0, inverse{link: Identity})
		})
	}
}
