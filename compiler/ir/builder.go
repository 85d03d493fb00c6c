package ir

import (
	"fmt"
	"math"

	"likc/compiler/expr"
)

// Builder builds the list of a program's values. It gives equal values the same ID, so that common subexpressions are shared.
type Builder struct {
	values []Value
	index  map[string]ID
}

// NewBuilder returns an empty builder that shares equal values.
func NewBuilder() *Builder { return &Builder{index: map[string]ID{}} }

// Values returns the values that were added, in order.
func (b *Builder) Values() []Value { return b.values }

// Value returns the value at id.
func (b *Builder) Value(id ID) Value { return b.values[id] }

// Add returns the ID of the value v with the arguments. It appends the value if it is new.
func (b *Builder) Add(v Value, args ...ID) ID {
	v.Args = args
	if v.Kind == Apply && v.Op.Info().Commutative && args[0] > args[1] {
		v.Args = []ID{args[1], args[0]}
	}
	key := fmt.Sprint(v.Kind, v.Op, v.Args, math.Float64bits(v.Num), v.Index, v.Group)
	if id, ok := b.index[key]; ok {
		return id
	}
	id := ID(len(b.values))
	b.values = append(b.values, v)
	b.index[key] = id
	return id
}

// Num returns the constant x.
func (b *Builder) Num(x float64) ID { return b.Add(Value{Kind: Const, Num: x}) }

// Apply returns op of args.
func (b *Builder) Apply(op expr.Op, args ...ID) ID { return b.Add(Value{Kind: Apply, Op: op}, args...) }

// IsNum reports whether the value at id is the constant x.
func (b *Builder) IsNum(id ID, x float64) bool {
	v := b.values[id]
	return v.Kind == Const && v.Num == x
}
