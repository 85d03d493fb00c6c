package csrc

import (
	"fmt"
	"strings"

	"likc/compiler/expr"
	"likc/compiler/ir"
)

// block prints the statements of one function or loop: each value as one definition.
type block struct {
	u      *unit
	names  *scope
	known  map[ir.ID]string // how to refer to a value
	suffix string           // of the names that a second trial side by side gets
	depth  int
	list   []string
}

func (u *unit) newBlock() *block {
	return &block{u: u, names: u.top.inner(), known: map[ir.ID]string{}, depth: 1}
}

// inner is a block within b, with everything known there.
func (b *block) inner() *block {
	c := &block{u: b.u, names: b.names.inner(), known: make(map[ir.ID]string, len(b.known)), depth: b.depth + 1}
	for id, name := range b.known {
		c.known[id] = name
	}
	return c
}

// add prints a statement.
func (b *block) add(format string, args ...any) {
	b.list = append(b.list, strings.Repeat("\t", b.depth)+fmt.Sprintf(format, args...))
}

// nest prints an inner block within braces after head.
func (b *block) nest(head string, w *block) {
	b.add("%s {", head)
	b.list = append(b.list, w.list...)
	b.add("}")
}

// ref refers to a value.
func (b *block) ref(id ir.ID) string {
	if b.u.constant[id] {
		return number(b.u.number[id])
	}
	name, ok := b.known[id]
	if !ok {
		panic(fmt.Sprintf("csrc: value %d is used before it is defined", id))
	}
	return name
}

// define prints values, in order, skipping constants and what is known already:
//
//	const double t0 = a * a;
//	const double t1 = exp(t0);
func (b *block) define(ids ...ir.ID) {
	for _, id := range ids {
		v := b.u.p.Values[id]
		if _, known := b.known[id]; known || v.Kind != ir.Apply || b.u.constant[id] {
			continue
		}
		text := b.apply(v)
		b.declare(id, text)
	}
}

// declare names a value and prints its definition.
func (b *block) declare(id ir.ID, text string) {
	name := b.u.p.Values[id].Name
	if name != "" {
		name += b.suffix
	}
	b.known[id] = b.names.name(name)
	b.add("const double %s = %s;", b.known[id], text)
}

// apply spells an operator with its arguments, by the operator table.
func (b *block) apply(v ir.Value) string {
	var x []string
	for _, a := range v.Args {
		x = append(x, b.ref(a))
	}
	s := v.Op.In(expr.C)
	switch s.Kind {
	case expr.Binary:
		return x[0] + " " + s.Text + " " + x[1]
	case expr.Unary:
		return s.Text + x[0]
	case expr.Self:
		return x[0] + " " + s.Text + " " + x[0]
	case expr.Under:
		return "1.0 " + s.Text + " " + x[0]
	default: // a Function or a Local; checkProgram has refused the rest
		return s.Text + "(" + strings.Join(x, ", ") + ")"
	}
}

// violated is the negation of all conditions together, by bit patterns, so that a NaN violates them under any flags:
//
//	!(below(t, d->upper.min_rt))
func (b *block) violated(conditions []ir.Cond) string {
	var all []string
	for _, c := range conditions {
		all = append(all, "below("+b.ref(c.Left)+", "+b.ref(c.Right)+")")
	}
	return "!(" + strings.Join(all, " && ") + ")"
}

const minusInfinity = "from_bits(UINT64_C(0xfff0000000000000))"
