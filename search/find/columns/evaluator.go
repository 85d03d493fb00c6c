package columns

import (
	"likc/compiler/expr"
	"likc/search/find/tree"
)

// Evaluator runs trees over panels. It has scratch of its own, serves one
// goroutine at a time, and allocates only for a tree with more operators or a
// panel with wider blocks than it has met.
type Evaluator[F Float] struct {
	rows     *Panel[F] // the panel that Evaluate and SquaredError use
	routines []routine[F]
	tree     tree.Tree
	program  program
	compiled bool // whether the program is the tree's, for the symbols that move
	moving   uint64
	panel    *Panel[F] // the panel of the last Enter
	scratch  []F
	Counts   Counts
}

// Counts is the work that an evaluator has done and spared.
type Counts struct {
	Panels    int64 // panels that were entered
	NodeRows  int64 // nodes, leaves included, times rows that were asked for
	Computed  int64 // rows of operators that were computed
	Shared    int64 // rows of operators that took the values computed once for all blocks
	EarlyExit int64 // rows that were not visited after a block with a value that is not finite
}

// NewEvaluator returns an evaluator over the rows of a table. It panics if its
// columns differ in length.
func NewEvaluator[F Float](t *Table[F]) *Evaluator[F] {
	p := t.Panel()
	if err := p.Check(); err != nil {
		panic("columns: " + err.Error())
	}
	return NewPanels(p)
}

// NewPanels returns an evaluator that is ready for the panels; the first is
// the one that Evaluate and SquaredError run over.
func NewPanels[F Float](panels ...*Panel[F]) *Evaluator[F] {
	const operators = 64
	e := &Evaluator[F]{rows: panels[0], routines: routines[F]()}
	width := 0
	for _, p := range panels {
		width = max(width, p.Width)
	}
	e.scratch = make([]F, operators*width)
	e.program = program{
		stays: make([]step, 0, operators), moves: make([]step, 0, operators), stack: make([]node, 0, operators),
		free: make([]location, 0, operators), resting: make([]location, 0, operators),
	}
	return e
}

// Start calls Load, then Enter.
func (e *Evaluator[F]) Start(t tree.Tree, p *Panel[F]) {
	e.Load(t)
	e.Enter(p)
}

// Load sets the tree. It is read until the next Load.
func (e *Evaluator[F]) Load(t tree.Tree) { e.tree, e.compiled = t, false }

// Enter prepares the tree for the blocks of a panel and computes what they
// share. The tree's symbols are the panel's columns.
func (e *Evaluator[F]) Enter(p *Panel[F]) {
	moving := p.moving()
	if e.panel = p; !e.compiled || moving != e.moving {
		e.program.compile(e.tree, moving)
		e.compiled, e.moving = true, moving
	}
	if need := e.program.slots * p.Width; need > len(e.scratch) {
		e.scratch = make([]F, need)
	}
	n := min(p.Width, p.Rows)
	for i := range e.program.stays {
		e.run(&e.program.stays[i], 0, n)
	}
	e.Counts.Panels++
	e.Counts.Computed += int64(len(e.program.stays) * n)
	e.Counts.Shared += int64(len(e.program.stays) * (p.Rows - n))
	e.Counts.NodeRows += int64(e.tree.Size() * p.Rows)
}

// Block returns the tree's values in block b; they are good until the next
// call.
func (e *Evaluator[F]) Block(b int) []F {
	from, to := e.panel.Span(b)
	for i := range e.program.moves {
		e.run(&e.program.moves[i], from, to-from)
	}
	e.Counts.Computed += int64(len(e.program.moves) * (to - from))
	return e.column(e.program.result, from, to-from)
}

// run computes one step for n rows.
func (e *Evaluator[F]) run(s *step, from, n int) {
	dst := e.column(s.dst, from, n)
	switch r := &e.routines[s.op]; {
	case r.Binary != nil:
		r.Binary(dst, e.column(s.args[0], from, n), e.column(s.args[1], from, n))
	case r.Unary != nil:
		r.Unary(dst, e.column(s.args[0], from, n))
	case s.op == expr.Const:
		for i := range dst {
			dst[i] = F(s.value)
		}
	default:
		e.each(dst, s, r.eval, from)
	}
}

// each computes an operator that has no kernel.
func (e *Evaluator[F]) each(dst []F, s *step, eval func([3]float64) float64, from int) {
	var in [3][]F
	arity := s.op.Info().Arity
	for j := range arity {
		in[j] = e.column(s.args[j], from, len(dst))
	}
	for i := range dst {
		var x [3]float64
		for j := range arity {
			x[j] = float64(in[j][i])
		}
		dst[i] = F(eval(x))
	}
}

// column is n values of a slot, or of a symbol from a row on.
func (e *Evaluator[F]) column(at location, from, n int) []F {
	if at < 0 {
		first := int(^at) * e.panel.Width
		return e.scratch[first : first+n]
	}
	c := e.panel.Columns[at]
	if len(c) != e.panel.Rows {
		from = 0
	}
	return c[from : from+n]
}

// Evaluate writes the tree's value in every row to dst. It stops after the
// first block with a value that is not finite, and reports it.
func (e *Evaluator[F]) Evaluate(t tree.Tree, dst []F) (finite bool) {
	e.Start(t, e.rows)
	for b := range e.rows.Blocks() {
		from, to := e.rows.Span(b)
		block := e.Block(b)
		copy(dst[from:to], block)
		if !allFinite(block) {
			e.Counts.EarlyExit += int64(e.rows.Rows - to)
			return false
		}
	}
	return true
}

// SquaredError returns Σ (f - target)² over all rows, in float64. It stops
// after the first block with a value that is not finite, and reports it.
func (e *Evaluator[F]) SquaredError(t tree.Tree, target []F) (sum float64, finite bool) {
	e.Start(t, e.rows)
	for b := range e.rows.Blocks() {
		from, to := e.rows.Span(b)
		sum += squaredDistance(e.Block(b), target[from:to])
		if sum-sum != 0 {
			e.Counts.EarlyExit += int64(e.rows.Rows - to)
			return sum, false
		}
	}
	return sum, true
}

// allFinite reports whether every value is finite.
func allFinite[F Float](x []F) bool {
	var zero F
	for _, v := range x {
		zero += v - v // NaN for infinities
	}
	return zero == 0
}
