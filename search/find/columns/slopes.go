package columns

import (
	"slices"

	"likc/compiler/expr"
	"likc/runtime/num/vec"
	"likc/search/find/tree"
)

// Slopes computes the derivatives of a tree with respect to its constants or to chosen nodes, by reverse accumulation, one block of
// a panel at a time. It serves one goroutine.
type Slopes struct {
	tree     tree.Tree
	panel    *Panel[float64]
	starts   []int
	wanted   []int       // the nodes with respect to which derivatives are computed
	above    []bool      // for each node, whether it or a node below it is wanted
	operands [][3]int    // the operands of each node
	memory   []float64   // memory of the nodes' values and adjoints
	value    [][]float64 // the value of each node
	adjoint  [][]float64 // the adjoint of each node
	slopes   [][]float64 // the slope at each wanted node
	routines []routine[float64]
	partials map[expr.Op][]*Evaluator[float64]
	local    Panel[float64]
}

// NewSlopes returns an evaluator of derivatives, for any tree.
func NewSlopes() *Slopes {
	return &Slopes{routines: routines[float64](), partials: map[expr.Op][]*Evaluator[float64]{}}
}

// Start sets a tree and a panel, for derivatives with respect to the tree's constants. The tree must not change until the next
// Start.
func (s *Slopes) Start(t tree.Tree, p *Panel[float64]) {
	s.wanted = s.wanted[:0]
	for i, c := range t.Codes {
		if c == tree.Constant {
			s.wanted = append(s.wanted, i)
		}
	}
	s.start(t, p)
}

// StartAt sets a tree and a panel, for derivatives with respect to numbers added to the values of the given nodes.
func (s *Slopes) StartAt(t tree.Tree, p *Panel[float64], nodes []int) {
	s.wanted = append(s.wanted[:0], nodes...)
	s.start(t, p)
}

func (s *Slopes) start(t tree.Tree, p *Panel[float64]) {
	s.tree, s.panel = t, p
	n := len(t.Codes)
	s.starts = t.Starts(s.starts[:0])
	s.above, s.operands = s.above[:0], s.operands[:0]
	for i, c := range t.Codes {
		above, at := slices.Contains(s.wanted, i), [3]int{}
		for k, end := c.Arity()-1, i-1; k >= 0; k-- {
			at[k] = end
			above = above || s.above[end]
			end = s.starts[end] - 1
		}
		s.above, s.operands = append(s.above, above), append(s.operands, at)
	}
	if need := 2 * n * p.Width; len(s.memory) < need {
		s.memory = make([]float64, need)
	}
	s.value, s.adjoint, s.slopes = resized(s.value, n), resized(s.adjoint, n), resized(s.slopes, len(s.wanted))
}

func resized[T any](x []T, n int) []T {
	if cap(x) < n {
		return make([]T, n)
	}
	return x[:n]
}

// Block returns the tree's derivatives in block b, one slice for each constant or node. They are valid until the next call.
func (s *Slopes) Block(b int) [][]float64 {
	from, to := s.panel.Span(b)
	n := to - from
	s.forward(from, n)
	for i := range s.adjoint {
		s.adjoint[i] = s.memory[(len(s.value)+i)*s.panel.Width:][:n]
	}
	last := len(s.value) - 1
	for i := range n {
		s.adjoint[last][i] = 1
	}
	for i := last; i >= 0; i-- {
		if s.above[i] {
			s.spread(i, n)
		}
	}
	for k, i := range s.wanted {
		s.slopes[k] = s.adjoint[i]
	}
	return s.slopes
}

// forward computes the values of all nodes.
func (s *Slopes) forward(from, n int) {
	constants := 0
	for i, c := range s.tree.Codes {
		if c < tree.Constant {
			column := s.panel.Columns[c]
			if len(column) != s.panel.Rows {
				s.value[i] = column[:n]
			} else {
				s.value[i] = column[from : from+n]
			}
			continue
		}
		dst := s.memory[i*s.panel.Width:][:n]
		s.value[i] = dst
		if c == tree.Constant {
			for k := range dst {
				dst[k] = s.tree.Values[constants]
			}
			constants++
			continue
		}
		s.apply(dst, c, s.operands[i])
	}
}

// apply computes an operator from the values of its operands' nodes.
func (s *Slopes) apply(dst []float64, c tree.Code, at [3]int) {
	op, _ := c.Op()
	switch r := &s.routines[op]; {
	case r.Binary != nil:
		r.Binary(dst, s.value[at[0]], s.value[at[1]])
	case r.Unary != nil:
		r.Unary(dst, s.value[at[0]])
	default:
		for k := range dst {
			var x [3]float64
			for j := range c.Arity() {
				x[j] = s.value[at[j]][k]
			}
			dst[k] = r.eval(x)
		}
	}
}

// spread adds the adjoint of node i, times each partial derivative, to the adjoints of the operands that lead to a wanted node.
func (s *Slopes) spread(i, n int) {
	c := s.tree.Codes[i]
	op, _ := c.Op()
	if c.Arity() == 0 {
		return
	}
	bar := s.adjoint[i]
	for k, at := range s.operands[i][:c.Arity()] {
		if !s.above[at] {
			continue
		}
		dst := s.adjoint[at]
		switch {
		case op == expr.Add || op == expr.Sub && k == 0:
			copy(dst, bar)
		case op == expr.Sub:
			vec.Neg(dst, bar)
		case op == expr.Mul:
			vec.Mul(dst, bar, s.value[s.operands[i][1-k]])
		case op == expr.Exp:
			vec.Mul(dst, bar, s.value[i])
		default:
			vec.Mul(dst, bar, s.partial(op, k, i, n))
		}
	}
}

// partial returns the derivative of node i, an operator, with respect to its operand k.
func (s *Slopes) partial(op expr.Op, k, i, n int) []float64 {
	all := s.partials[op]
	if all == nil {
		all = newPartials(op)
		s.partials[op] = all
	}
	s.local.Rows, s.local.Width, s.local.Columns = n, n, s.local.Columns[:0]
	for _, at := range s.operands[i] {
		s.local.Columns = append(s.local.Columns, s.value[at])
	}
	s.local.Columns = append(s.local.Columns, s.value[i])
	all[k].Enter(&s.local)
	return all[k].Block(0)
}

// newPartials returns evaluators of an operator's partial derivatives, one for each operand. Their symbols are the operands and the
// operator's value.
func newPartials(op expr.Op) []*Evaluator[float64] {
	names := []string{"x", "y", "w", "value"}
	var operands []*expr.Expr
	arity := op.Info().Arity
	for _, name := range names[:arity] {
		operands = append(operands, expr.Var(name))
	}
	var list []*Evaluator[float64]
	for _, e := range op.Info().Partial(operands, expr.Var("value")) {
		if e == nil { // the derivative is 0 wherever the operator is differentiable
			e = expr.Num(0)
		}
		t, err := tree.FromExpr(e, names)
		if err != nil {
			panic("columns: derivative of " + op.Info().Name + ": " + err.Error())
		}
		v := NewPanels(&Panel[float64]{Rows: 1, Width: 1, Columns: make([][]float64, len(names))})
		v.Load(t)
		list = append(list, v)
	}
	return list
}
