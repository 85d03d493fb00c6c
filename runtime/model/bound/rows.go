package bound

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"likc/compiler"
	"likc/compiler/expr"
	"likc/compiler/ir"
)

// programOf returns a function that prepares a model for evaluations row by row, at its first call.
func programOf(m *expr.Model) func() (*rowProgram, error) {
	return sync.OnceValues(func() (*rowProgram, error) {
		u, err := compiler.Compile(m, compiler.Options{NoSeparate: true})
		if err != nil {
			return nil, err
		}
		return newRowProgram(u.Program), nil
	})
}

// rowBlock is the number of rows that the interpreter computes at a time, so that their values stay in the cache.
const rowBlock = 128

// rowProgram is a program that is interpreted row by row: a sum or a minimum over trials has only one term. All rows bound to it use
// the same memory in turn, which stays in the cache when few rows are evaluated many times.
type rowProgram struct {
	p       *ir.Program // the compiled expression
	onTrial []bool      // for each value, whether it depends on trials
	params  []uint64    // for each value, a bit set of the parameters on which it depends; models have at most 64
	needs   []needs     // the values that each group needs
	spaces  sync.Pool   // memory of evaluations: *rowSpace
}

// needs lists the values that the rows of a group, the trials with one choice, need. A value comes after its arguments.
type needs struct {
	value []ir.ID // values needed for the log density
	both  []ir.ID // values needed for the log density and its gradient
}

func newRowProgram(p *ir.Program) *rowProgram {
	r := &rowProgram{p: p}
	r.depend()
	for _, g := range p.Groups {
		roots := []ir.ID{g.LogLik}
		for _, c := range g.Support {
			roots = append(roots, c.Left, c.Right)
		}
		value := r.below(roots)
		r.needs = append(r.needs, needs{value, r.below(append(roots, g.Grad...))})
	}
	r.spaces.New = func() any { return r.newSpace() }
	return r
}

// programRows are rows bound to a program.
type programRows struct {
	*rowProgram
	n      int // number of rows
	groups []rowGroup
}

// rowGroup holds the rows of one group of trials.
type rowGroup struct {
	ir.Group
	needs
	rows    []int       // numbers of the rows
	columns [][]float64 // trial columns of these rows
}

func (program *rowProgram) bind(columns [][]float64, choice []float64) (*programRows, error) {
	p := program.p
	if len(columns) != len(p.Trials) || (p.Choice != "") != (choice != nil) {
		return nil, fmt.Errorf("%s: %d columns for %d trial columns, or choices for a model without", p.Model, len(columns), len(p.Trials))
	}
	r := &programRows{rowProgram: program, n: len(choice)}
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
	for k := range p.Groups {
		r.groups = append(r.groups, r.newGroup(k, columns, choice))
	}
	return r, nil
}

// wanted lists the allowed codes of choices: 1 or -1, or 0, 1 or 2.
func wanted(codes []float64) string {
	words := make([]string, len(codes))
	for i, c := range codes {
		words[i] = fmt.Sprint(c)
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// depend determines on what each value depends.
func (r *rowProgram) depend() {
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

// newGroup copies the rows of group k.
func (r *programRows) newGroup(k int, columns [][]float64, choice []float64) rowGroup {
	g := rowGroup{Group: r.p.Groups[k], needs: r.needs[k], columns: make([][]float64, len(columns))}
	for i := range r.n {
		if r.p.Choice == "" || choice[i] == g.Choice {
			g.rows = append(g.rows, i)
		}
	}
	for k, c := range columns {
		for _, i := range g.rows {
			g.columns[k] = append(g.columns[k], c[i])
		}
	}
	return g
}

// below returns the roots and all values that they depend on, arguments first.
func (r *rowProgram) below(roots []ir.ID) (ids []ir.ID) {
	for id, live := range r.p.Live(roots) {
		if live {
			ids = append(ids, ir.ID(id))
		}
	}
	return ids
}

// N returns the number of rows.
func (r *programRows) N() int { return r.n }

// Dim returns the number of parameters.
func (r *programRows) Dim() int { return len(r.p.Params) }

// Each interprets the program for blocks of rows. Values that depend only on shared parameters are computed once.
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
		if len(g.rows) == 0 {
			continue
		}
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

// write writes a block's results to the elements of its rows.
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
