package simplify

import "likc/compiler/expr"

// journal records what happens while a sum or product is collected. It is used only if the collected form is accepted.
type journal struct {
	size, visits int  // the number of nodes of the sum or product: with simplified terms, and as given
	bad          bool // whether it is too long, or its constants are out of range
	fired        []ruleID
	dropped      []Condition
	gone         []*expr.Expr // expressions that cancelled, whose requirements are dropped
}

// note records that a rule fired.
func (j *journal) note(id ruleID) { j.fired = append(j.fired, id) }

// visit counts a node of the sum or product.
func (j *journal) visit() {
	j.size++
	j.visits++
	j.bad = j.bad || j.visits > maxChain
}

// accept returns the collected form out of e, or nil if it is larger than e. It records the rules that have fired; if none has
// but the form differs, it records the rule with ID order.
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

// emptied returns an empty journal that reuses the memory of j.
func (j journal) emptied() journal {
	return journal{fired: j.fired[:0], dropped: j.dropped[:0], gone: j.gone[:0]}
}
