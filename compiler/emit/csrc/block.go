package csrc

import (
	"fmt"
	"maps"
	"strings"

	"likc/compiler/emit/plan"
	"likc/compiler/expr"
	"likc/compiler/ir"
)

// lines is a list of indented C statements.
type lines struct {
	depth int      // the depth of indentation of the next statement
	list  []string // the statements so far
}

// add prints a statement.
func (t *lines) add(format string, args ...any) {
	t.list = append(t.list, strings.Repeat("\t", t.depth)+fmt.Sprintf(format, args...))
}

// nest prints head and braces around the statements that the function inside prints.
func (t *lines) nest(head string, inside func(t *lines)) {
	t.add("%s {", head)
	t.depth++
	inside(t)
	t.depth--
	t.add("}")
}

// block prints the statements of a loop over trials: each value as one definition.
type block struct {
	*unit
	*lines
	names  *plan.Names      // the names that are taken in this block
	known  map[ir.ID]string // the C expression by which to refer to a value that is defined
	suffix string           // what is appended to names of the second trial, in a loop that takes two trials at a time
}

func (u *unit) newBlock() *block {
	return &block{unit: u, lines: &lines{depth: 1}, names: u.Top.Inner(), known: map[ir.ID]string{}}
}

// inner returns a block within b. It prints into the same lines, and its statements may use the values that b has defined.
func (b *block) inner() *block {
	c := &block{unit: b.unit, lines: b.lines, names: b.names.Inner(), known: make(map[ir.ID]string, len(b.known))}
	maps.Copy(c.known, b.known)
	return c
}

// at returns the C expression of a value that was defined earlier.
func (b *block) at(id ir.ID) string {
	if b.Constant[id] {
		return number(b.Number[id])
	}
	name, ok := b.known[id]
	if !ok {
		panic(fmt.Sprintf("csrc: value %d is used before it is defined", id))
	}
	return name
}

// define prints the definitions of values, in order. It skips constants and values that are defined already:
//
//	const double t0 = a * a;
//	const double t1 = exp(t0);
func (b *block) define(ids ...ir.ID) {
	for _, id := range ids {
		v := b.Values[id]
		if _, known := b.known[id]; v.Kind == ir.NodeSum && !known {
			b.overNodes(v.Group, ids)
		}
		if _, known := b.known[id]; known || v.Kind != ir.Apply || b.Constant[id] {
			continue
		}
		var x []string
		for _, a := range v.Args {
			x = append(x, b.at(a))
		}
		b.declare(id, spell(v.Op, x))
	}
}

// declare names a value and prints its definition.
func (b *block) declare(id ir.ID, text string) {
	name := b.Values[id].Name
	if name != "" {
		name += b.suffix
	}
	b.known[id] = b.names.Declare(name)
	b.add("const double %s = %s;", b.known[id], text)
}

// spell writes an operator with its arguments; the plan has refused operators that C cannot spell.
func spell(op expr.Op, x []string) string { return op.In(expr.C).Write("1.0", x) }
