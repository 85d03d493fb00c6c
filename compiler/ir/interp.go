package ir

import (
	"fmt"
	"math"
	"sync"
)

// block is the number of trials for which the interpreter computes the Body at a time, so that their values stay in cache.
const block = 256

// Bound is a program with its Data stage computed for one set of trials. It is safe for concurrent use.
type Bound struct {
	p       *Program
	facts   Facts
	trials  []trials      // the trials of each group
	data    []float64     // the numbers of the Data stage, by ID
	scalars [2][]ID       // the numbers to compute, in order: for the value, and for value with gradient
	loops   [2][]Kernel   // the loop of each group: for the value, and for value with gradient
	tables  []groupTables // the tables of each group; nil without tables
	scratch sync.Pool

	inBlocks bool
	blocks   map[*Kernel]*blockLoop // the loops in the form that takes a block of trials at a time; nil without [InBlocks]
}

// What an evaluation computes: the log-likelihood only, or also its gradient.
const (
	forValue = iota
	forBoth
)

// trials holds the columns of a group: values of the Data stage that have one number for each trial, by ID.
type trials struct {
	n       int
	columns [][]float64
}

// Bind computes the Data stage for a set of trials. columns holds one slice for each trial column, in the program's order;
// choice is nil for a program without choice.
func Bind(p *Program, columns [][]float64, choice []float64, options ...Option) (*Bound, error) {
	if len(columns) != len(p.Trials) {
		return nil, fmt.Errorf("ir: %d columns for a model with %d trial columns", len(columns), len(p.Trials))
	}
	if (p.Choice != "") != (choice != nil) {
		return nil, fmt.Errorf("ir: the choice column does not match the model")
	}
	if len(p.Tables) > 0 {
		p = p.Unrolled()
	}
	n := len(choice)
	if len(columns) > 0 {
		n = len(columns[0])
	}
	for _, c := range append([][]float64{choice}, columns...) {
		if c != nil && len(c) != n {
			return nil, fmt.Errorf("ir: columns of %d and %d trials", n, len(c))
		}
	}
	b := &Bound{p: p, facts: Analyse(p), data: make([]float64, len(p.Values))}
	for _, g := range p.Groups {
		b.trials = append(b.trials, b.trialsOf(g, columns, choice, n))
	}
	b.sumData()
	b.plan()
	b.tables = make([]groupTables, len(p.Groups))
	for _, o := range options {
		o(b)
	}
	if b.inBlocks {
		b.planBlocks()
	}
	return b, nil
}

// trialsOf copies a group's trials and computes their derived columns.
func (b *Bound) trialsOf(g Group, columns [][]float64, choice []float64, n int) trials {
	var rows []int
	for i := 0; i < n; i++ {
		if b.p.Choice == "" || choice[i] == g.Choice {
			rows = append(rows, i)
		}
	}
	t := trials{n: len(rows), columns: make([][]float64, len(b.p.Values))}
	for id, v := range b.p.Values {
		if !b.facts.PerTrial[id] || b.facts.Stage[id] != Data {
			continue
		}
		column := make([]float64, len(rows))
		var x [3]float64
		for i, row := range rows {
			if v.Kind == Column {
				column[i] = columns[v.Index][row]
				continue
			}
			for j, a := range v.Args {
				x[j] = b.constantOr(a, t.columns[a], i)
			}
			column[i] = v.Op.Info().Eval(x)
		}
		t.columns[id] = column
	}
	return t
}

// constantOr returns the value id at trial i: from its column, or the constant if it is one.
func (b *Bound) constantOr(id ID, column []float64, i int) float64 {
	if column == nil {
		return b.foldConst(id)
	}
	return column[i]
}

// foldConst returns the value of a constant expression.
func (b *Bound) foldConst(id ID) float64 {
	v := b.p.Values[id]
	if v.Kind == Const {
		return v.Num
	}
	var x [3]float64
	for j, a := range v.Args {
		x[j] = b.foldConst(a)
	}
	return v.Op.Info().Eval(x)
}

