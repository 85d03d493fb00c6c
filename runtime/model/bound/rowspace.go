package bound

import (
	"likc/compiler/ir"
	"likc/compiler/vector"
)

// rowSpace is the memory of an evaluation, which computes a block of consecutive rows at a time.
type rowSpace struct {
	varies uint64      // bit set of the parameters that differ between rows
	cells  [][]float64 // for each value, memory for a block
	now    [][]float64 // for each value, its number in each row of the current block; a number that all rows share is repeated
}

func (r *rowProgram) newSpace() *rowSpace {
	n := len(r.p.Values)
	s := &rowSpace{cells: make([][]float64, n), now: make([][]float64, n)}
	all := make([]float64, n*rowBlock)
	for id := range s.cells {
		s.cells[id] = all[id*rowBlock : (id+1)*rowBlock]
	}
	return s
}

// differs reports whether a value of the program differs between rows.
func (r *rowProgram) differs(s *rowSpace, id ir.ID) bool {
	return r.onTrial[id] || r.params[id]&s.varies != 0
}

// repeat computes the values that all rows share, and writes each to the first n cells of its memory. n is at least 1.
func (r *rowProgram) repeat(s *rowSpace, ids []ir.ID, theta [][]float64, n int) {
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
		default: // a sum or minimum over trials (Total or Least), which is the value itself for one row
			x = s.now[v.Args[0]][0]
		}
		s.now[id] = s.cells[id][:n]
		for i := range s.now[id] {
			s.now[id][i] = x
		}
	}
}

// compute computes the values that differ between rows, for the rows from `from` to `to` of a group.
func (r *rowProgram) compute(s *rowSpace, g *rowGroup, ids []ir.ID, theta [][]float64, from, to int) {
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
		default: // a sum or minimum over trials (Total or Least), which is the value itself for one row
			s.now[id] = s.now[v.Args[0]][:n]
		}
	}
}

// apply computes an operator for a block, with code that takes several numbers at a time if there is any.
func (s *rowSpace) apply(v *ir.Value, dst []float64) {
	var args [3][]float64
	for j, a := range v.Args {
		args[j] = s.now[a][:len(dst)]
	}
	switch k := &vector.Double[v.Op]; {
	case k.Unary != nil:
		k.Unary(dst, args[0])
		return
	case k.Binary != nil:
		k.Binary(dst, args[0], args[1])
		return
	case k.Ternary != nil:
		k.Ternary(dst, args[0], args[1], args[2])
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
