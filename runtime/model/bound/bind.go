package bound

import (
	"fmt"
	"slices"

	"likc/runtime/model/kernel"
)

// Bind binds trials to the model. Columns are in the model's order, all of one length; the choice is nil for a model without choice. Bind
// copies the data. The design says how parameters depend on coefficients. With the zero design, the coefficients are the parameters.
func (p *Prepared) Bind(t kernel.Trials, of Design) (*Bound, error) {
	if err := p.check(t); err != nil {
		return nil, err
	}
	flat := of.Params == nil
	if flat {
		of = Numbers(p.Dim())
	}
	if len(of.Params) != p.Dim() {
		return nil, fmt.Errorf("%s: a design of %d parameters, want %d", p.Model.Name, len(of.Params), p.Dim())
	}
	b, err := p.bind(t, of)
	if err != nil {
		return nil, err
	}
	if one := &b.pieces[0]; flat && len(b.pieces) == 1 && one.sum != nil && one.mapped == nil {
		b.bare = one.sum
	}
	return b, nil
}

// bind chooses a plan, which is a way to evaluate the trials, and binds the trials by it.
func (p *Prepared) bind(t kernel.Trials, of Design) (*Bound, error) {
	b := &Bound{prepared: p, dim: of.Coefficients, design: of, trials: t.Clone()}
	a, d := abilitiesOf(p.kernel), newDivision(b.trials, of.Params)
	var blocks [][]int
	b.plan, blocks = choose(a, p.inner, d)
	b.blocks = len(blocks)
	if b.plan == together {
		if err := b.bindTogether(a, d, blocks); err != nil {
			return nil, err
		}
	} else {
		for _, numbers := range blocks {
			if err := b.bindBlock(a, d, numbers); err != nil {
				return nil, err
			}
		}
	}
	b.predictors = d.predictors
	b.spaces.New = func() any { return b.newSpace() }
	return b, nil
}

// check returns an error for columns that do not fit the model.
func (p *Prepared) check(t kernel.Trials) error {
	m, n := p.Model, t.N()
	restart := p.inner != nil && p.inner.Stateful() // columns that restart states come after the other columns
	if len(t.Columns) < len(m.Trials) || len(t.Columns) > len(m.Trials) && !restart {
		return fmt.Errorf("%s: %d columns for %d trial columns", m.Name, len(t.Columns), len(m.Trials))
	}
	if t.Choice == nil && m.Choice != "" || t.Choice != nil && len(t.Choice) != n {
		return fmt.Errorf("%s: %d choices for %d trials", m.Name, len(t.Choice), n)
	}
	for _, c := range t.Columns {
		if len(c) != n {
			return fmt.Errorf("%s: trial columns of %d and %d trials", m.Name, n, len(c))
		}
	}
	return nil
}

// Dim returns the number of the model's parameters.
func (p *Prepared) Dim() int { return len(p.Model.Params) }

// bindTogether binds all blocks as one piece. A block is a group of trials with the same parameters; a piece is a part of the
// log-likelihood that is evaluated separately.
func (b *Bound) bindTogether(a abilities, d *division, blocks [][]int) (err error) {
	whole := piece{trials: d.whole()[0], times: 1}
	all := make([]kernel.Trials, len(blocks))
	for k, numbers := range blocks {
		all[k] = d.trials.At(numbers)
		for _, cells := range d.cells {
			whole.inputs = append(whole.inputs, cellOf(cells, numbers[0]))
		}
	}
	whole.sum, err = a.blocks.SumBlocks(all)
	b.pieces = append(b.pieces, whole)
	return err
}

// bindBlock binds a block as one piece, or as a few if there are equal trials without a response.
func (b *Bound) bindBlock(a abilities, d *division, numbers []int) (err error) {
	block := piece{trials: numbers, times: 1}
	t := d.trials
	if len(numbers) < d.n {
		t = d.trials.At(numbers)
	}
	if m := b.prepared.inner; m != nil {
		if block.mapped, err = m.Bind(t); err != nil {
			return err
		}
	}
	if b.plan == byRows {
		return b.bindRows(d, block, t)
	}
	var combinations *kernel.Combinations
	var x [][][]float64
	if b.plan == columns {
		x, b.counts = make([][][]float64, len(d.params)), make([]int, len(d.params))
	}
	for k := range d.params {
		var inputs []int
		switch {
		case k == d.free:
			inputs, combinations = d.params[k].combined(&d.predictors, numbers)
		case d.wide[k] != nil:
			inputs, x[k] = d.wide[k].inputs(&d.predictors, numbers)
			b.counts[k] = len(x[k])
		case len(numbers) == 0:
			inputs = d.cells[k]
		default:
			inputs = []int{cellOf(d.cells[k], numbers[0])}
		}
		block.inputs = append(block.inputs, inputs...)
	}
	return b.bindSums(block, t, x, func(t kernel.Trials, x [][][]float64) (kernel.Sum, error) {
		switch b.plan {
		case combined:
			return a.combine.SumCombined(t, combinations)
		case columns:
			return a.columns.SumColumns(t, x)
		}
		return a.sum.Sum(t)
	})
}

// bindSums binds the trials of a block. Equal trials without a response are evaluated only a few times; see silence. Part k counts 2^k
// times: it holds one trial of each set of equal trials whose number has bit k set. x[j] holds the columns on which parameter j depends
// linearly, one number a trial; it is nil unless the plan is columns.
func (b *Bound) bindSums(block piece, t kernel.Trials, x [][][]float64, bind func(kernel.Trials, [][][]float64) (kernel.Sum, error)) (err error) {
	if block.sum, err = bind(t, x); err != nil {
		return err // the error names an invalid trial by its number in the block
	}
	parts := [][]int{nil}
	if b.prepared.silence != nil {
		parts = b.prepared.silence.parts(t, x)
	}
	if len(parts) == 1 {
		b.pieces = append(b.pieces, block)
		return nil
	}
	for k, numbers := range parts {
		if len(numbers) == 0 {
			continue
		}
		own := make([][][]float64, len(x))
		for j := range x {
			for _, column := range x[j] {
				own[j] = append(own[j], at(column, numbers))
			}
		}
		part := block
		part.times, part.trials = float64(uint64(1)<<k), at(block.trials, numbers)
		if part.sum, err = bind(t.At(numbers), own); err != nil {
			return err
		}
		b.pieces = append(b.pieces, part)
	}
	return nil
}

// at returns the elements with the given indices.
func at[E any](from []E, numbers []int) []E {
	to := make([]E, len(numbers))
	for k, i := range numbers {
		to[k] = from[i]
	}
	return to
}

// bindRows binds a block row by row: each trial may have parameters of its own.
func (b *Bound) bindRows(d *division, block piece, t kernel.Trials) (err error) {
	if block.rows, err = b.prepared.kernel.Rows(t); err != nil {
		return err
	}
	block.weight = t.Weight
	known := map[int]int{}
	for _, cells := range d.cells {
		own := cells
		if len(cells) > 1 {
			own = at(cells, block.trials)
		}
		if own = slices.Clone(own); differing(own) == 1 {
			own = own[:1]
		}
		for i, predictor := range own {
			at, ok := known[predictor]
			if !ok {
				at = len(block.inputs)
				known[predictor], block.inputs = at, append(block.inputs, predictor)
			}
			own[i] = at
		}
		block.cells = append(block.cells, own)
	}
	b.pieces = append(b.pieces, block)
	return nil
}