// sumData computes the numbers of the Data stage, which are sums over trials and functions of these.
func (b *Bound) sumData() {
	for id, v := range b.p.Values {
		if b.facts.Stage[id] != Data || b.facts.PerTrial[id] {
			continue
		}
		if v.Kind == Apply {
			b.data[id] = apply(v, b.scalarOrConst)
			continue
		}
		t := b.trials[v.Group]
		acc := newAccumulator(v.Kind)
		for i := 0; i < t.n; i++ {
			acc.add(b.constantOr(v.Args[0], t.columns[v.Args[0]], i))
		}
		b.data[id] = acc.value()
	}
}

// scalarOrConst returns a value of the Data stage, or a constant.
func (b *Bound) scalarOrConst(id ID) float64 {
	if b.facts.Stage[id] == Data {
		return b.data[id]
	}
	return b.foldConst(id)
}

// apply returns the value of v's operator; arg gives the values of its arguments.
func apply(v Value, arg func(ID) float64) float64 {
	var x [3]float64
	for j, a := range v.Args {
		x[j] = arg(a)
	}
	return v.Op.Info().Eval(x)
}

// plan sets the lists of what an evaluation computes, without and with the gradient.
func (b *Bound) plan() {
	for i, roots := range [][]ID{b.p.ValueRoots(), b.p.Roots()} {
		live := b.p.Live(roots)
		b.loops[i] = Kernels(b.p, b.facts, live)
		for id := range b.p.Values {
			if s := b.facts.Stage[id]; live[id] && !b.facts.PerTrial[id] && s != Data {
				b.scalars[i] = append(b.scalars[i], ID(id))
			}
		}
	}
	b.scratch.New = func() any { return b.newScratch() }
}

// scratch is the memory of one evaluation.
type scratch struct {
	scalars   []float64     // the values with one number, by ID
	lanes     [][]float64   // the values of the Body for a block of trials, by ID; nil until a loop needs them
	registers [][]float64   // the registers of a [blockLoop]
	sums      []accumulator // the accumulators, by ID
	served    []float64     // sums that a table gives
}

// newScratch returns memory for an evaluation.
func (b *Bound) newScratch() *scratch {
	n := len(b.p.Values)
	most := 0
	for _, l := range b.blocks {
		most = max(most, l.registers)
	}
	return &scratch{scalars: make([]float64, n), registers: columnsOf(most, blockRows), sums: make([]accumulator, n), served: make([]float64, n)}
}

// columnsOf returns n columns for `rows` numbers each.
func columnsOf(n, rows int) [][]float64 {
	cells, columns := make([]float64, n*rows), make([][]float64, n)
	for i := range columns {
		columns[i] = cells[i*rows : (i+1)*rows]
	}
	return columns
}

// widest returns the length of the longest block of trials.
func (b *Bound) widest() int {
	n := 0
	for _, t := range b.trials {
		n = max(n, min(t.n, block))
	}
	return n
}

// N returns the number of trials.
func (b *Bound) N() int {
	n := 0
	for _, t := range b.trials {
		n += t.n
	}
	return n
}

// Dim returns the number of parameters.
func (b *Bound) Dim() int { return len(b.p.Params) }

// LogLik returns the summed log-likelihood at theta (length Dim); -Inf outside the support.
func (b *Bound) LogLik(theta []float64) float64 { return b.run(theta, nil, forValue) }

// LogLikGrad returns the log-likelihood as LogLik does, and sets grad (length Dim) to its gradient, or to zeros if the value is
// -Inf.
func (b *Bound) LogLikGrad(theta, grad []float64) float64 {
	return b.run(theta, grad, forBoth)
}

// Scale returns the scale of rounding errors at theta: the sum of |x| over all scalars and over the terms of all accumulators.
func (b *Bound) Scale(theta []float64) float64 {
	s := b.scratch.Get().(*scratch)
	defer b.scratch.Put(s)
	b.fill(s, theta, forBoth, b.countedSums)
	scale := 0.0
	for _, statistic := range b.data {
		scale += math.Abs(statistic)
	}
	for _, id := range b.scalars[forBoth] {
		scale += math.Abs(s.scalars[id])
	}
	for _, k := range b.loops[forBoth] {
		for _, out := range k.Outs {
			scale += s.sums[out].terms
		}
	}
	return scale
}

