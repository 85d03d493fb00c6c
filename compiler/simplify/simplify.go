// Package simplify brings expressions to a canonical form by named rewrite rules, applied to a fixed point.
//
// A sum becomes a list of (coefficient, term) pairs, and a product a list of (base, exponent) pairs. In the lists, equal terms
// or bases are merged and sorted; then the lists become expressions again. All other rules rewrite one node. Equal nodes are
// represented by one node (interned), and each is rewritten once, so that shared nodes cost nothing.
package simplify

import (
	"likc/compiler/expr"
)

// Set says which kinds of rule are on.
type Set uint8

// The sets of rules.
const (
	Exact       Set = 1 << iota // values stay the same to the bit
	Canonical                   // equal terms and factors are merged: values stay the same up to rounding
	Reassociate                 // constants are combined although the result is rounded: x/3 becomes 0.333…*x
	Default     = Exact | Canonical
)

// Options choose the sets of rules and state what may be assumed.
type Options struct {
	Sets   Set // the sets of rules; 0 means Default
	Assume Assume
}

// Assume holds facts about symbols that are true wherever the expression will be evaluated. A parameter's declared range is no
// such fact, because likelihoods are also evaluated outside it.
type Assume struct {
	Symbols  map[string]expr.Interval
	Positive []*expr.Expr // expressions that are positive, such as rt - t
}

// Result is a simplified expression, with the rules that fired and the conditions that were dropped.
type Result struct {
	Expr    *expr.Expr
	Fired   []string    // names of the rules, in order of first firing
	Dropped []Condition // conditions that the input required and Expr does not
}

// Condition is a requirement on the value of an expression.
type Condition struct {
	Expr *expr.Expr
	Must expr.Must
}

// String writes the condition as mathematics: `rt - t > 0`.
func (c Condition) String() string {
	s := c.Expr.String()
	switch c.Must {
	case expr.NonZero:
		return s + " != 0"
	case expr.NonNegative:
		return s + " >= 0"
	case expr.Positive:
		return s + " > 0"
	case expr.AboveMinus1:
		return s + " > -1"
	case expr.BelowZero:
		return s + " < 0"
	}
	return "0 < " + s + " < 1"
}

// Simplify returns e in canonical form. Where e is finite, the result is finite and equal, up to rounding and overflow. Where
// only the result is finite, a dropped condition does not hold.
func Simplify(e *expr.Expr, o Options) Result { return New(o).Simplify(e) }

// Simplifier simplifies many expressions under the same options and reuses its memory. It is not safe for concurrent use.
type Simplifier struct {
	sets    Set
	assume  Assume
	facts   map[*expr.Expr]expr.Interval // the ranges of canonical nodes that follow from assume.Positive
	nodes   map[uint64]*expr.Expr        // the interned nodes by hash
	done    map[*expr.Expr]*expr.Expr    // the canonical form of a node
	ranges  map[*expr.Expr]expr.Interval // the results of interval
	splits  map[*expr.Expr]term          // for a canonical term: its coefficient and its other factors
	primes  map[*expr.Expr]term          // for a canonical sum: its content and the primitive sum
	exps    map[*expr.Expr]term          // for u: the number g and exp(S) with exp(u) = exp(S)^g
	fired   []bool                       // whether each rule fired
	order   []ruleID                     // the rules that fired, in order of first firing
	dropped []Condition                  // the conditions that the rules dropped
	sums    []*sum                       // memory of sums that can be reused
	lists   []*product                   // memory of products that can be reused
	capped  bool                         // whether a node was still changing after maxRounds
}

// maxRounds limits how often one node is rewritten. A test shows that the limit is not reached.
const maxRounds = 64

// maxKept is the largest number of nodes that a Simplifier keeps between expressions.
const maxKept = 1 << 12

