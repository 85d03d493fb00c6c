// Package simplify brings expressions to a canonical form by named rewrite rules, applied to a fixed point.
//
// Sums become lists of (coefficient, term) and products lists of (base, exponent); the lists are collected, ordered and
// written back in one shape. All else is small rules on one node. Nodes are interned and rewritten once each, so the work
// is that of the graph and not of the tree that it stands for.
package simplify

import (
	"likc/compiler/expr"
)

// Set says which kinds of rule are on.
type Set uint8

// The sets of rules.
const (
	Exact       Set = 1 << iota // values stay the same to the bit
	Canonical                   // terms and factors are collected: values stay the same up to rounding
	Reassociate                 // constants are combined although that rounds: x/3 becomes 0.333…*x
	Default     = Exact | Canonical
)

// Options choose the rules and say what is known.
type Options struct {
	Sets   Set // 0 means Default
	Assume Assume
}

// Assume is what is known of the symbols wherever the expression will be evaluated. A parameter's declared range is not
// such knowledge: likelihoods are evaluated outside it too.
type Assume struct {
	Symbols  map[string]expr.Interval
	Positive []*expr.Expr // facts such as rt - t > 0
}

// Result is a simplified expression and what it took.
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

// Simplify returns e in canonical form. Where e is finite the result is finite and equal, up to rounding and overflow;
// where only the result is finite, one of the dropped conditions does not hold.
func Simplify(e *expr.Expr, o Options) Result { return New(o).Simplify(e) }

// Simplifier simplifies many expressions under the same options and reuses its memory. It serves one goroutine at a time.
type Simplifier struct {
	sets    Set
	assume  Assume
	facts   map[*expr.Expr]expr.Interval // the range of each interned canonical node
	nodes   map[uint64]*expr.Expr        // the interned nodes by hash
	done    map[*expr.Expr]*expr.Expr    // the canonical form of a node
	ranges  map[*expr.Expr]expr.Interval
	splits  map[*expr.Expr]term // canonical terms as coefficient and rest
	primes  map[*expr.Expr]term // canonical sums as content and primitive sum
	exps    map[*expr.Expr]term // u to g and exp(S) with exp(u) = exp(S)^g
	fired   []bool              // whether each rule fired
	order   []ruleID
	dropped []Condition
	sums    []*sum     // memory to be used again
	lists   []*product // memory to be used again
	capped  bool       // a node was still changing after maxRounds
}

// maxRounds bounds the rewriting of one node. A test shows that it is not reached.
const maxRounds = 64

// maxKept bounds the nodes that a Simplifier keeps between expressions.
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

// reset forgets all nodes and learns the facts again, whose canonical forms are nodes too.
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
	s.forget() // forget ranges that were found without the facts
}

// forget forgets what is known of the nodes.
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

// rewrite returns the canonical form of e: it rewrites until nothing changes.
func (s *Simplifier) rewrite(e *expr.Expr) *expr.Expr {
	if out := s.done[e]; out != nil {
		return out
	}
	out := e
	for round := 0; ; round++ {
		next := s.round(out)
		stable := next.Hash() == out.Hash() // the same form, maybe in other nodes
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

// round rewrites e once: as a sum or a product if it is one, else its arguments first and then the node. It returns e
// itself only if e is interned and canonical.
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

// apply returns what the first rule that applies makes of n, or n.
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
