package simplify

import "likc/compiler/expr"

// journal is what a collection of terms or factors has seen. It counts only once the collected form is taken.
type journal struct {
	size, visits int  // nodes of the chain with its terms simplified; nodes of the chain
	bad          bool // too long, or constants out of range
	fired        []ruleID
	dropped      []Condition
	gone         []*expr.Expr // the cancelled expressions, with all that they required
}

func (j *journal) note(id ruleID) { j.fired = append(j.fired, id) }

// visit counts a node of the chain.
func (j *journal) visit() {
	j.size++
	j.visits++
	j.bad = j.bad || j.visits > maxChain
}

// accept takes the collected form out of e, unless it is larger. Where nothing else fired, the order changed.
func (s *Simplifier) accept(e, out *expr.Expr, j *journal, order ruleID) *expr.Expr {
	if j.bad || out.Size() > j.size {
		return nil
	}
	if out.Hash() == e.Hash() {
		return out
	}
	if len(j.fired) == 0 {
		j.note(order)
	}
	for _, id := range j.fired {
		s.fire(id)
	}
	s.dropped = append(s.dropped, j.dropped...)
	for _, g := range j.gone {
		s.dropInside(g)
	}
	return out
}

// emptied returns an empty journal in the same memory.
func (j journal) emptied() journal {
	return journal{fired: j.fired[:0], dropped: j.dropped[:0], gone: j.gone[:0]}
}
