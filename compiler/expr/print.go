package expr

import (
	"strconv"
	"strings"
)

// Precedences of the grammar, loosest first.
const (
	precOr = iota + 1
	precAnd
	precCompare
	precSum
	precProduct
	precUnary
	precPower
	precPrimary
)

// String writes the expression with the fewest parentheses; what it writes parses back to the same expression. A condition
// is in parentheses, as the grammar wants it everywhere but between the commas of a call.
func (e *Expr) String() string { return e.Format(nil) }

// Format is String with names for some nodes, found by identity: a model prints its lets so.
func (e *Expr) Format(names map[*Expr]string) string {
	var b strings.Builder
	write(&b, e, precSum, names)
	return b.String()
}

// write prints e where the grammar expects at least precedence prec.
func write(b *strings.Builder, e *Expr, prec int, names map[*Expr]string) {
	if name, ok := names[e]; ok {
		b.WriteString(name)
		return
	}
	own := precedence(e)
	if own < prec {
		b.WriteByte('(')
		defer b.WriteByte(')')
	}
	info := e.Op.Info()
	switch info.Notation {
	case Leaf:
		b.WriteString(leaf(e))
	case Infix: // left-associative: the right operand binds tighter
		left := own
		if own == precCompare { // a < b < c is not in the grammar
			left++
		}
		write(b, e.Args[0], left, names)
		b.WriteString(" " + info.Text + " ")
		write(b, e.Args[1], own+1, names)
	case Prefix:
		b.WriteString(info.Text)
		write(b, e.Args[0], precUnary, names)
	case Superscript: // right-associative: the base is a primary, the exponent a unary
		write(b, e.Args[0], precPrimary, names)
		b.WriteByte('^')
		if info.Arity == 1 {
			b.WriteString(info.Text)
			return
		}
		write(b, e.Args[1], precUnary, names)
	default:
		writeCall(b, e, names)
	}
}

func writeCall(b *strings.Builder, e *Expr, names map[*Expr]string) {
	b.WriteString(e.Op.Info().Name)
	if e.Op == Sum {
		b.WriteString("[" + e.Name + "]")
	}
	b.WriteByte('(')
	for i, a := range e.Args {
		if i > 0 {
			b.WriteString(", ")
		}
		write(b, a, precOr, names)
	}
	b.WriteByte(')')
}

func leaf(e *Expr) string {
	if e.Op == Sym {
		return e.Name
	}
	return Literal(e.Value)
}

// Literal writes a number as the shortest literal that reads back as the same float64.
func Literal(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

func precedence(e *Expr) int {
	if e.Op == Const && Literal(e.Value)[0] == '-' {
		return precUnary
	}
	return e.Op.Info().Prec
}
