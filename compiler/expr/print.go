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

// String returns the expression as text with the fewest parentheses. Parsing the text gives the same expression. A condition is
// in parentheses, which the grammar requires everywhere except between the commas of a call.
func (e *Expr) String() string { return e.Format(nil) }

// Format does what String does, but writes a name for each node in names. A model prints its lets this way.
func (e *Expr) Format(names map[*Expr]string) string { return e.Spans(names, func(*Expr, int, int) {}) }

// Spans does what Format does. For every node that it writes, it calls each with the node and the position of its text, without
// the parentheses around it: bytes start to end, end excluded. Arguments come before the node.
func (e *Expr) Spans(names map[*Expr]string, each func(node *Expr, start, end int)) string {
	p := printer{names: names, each: each}
	p.write(e, precSum)
	return p.String()
}

// printer writes an expression.
type printer struct {
	strings.Builder
	names map[*Expr]string
	each  func(node *Expr, start, end int)
}

// write prints e where the grammar expects at least precedence prec.
func (p *printer) write(e *Expr, prec int) {
	name, named := p.names[e]
	brackets := !named && precedence(e) < prec
	if brackets {
		p.WriteByte('(')
	}
	start := p.Len()
	if named {
		p.WriteString(name)
	} else {
		p.writeBare(e)
	}
	p.each(e, start, p.Len())
	if brackets {
		p.WriteByte(')')
	}
}

// writeBare prints e without parentheses around it.
func (p *printer) writeBare(e *Expr) {
	prec, info := precedence(e), e.Op.Info()
	switch info.Notation {
	case Leaf:
		p.WriteString(leaf(e))
	case Infix: // left-associative: the right operand binds tighter
		left := prec
		if prec == precCompare { // the grammar has no a < b < c
			left++
		}
		p.write(e.Args[0], left)
		p.WriteString(" " + info.Text + " ")
		p.write(e.Args[1], prec+1)
	case Prefix:
		p.WriteString(info.Text)
		p.write(e.Args[0], precUnary)
	case Superscript: // right-associative: the base is a primary, the exponent a unary
		p.write(e.Args[0], precPrimary)
		p.WriteByte('^')
		if info.Arity == 1 {
			p.WriteString(info.Text)
			return
		}
		p.write(e.Args[1], precUnary)
	default:
		p.writeCall(e)
	}
}

func (p *printer) writeCall(e *Expr) {
	p.WriteString(e.Op.Info().Name)
	if e.Op == Sum || e.Op == NodeSum {
		p.WriteString("[" + e.Name + "]")
	}
	p.WriteByte('(')
	for i, a := range e.Args {
		if i > 0 {
			p.WriteString(", ")
		}
		p.write(a, precOr)
	}
	p.WriteByte(')')
}

func leaf(e *Expr) string {
	if e.Op == Sym {
		return e.Name
	}
	return Literal(e.Value)
}

// Literal writes a number as the shortest literal that reads back as the same float64.
func Literal(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// Rounded returns a number rounded to so many significant digits. Infinities and NaN are returned unchanged.
func Rounded(v float64, digits int) float64 {
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', digits, 64), 64) // no error: FormatFloat has written the text
	return rounded
}

func precedence(e *Expr) int {
	if e.Op == Const && Literal(e.Value)[0] == '-' {
		return precUnary
	}
	return e.Op.Info().Prec
}
