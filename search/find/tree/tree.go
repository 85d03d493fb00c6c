// Package tree represents expressions for the search as postfix codes: one byte for each node, operands before operators. Such
// trees are fast to copy, cut and hash.
package tree

import (
	"math"
	"math/bits"
	"slices"

	"likc/compiler/expr"
)

// Code is one node: a symbol's index (below [MaxSymbols]), [Constant], or an operator (128 + expr.Op).
type Code uint8

// MaxSymbols is the largest number of symbols, because a set of symbols is one machine word.
const MaxSymbols = 64

// Constant is the code of a leaf that is a number; the number is in the tree's Values.
const Constant Code = 64

const firstOperator = 128

// Operator returns the code of op.
func Operator(op expr.Op) Code { return firstOperator + Code(op) }

// Op returns the operator whose code is c; it returns false for leaves.
func (c Code) Op() (expr.Op, bool) {
	if c < firstOperator || arities[c] == 0 {
		return 0, false
	}
	return expr.Op(c - firstOperator), true
}

// Arity returns the number of operands of c; 0 for leaves.
func (c Code) Arity() int { return int(arities[c]) }

// Commutative reports whether c is an operator whose two operands can be swapped.
func (c Code) Commutative() bool { return commutative[c] }

// arities and commutative hold the operator table's columns by code.
var arities, commutative = columns()

func columns() (arity [256]uint8, swaps [256]bool) {
	for _, op := range expr.Ops() {
		info := op.Info()
		if info.Notation == expr.Leaf || info.Internal {
			continue
		}
		arity[Operator(op)], swaps[Operator(op)] = uint8(info.Arity), info.Commutative
	}
	return arity, swaps
}

// Tree is an expression in postfix order: operands before operators, left before right.
type Tree struct {
	Codes  []Code
	Values []float64 // values of the Constant leaves in order of appearance; nil without constants
}

// Size returns the number of nodes, including leaves: the measure of complexity in a search.
func (t Tree) Size() int { return len(t.Codes) }

// Symbols returns the set of symbols in the tree: bit i is set if symbol i occurs.
func (t Tree) Symbols() uint64 {
	var mask uint64
	for _, c := range t.Codes {
		if c < Constant {
			mask |= 1 << c
		}
	}
	return mask
}

// Constants returns the number of Constant leaves.
func (t Tree) Constants() int { return len(t.Values) }

// Clone returns a copy that shares nothing with t.
func (t Tree) Clone() Tree {
	return Tree{Codes: slices.Clone(t.Codes), Values: slices.Clone(t.Values)}
}

// Equal reports whether t and u have the same nodes and bitwise equal constants.
func (t Tree) Equal(u Tree) bool {
	same := func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }
	return slices.Equal(t.Codes, u.Codes) && slices.EqualFunc(t.Values, u.Values, same)
}

// Starts appends to dst, for each i, the index where the subtree that ends at i starts. The right operand of a binary
// operator at i ends at i-1, its left operand at Starts[i-1]-1.
func (t Tree) Starts(dst []int) []int {
	base := len(dst)
	for i, c := range t.Codes {
		start := i
		for range arities[c] {
			start = dst[base+start-1]
		}
		dst = append(dst, start)
	}
	return dst
}

// onStack is the size up to which a tree's methods need no heap memory.
const onStack = 128

// Hash returns a hash that is equal for trees that differ only in the order of the operands of commutative operators.
func (t Tree) Hash() uint64 {
	var buffer [onStack]uint64
	stack, value := buffer[:0], 0
	for _, c := range t.Codes {
		switch n := len(stack); arities[c] {
		case 0:
			h := mix(uint64(c) + 1)
			if c == Constant {
				h = combine(h, math.Float64bits(t.Values[value]))
				value++
			}
			stack = append(stack, h)
		case 1:
			stack[n-1] = combine(uint64(c)+1, stack[n-1])
		case 2:
			a, b := stack[n-2], stack[n-1]
			if commutative[c] && a > b {
				a, b = b, a
			}
			stack = append(stack[:n-2], combine(combine(uint64(c)+1, a), b))
		default:
			stack = append(stack[:n-3], combine(combine(combine(uint64(c)+1, stack[n-3]), stack[n-2]), stack[n-1]))
		}
	}
	return stack[0]
}

// combine returns a hash of h and x that depends on their order.
func combine(h, x uint64) uint64 { return mix(bits.RotateLeft64(h, 23)*0x9e3779b97f4a7c15 + x) }

// mix returns the finaliser of splitmix64 (G. L. Steele et al., OOPSLA 2014).
func mix(h uint64) uint64 {
	h += 0x9e3779b97f4a7c15
	h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>27) * 0x94d049bb133111eb
	return h ^ h>>31
}