// New returns a simplifier.
func New(o Options) *Simplifier {
	if o.Sets == 0 {
		o.Sets = Default
	}
	s := &Simplifier{sets: o.Sets, assume: o.Assume, fired: make([]bool, len(rules))}
	s.nodes, s.done = map[uint64]*expr.Expr{}, map[*expr.Expr]*expr.Expr{}
	s.ranges, s.facts = map[*expr.Expr]expr.Interval{}, map[*expr.Expr]expr.Interval{}
	s.splits, s.primes = map[*expr.Expr]term{}, map[*expr.Expr]term{}
	s.exps = map[*expr.Expr]term{}
	s.reset()
	return s
}

// reset removes all nodes, and computes the canonical forms of the assumed facts again, because these are nodes too.
func (s *Simplifier) reset() {
	clear(s.nodes)
	clear(s.facts)
	s.forget()
	facts := map[*expr.Expr]expr.Interval{}
	for _, e := range s.assume.Positive {
		facts[s.rewrite(e)] = expr.Above(0)
		facts[s.rewrite(expr.New(expr.Neg, e))] = expr.Below(0)
	}
	s.facts = facts
	s.forget() // the ranges so far were found without the facts
}

// forget removes the ranges and canonical forms of all nodes.
func (s *Simplifier) forget() {
	clear(s.done)
	clear(s.ranges)
	clear(s.splits)
	clear(s.primes)
	clear(s.exps)
}

// Simplify does what the function [Simplify] does.
func (s *Simplifier) Simplify(e *expr.Expr) Result {
	if len(s.nodes) > maxKept {
		s.reset()
	}
	clear(s.done)
	clear(s.fired)
	s.order, s.dropped = s.order[:0], s.dropped[:0]
	out := s.rewrite(e)
	return Result{Expr: out, Fired: s.names(), Dropped: s.lost(out)}
}

// names returns the names of the rules that fired.
func (s *Simplifier) names() []string {
	names := make([]string, len(s.order))
	for i, id := range s.order {
		names[i] = rules[id].Name
	}
	return names
}

// fire records that a rule took part in a rewriting.
func (s *Simplifier) fire(id ruleID) {
	if !s.fired[id] {
		s.fired[id] = true
		s.order = append(s.order, id)
	}
}

// rewrite returns the canonical form of e. It rewrites until nothing changes.
func (s *Simplifier) rewrite(e *expr.Expr) *expr.Expr {
	if out := s.done[e]; out != nil {
		return out
	}
	out := e
	for round := 0; ; round++ {
		next := s.round(out)
		stable := next.Hash() == out.Hash() // the expressions are equal, though perhaps different nodes
		out = next
		if stable {
			break
		}
		if final := s.done[next]; final != nil {
			out = final
			break
		}
		if round == maxRounds {
			s.capped = true
			break
		}
	}
	s.done[e], s.done[out] = out, out
	return out
}

// round rewrites e once. It collects a sum or product; for another node it rewrites the arguments and then the node. It returns
// e itself only if e is interned and canonical.
func (s *Simplifier) round(e *expr.Expr) *expr.Expr {
	if s.sets&Canonical != 0 {
		var out *expr.Expr
		switch {
		case isSum(e):
			out = s.collectSum(e)
		case isProduct(e):
			out = s.collectProduct(e)
		}
		if out != nil {
			return out
		}
	}
	args := make([]*expr.Expr, len(e.Args))
	for i, a := range e.Args {
		args[i] = s.rewrite(a)
	}
	n := s.intern(e.With(args))
	if n.Op != e.Op {
		return n
	}
	return s.apply(n)
}

// apply returns the replacement of n by the first rule that applies, or n if none does.
func (s *Simplifier) apply(n *expr.Expr) *expr.Expr {
	for _, id := range rulesOf[n.Op] {
		r := &rules[id]
		if r.Set&s.sets == 0 {
			continue
		}
		if out := r.Apply(s, n); out != nil && out != n {
			s.fire(id)
			return out
		}
	}
	return n
}