// run evaluates the program with its tables, and returns the log-likelihood. The argument what is forValue or
// forBoth.
func (b *Bound) run(theta, grad []float64, what int) float64 {
	s := b.scratch.Get().(*scratch)
	defer b.scratch.Put(s)
	b.fill(s, theta, what, b.quickSums)
	return b.result(s, grad)
}

// fill computes all scalars and accumulators. The function sums sets the accumulators of a group.
func (b *Bound) fill(s *scratch, theta []float64, what int, sums func(s *scratch, group, what int)) {
	scalars := b.scalars[what]
	copy(s.scalars, b.data)
	for _, id := range scalars {
		if b.facts.Stage[id] == Prologue {
			b.scalar(s, id, b.p.Values[id], theta)
		}
	}
	for g := range b.p.Groups {
		sums(s, g, what)
	}
	for _, id := range scalars {
		if v := b.p.Values[id]; v.Kind == Apply && b.facts.Stage[id] == Epilogue {
			s.scalars[id] = applyScalars(v, s.scalars)
		}
	}
}

// countedSums sets a group's accumulators trial by trial, and counts the absolute values of terms.
func (b *Bound) countedSums(s *scratch, group, what int) { b.loop(s, &b.loops[what][group]) }

// quickSums sets a group's accumulators in the quickest way that was bound.
func (b *Bound) quickSums(s *scratch, group, what int) {
	if !b.fromTables(s, group, what) {
		b.quickLoop(s, &b.loops[what][group])
	}
}

// scalar computes one value of the Prologue.
func (b *Bound) scalar(s *scratch, id ID, v Value, theta []float64) {
	switch v.Kind {
	case Const:
		s.scalars[id] = v.Num
	case Param:
		s.scalars[id] = theta[v.Index]
	case Apply:
		s.scalars[id] = applyScalars(v, s.scalars)
	}
}

// applyScalars does what [apply] does, for arguments that are scalars.
func applyScalars(v Value, scalars []float64) float64 {
	var x [3]float64
	for j, a := range v.Args {
		x[j] = scalars[a]
	}
	return v.Op.Info().Eval(x)
}

// loop runs a kernel over its group's trials, a block at a time.
func (b *Bound) loop(s *scratch, k *Kernel) {
	if len(k.Outs) == 0 {
		return
	}
	if s.lanes == nil {
		s.lanes = columnsOf(len(b.p.Values), b.widest())
	}
	t := b.trials[k.Group]
	for _, out := range k.Outs {
		s.sums[out] = newAccumulator(b.p.Values[out].Kind)
	}
	for from := 0; from < t.n; from += block {
		n := min(block, t.n-from)
		for _, id := range k.Body {
			b.lane(s, t, b.p.Values[id], s.lanes[id][:n], from)
		}
		for _, out := range k.Outs {
			for _, x := range s.lanes[b.p.Values[out].Args[0]][:n] {
				s.sums[out].add(x)
			}
		}
	}
	for _, out := range k.Outs {
		s.scalars[out] = s.sums[out].value()
	}
}

// lane computes one Body value for a block of trials.
func (b *Bound) lane(s *scratch, t trials, v Value, dst []float64, from int) {
	eval := v.Op.Info().Eval
	var columns [3][]float64
	var x [3]float64
	for j, a := range v.Args {
		switch {
		case b.facts.Stage[a] == Body:
			columns[j] = s.lanes[a]
		case b.facts.PerTrial[a]:
			columns[j] = t.columns[a][from:]
		default:
			x[j] = s.scalars[a]
		}
	}
	for i := range dst {
		for j, c := range columns {
			if c != nil {
				x[j] = c[i]
			}
		}
		dst[i] = eval(x)
	}
}

// result returns the sum over the groups, or -Inf if a trial is outside the support.
func (b *Bound) result(s *scratch, grad []float64) float64 {
	clear(grad)
	total := 0.0
	for i, g := range b.p.Groups {
		if b.trials[i].n == 0 {
			continue
		}
		for _, c := range g.Support {
			if !(s.scalars[c.Left] < s.scalars[c.Right]) {
				clear(grad)
				return math.Inf(-1)
			}
		}
		total += s.scalars[g.LogLik]
		for j := range grad {
			grad[j] += s.scalars[g.Grad[j]]
		}
	}
	if math.IsInf(total, -1) {
		clear(grad)
	}
	return total
}
