package engine

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"likc/compiler"
	"likc/compiler/expr"
	"likc/compiler/ir"
	"likc/runtime/likelihood"
	"likc/runtime/vec"
)

// Rows gives trials to the log density row by row, where each parameter may differ from row to row: columns and choice as Bind
// takes them. An expression is interpreted, whatever the binder's engine is.
func (b *Binder) Rows(columns [][]float64, choice []float64) (likelihood.Rows, error) {
	return b.rows(columns, choice)
}

// rowsOf prepares a model for evaluations row by row when that is asked for first.
func rowsOf(m *expr.Model) bindRows {
	program := sync.OnceValues(func() (*ir.Program, error) {
		u, err := compiler.Compile(m, compiler.Options{NoSeparate: true})
		if err != nil {
			return nil, err
		}
		return u.Program, nil
	})
	return func(columns [][]float64, choice []float64) (likelihood.Rows, error) {
		p, err := program()
		if err != nil {
			return nil, err
		}
		return newProgramRows(p, columns, choice)
	}
}

// rowBlock is how many rows the interpreter takes at a time, so that their values stay in cache.
const rowBlock = 128

// programRows interprets a program row by row: a sum over trials is then its only term, and so is a minimum.
type programRows struct {
	p       *ir.Program
	n       int
	onTrial []bool   // by value: depends on trials
	params  []uint64 // by value: bits of the parameters that it depends on; models have 64 at most
	groups  []rowGroup
	spaces  sync.Pool // of *rowSpace
}

// rowGroup is the rows of a group of trials.
type rowGroup struct {
	ir.Group
	rows    []int
	columns [][]float64 // trial columns of these rows
	value   []ir.ID     // what the value needs, arguments first
	both    []ir.ID     // what value and gradient need
}

func newProgramRows(p *ir.Program, columns [][]float64, choice []float64) (*programRows, error) {
	if len(columns) != len(p.Trials) || (p.Choice != "") != (choice != nil) {
		return nil, fmt.Errorf("%s: %d columns for %d trial columns, or choices for a model without", p.Model, len(columns), len(p.Trials))
	}
	r := &programRows{p: p, n: len(choice)}
	if len(columns) > 0 {
		r.n = len(columns[0])
	}
	for _, c := range append([][]float64{choice}, columns...) {
		if c != nil && len(c) != r.n {
			return nil, fmt.Errorf("%s: columns of %d and %d trials", p.Model, r.n, len(c))
		}
	}
	codes := p.Codes()
	for i, c := range choice {
		if !slices.Contains(codes, c) {
			return nil, fmt.Errorf("%s: trial %d: choice %v: want %s", p.Model, i+1, c, wanted(codes))
		}
	}
	r.depend()
	for _, g := range p.Groups {
		r.groups = append(r.groups, r.take(g, columns, choice))
	}
	r.spaces.New = func() any { return r.newSpace() }
	return r, nil
}

