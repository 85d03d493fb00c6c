package columns

import (
	"likc/compiler/expr"
	"likc/search/find/tree"
)

// Evaluator computes the values of trees over panels. It has its own working memory and serves one goroutine at a time. It allocates
// only when a tree has more operators, or a panel wider blocks, than any before.
type Evaluator[F Float] struct {
	rows     *Panel[F] // the panel that Evaluate and SquaredError use
	routines []routine[F]
	tree     tree.Tree
	program  program
	compiled bool // whether the program is up to date: made from this tree, for the panel's moving symbols
	moving   uint64
	panel    *Panel[F] // the panel of the last Enter
	scratch  []F
	Counts   Counts
}

// Counts counts the work that an evaluator did and avoided.
type Counts struct {
	Panels    int64 // panels that were entered
	NodeRows  int64 // nodes, leaves included, times rows, summed over evaluations
	Computed  int64 // rows of operators that were computed
	Shared    int64 // rows of operators that were not computed, because their values are the same in all blocks of a panel
	EarlyExit int64 // rows skipped because an earlier block had a value that is not finite
}

// NewEvaluator returns an evaluator for the rows of a table. It panics if the columns differ in length.
func NewEvaluator[F Float](t *Table[F]) *Evaluator[F] {
	p := t.Panel()
	if err := p.Check(); err != nil {
		panic("columns: " + err.Error())
	}
	return NewPanels(p)
}

// NewPanels returns an evaluator with memory for the given panels. Evaluate and SquaredError use the first panel.
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

// Start sets the tree and the panel: it calls Load, then Enter.
func (e *Evaluator[F]) Start(t tree.Tree, p *Panel[F]) {
	e.Load(t)
	e.Enter(p)
}

// Load sets the tree, which must not change until the next Load.
func (e *Evaluator[F]) Load(t tree.Tree) { e.tree, e.compiled = t, false }

// Enter prepares the loaded tree for the blocks of a panel, and computes what is the same in all blocks. The tree's symbols are the
// panel's columns.
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

// Block returns the tree's values in block b. They are valid until the next call.
func (e *Evaluator[F]) Block(b int) []F {
	from, to := e.panel.Span(b)
	for i := range e.program.moves {
		e.run(&e.program.moves[i], from, to-from)
	}
	e.Counts.Computed += int64(len(e.program.moves) * (to - from))
	return e.column(e.program.result, from, to-from)
}

// run executes one step of the program for n rows.
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

// each executes a step row by row, for an operator that has no kernel.
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

// column returns n values from a memory slot, or from a symbol's column, beginning at row `from`.
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

// Evaluate writes the tree's value in every row to dst. If a block has a value that is not finite, it stops after that block and
// returns false.
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

// SquaredError returns Σ (f - target)² over all rows, in float64. If a block has a value that is not finite, it stops after that
// block and returns false.
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
		zero += v - v // v - v is NaN for infinities too
	}
	return zero == 0
}
