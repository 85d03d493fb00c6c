// Package expr represents likelihoods: expressions of operators and symbols, and models, which declare the symbols. It has the
// table of all operators, with their values, derivatives and spellings in target languages. Expressions are graphs of immutable
// nodes.
package expr

import (
	"math"
	"strconv"
)

// Expr is one node of an expression. Nodes are immutable and may be shared, so an expression is a directed acyclic graph;
// build them with [New], [Num] and [Var] only.
type Expr struct {
	Op    Op
	Args  []*Expr
	Name  string  // the symbol of a Sym node; the group of a Sum node; the table of a NodeSum node
	Value float64 // the value of a Const node

	hash uint64
	size int
}

// maxSize is the largest value of Size: a graph of shared nodes can be a tree of astronomical size.
const maxSize = 1 << 29

// Num returns the constant leaf v.
func Num(v float64) *Expr {
	return seal(&Expr{Op: Const, Value: v})
}

// Var returns the leaf of the symbol name.
func Var(name string) *Expr {
	return seal(&Expr{Op: Sym, Name: name})
}

// New returns op applied to args. The negative of a constant becomes a constant, and a power with exponent 2 becomes a Square.
// New panics if the number of arguments is not the operator's arity.
func New(op Op, args ...*Expr) *Expr {
	if len(args) != op.Info().Arity {
		panic("expr: " + op.String() + " takes " + strconv.Itoa(op.Info().Arity) + " arguments")
	}
	switch {
	case op == Neg && args[0].Op == Const:
		return Num(-args[0].Value)
	case op == Pow && args[1].Op == Const && args[1].Value == 2:
		return New(Square, args[0])
	}
	return seal(&Expr{Op: op, Args: args})
}

// SumOver returns the sum of x over the trials of group.
func SumOver(group string, x *Expr) *Expr {
	return seal(&Expr{Op: Sum, Args: []*Expr{x}, Name: group})
}

// SumOverNodes returns the sum of x over the nodes of a table of [Looped].
func SumOverNodes(table string, x *Expr) *Expr {
	return seal(&Expr{Op: NodeSum, Args: []*Expr{x}, Name: table})
}

// seal computes a node's size and hash, and returns the node.
func seal(e *Expr) *Expr {
	h := mix(uint64(e.Op)+1, math.Float64bits(e.Value))
	for i := 0; i < len(e.Name); i++ {
		h = mix(h, uint64(e.Name[i]))
	}
	e.size = 1
	for _, a := range e.Args {
		h = mix(h, a.hash)
		e.size = min(e.size+a.size, maxSize)
	}
	e.hash = h
	return e
}

// mix returns the hash h extended by x. It scrambles bits with the finaliser of splitmix64 [steele2014].
func mix(h, x uint64) uint64 {
	h ^= x + 0x9e3779b97f4a7c15 + h<<6 + h>>2
	h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>27) * 0x94d049bb133111eb
	return h ^ h>>31
}

// Size returns the number of nodes of the expression written as a tree, the measure of complexity in symbolic regression.
func (e *Expr) Size() int { return e.size }

// Hash returns a number that is the same for equal expressions.
func (e *Expr) Hash() uint64 { return e.hash }

// IsNum reports whether e is the constant v.
func (e *Expr) IsNum(v float64) bool { return e.Op == Const && e.Value == v }

// Equal reports whether e and f are the same expression, node for node.
func (e *Expr) Equal(f *Expr) bool {
	return equal(e, f, map[[2]*Expr]bool{})
}

// equal reports whether e and f are the same expression. In seen are the pairs of nodes that were found equal.
func equal(e, f *Expr, seen map[[2]*Expr]bool) bool {
	if e == f {
		return true
	}
	if e.hash != f.hash || e.Op != f.Op || e.Name != f.Name || len(e.Args) != len(f.Args) ||
		math.Float64bits(e.Value) != math.Float64bits(f.Value) {
		return false
	}
	pair := [2]*Expr{e, f}
	if len(e.Args) > 0 && seen[pair] {
		return true
	}
	for i := range e.Args {
		if !equal(e.Args[i], f.Args[i], seen) {
			return false
		}
	}
	seen[pair] = true
	return true
}

// Order returns the distinct nodes below roots, arguments before the nodes that use them.
func Order(roots ...*Expr) []*Expr {
	var list []*Expr
	seen := map[*Expr]bool{}
	var walk func(*Expr)
	walk = func(e *Expr) {
		if seen[e] {
			return
		}
		seen[e] = true
		for _, a := range e.Args {
			walk(a)
		}
		list = append(list, e)
	}
	for _, r := range roots {
		walk(r)
	}
	return list
}

// Map rebuilds e from its leaves up. It calls f once for each distinct node, with the node's arguments already rebuilt.
func Map(e *Expr, f func(node *Expr, args []*Expr) *Expr) *Expr {
	return NewMapper(f).Map(e)
}

// Mapper does what [Map] does for several expressions. It remembers the nodes that it has rebuilt, so that nodes which the
// expressions share stay shared.
type Mapper struct {
	f    func(node *Expr, args []*Expr) *Expr
	done map[*Expr]*Expr // the rebuilt nodes
}

// NewMapper returns a mapper that applies f.
func NewMapper(f func(node *Expr, args []*Expr) *Expr) *Mapper {
	return &Mapper{f: f, done: map[*Expr]*Expr{}}
}

// NewInterner returns a mapper that turns equal expressions into one shared node.
func NewInterner() *Mapper {
	known := map[uint64][]*Expr{}
	return NewMapper(func(n *Expr, args []*Expr) *Expr {
		n = n.With(args)
		for _, k := range known[n.Hash()] {
			if k.Equal(n) {
				return k
			}
		}
		known[n.Hash()] = append(known[n.Hash()], n)
		return n
	})
}

// Map rebuilds e. It reuses nodes that earlier calls have rebuilt.
func (m *Mapper) Map(e *Expr) *Expr {
	for _, n := range Order(e) {
		if m.done[n] != nil {
			continue
		}
		args := make([]*Expr, len(n.Args))
		for i, a := range n.Args {
			args[i] = m.done[a]
		}
		m.done[n] = m.f(n, args)
	}
	return m.done[e]
}

// With returns node e with other arguments; e itself if they are the same nodes.
func (e *Expr) With(args []*Expr) *Expr {
	same := true
	for i, a := range args {
		same = same && a == e.Args[i]
	}
	switch {
	case same:
		return e
	case e.Op == Sum:
		return SumOver(e.Name, args[0])
	case e.Op == NodeSum:
		return SumOverNodes(e.Name, args[0])
	}
	return New(e.Op, args...)
}

// Substitution returns a mapper that replaces symbols by expressions, all at once.
func Substitution(values map[string]*Expr) *Mapper {
	return NewMapper(func(n *Expr, args []*Expr) *Expr {
		if n.Op == Sym {
			if v := values[n.Name]; v != nil {
				return v
			}
		}
		return n.With(args)
	})
}

// Symbols returns the names of the symbols in the expressions, in order of first appearance.
func Symbols(roots ...*Expr) []string {
	var names []string
	seen := map[string]bool{}
	for _, n := range Order(roots...) {
		if n.Op == Sym && !seen[n.Name] {
			seen[n.Name] = true
			names = append(names, n.Name)
		}
	}
	return names
}