// wanted says which choices there are: 1 or -1, or 0, 1 or 2.
func wanted(codes []float64) string {
	words := make([]string, len(codes))
	for i, c := range codes {
		words[i] = fmt.Sprint(c)
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// depend finds what each value depends on.
func (r *programRows) depend() {
	r.onTrial, r.params = make([]bool, len(r.p.Values)), make([]uint64, len(r.p.Values))
	for id, v := range r.p.Values {
		r.onTrial[id] = v.Kind == ir.Column
		if v.Kind == ir.Param {
			r.params[id] = 1 << v.Index
		}
		for _, a := range v.Args {
			r.onTrial[id] = r.onTrial[id] || r.onTrial[a]
			r.params[id] |= r.params[a]
		}
	}
}

// take copies a group's rows.
func (r *programRows) take(g ir.Group, columns [][]float64, choice []float64) rowGroup {
	out := rowGroup{Group: g, columns: make([][]float64, len(columns))}
	for i := range r.n {
		if r.p.Choice == "" || choice[i] == g.Choice {
			out.rows = append(out.rows, i)
		}
	}
	for k, c := range columns {
		for _, i := range out.rows {
			out.columns[k] = append(out.columns[k], c[i])
		}
	}
	roots := []ir.ID{g.LogLik}
	for _, c := range g.Support {
		roots = append(roots, c.Left, c.Right)
	}
	out.value = r.below(roots)
	out.both = r.below(append(roots, g.Grad...))
	return out
}

// below lists the values that roots need.
func (r *programRows) below(roots []ir.ID) (ids []ir.ID) {
	for id, live := range r.p.Live(roots) {
		if live {
			ids = append(ids, ir.ID(id))
		}
	}
	return ids
}

// rowSpace is the memory of an evaluation.
type rowSpace struct {
	varies uint64      // bits of the parameters that differ between rows
	cells  [][]float64 // by value: room for a block
	now    [][]float64 // by value: the block's numbers; what does not vary is repeated
}

func (r *programRows) newSpace() *rowSpace {
	n := len(r.p.Values)
	s := &rowSpace{cells: make([][]float64, n), now: make([][]float64, n)}
	all := make([]float64, n*rowBlock)
	for id := range s.cells {
		s.cells[id] = all[id*rowBlock : (id+1)*rowBlock]
	}
	return s
}

// N is the number of rows.
func (r *programRows) N() int { return r.n }

// Dim is the number of parameters.
func (r *programRows) Dim() int { return len(r.p.Params) }

// Each interprets the program for blocks of rows; what depends on shared parameters alone is computed once.
func (r *programRows) Each(theta [][]float64, logp []float64, grad [][]float64) {
	s := r.spaces.Get().(*rowSpace)
	defer r.spaces.Put(s)
	s.varies = 0
	for j, param := range theta {
		if len(param) > 1 {
			s.varies |= 1 << j
		}
	}
	for k := range r.groups {
		g := &r.groups[k]
		ids := g.both
		if grad == nil {
			ids = g.value
		}
		r.repeat(s, ids, theta, min(rowBlock, len(g.rows)))
		for from := 0; from < len(g.rows); from += rowBlock {
			to := min(from+rowBlock, len(g.rows))
			r.compute(s, g, ids, theta, from, to)
			r.write(s, g, g.rows[from:to], logp, grad)
		}
	}
}

// differs reports whether a value differs between rows.
func (r *programRows) differs(s *rowSpace, id ir.ID) bool {
	return r.onTrial[id] || r.params[id]&s.varies != 0
}

// repeat computes what does not differ between rows, and fills n of its cells with it, of which there is one at least.
func (r *programRows) repeat(s *rowSpace, ids []ir.ID, theta [][]float64, n int) {
	for _, id := range ids {
		if r.differs(s, id) {
			continue
		}
		v, x := &r.p.Values[id], 0.0
		switch v.Kind {
		case ir.Const:
			x = v.Num
		case ir.Param:
			x = theta[v.Index][0]
		case ir.Apply:
			var args [3]float64
			for j, a := range v.Args {
				args[j] = s.now[a][0]
			}
			x = v.Op.Info().Eval(args)
		default: // Total and Least
			x = s.now[v.Args[0]][0]
		}
		s.now[id] = s.cells[id][:max(n, 1)]
		for i := range s.now[id] {
			s.now[id][i] = x
		}
	}
}

// compute fills what differs between rows, for some of a group's.
func (r *programRows) compute(s *rowSpace, g *rowGroup, ids []ir.ID, theta [][]float64, from, to int) {
	n := to - from
	for _, id := range ids {
		if !r.differs(s, id) {
			continue
		}
		v := &r.p.Values[id]
		s.now[id] = s.cells[id][:n]
		switch v.Kind {
		case ir.Column:
			s.now[id] = g.columns[v.Index][from:to]
		case ir.Param:
			for i, row := range g.rows[from:to] {
				s.now[id][i] = theta[v.Index][row]
			}
		case ir.Apply:
			s.apply(v, s.now[id])
		default: // Total and Least
			s.now[id] = s.now[v.Args[0]][:n]
		}
	}
}

// apply computes an operator for a block, by a vector kernel where there is one.
func (s *rowSpace) apply(v *ir.Value, dst []float64) {
	var args [3][]float64
	for j, a := range v.Args {
		args[j] = s.now[a][:len(dst)]
	}
	if f := unary[v.Op]; f != nil {
		f(dst, args[0])
		return
	}
	if f := binary[v.Op]; f != nil {
		f(dst, args[0], args[1])
		return
	}
	if f := ternary[v.Op]; f != nil {
		f(dst, args[0], args[1], args[2])
		return
	}
	eval, arity := v.Op.Info().Eval, len(v.Args)
	var x [3]float64
	for i := range dst {
		for j := range arity {
			x[j] = args[j][i]
		}
		dst[i] = eval(x)
	}
}

// The operators that have vector kernels.
var (
	unary = map[expr.Op]func(dst, x []float64){
		expr.Square: vec.Square, expr.Exp: vec.Exp, expr.Log: vec.Log, expr.Sqrt: vec.Sqrt, expr.Abs: vec.Abs, expr.Neg: vec.Neg,
		expr.Expm1: vec.Expm1, expr.Log1p: vec.Log1p, expr.Erf: vec.Erf,
		expr.NormCDF: vec.NormCDF, expr.LogNormCDF: vec.LogNormCDF, expr.InverseMills: vec.InverseMills, expr.Log1mExp: vec.Log1mExp,
		expr.Inv: func(dst, x []float64) { vec.ScalarDiv(dst, x, 1) },
	}
	binary = map[expr.Op]func(dst, x, y []float64){
		expr.Add: vec.Add, expr.Sub: vec.Sub, expr.Mul: vec.Mul, expr.Div: vec.Div, expr.Min: vec.Min, expr.Max: vec.Max,
		expr.LogAddExp: vec.LogAddExp, expr.Less: vec.Less, expr.LessEqual: vec.LessEqual,
	}
	ternary = map[expr.Op]func(dst, x, y, z []float64){expr.If: vec.Choose, expr.FMA: vec.FMA}
)

// write puts a block's results where its rows are.
func (r *programRows) write(s *rowSpace, g *rowGroup, rows []int, logp []float64, grad [][]float64) {
	values := s.now[g.LogLik]
	for i, row := range rows {
		logp[row] = values[i]
		for _, c := range g.Support {
			if !(s.now[c.Left][i] < s.now[c.Right][i]) {
				logp[row] = math.Inf(-1)
			}
		}
	}
	for j, out := range grad {
		if out == nil {
			continue
		}
		slopes := s.now[g.Grad[j]]
		for i, row := range rows {
			out[row] = slopes[i]
			if logp[row]-logp[row] != 0 {
				out[row] = 0
			}
		}
	}
}
