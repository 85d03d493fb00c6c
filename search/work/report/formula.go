package report

import (
	"html"
	"strings"

	"github.com/DataDog/datadog-agent/pkg/template/html"

	"likc/compiler/expr"
)

// These are the precedences of typeset expressions, the lowest first.
const (
	bindRelation = iota
	bindSum
	bindProduct
	bindFraction
	bindPower
	bindAtom
)

// layout describes how an operator is typeset.
type layout struct {
	binds int                                         // precedence of the result
	write func(b *strings.Builder, args []*expr.Expr) // typesets the operator with its arguments
}

// layouts holds the layouts of the operators that are not written as NAME(ARGUMENTS).
var layouts map[expr.Op]layout

func init() {
	infix := func(binds int, sign string, right int) layout {
		return layout{binds, func(b *strings.Builder, args []*expr.Expr) {
			typeset(b, args[0], binds)
			b.WriteString("<mo>" + sign + "</mo>")
			typeset(b, args[1], right)
		}}
	}
	layouts = map[expr.Op]layout{
		expr.Add:       infix(bindSum, "+", bindSum),
		expr.Sub:       infix(bindSum, "−", bindProduct),
		expr.Mul:       infix(bindProduct, "⋅", bindProduct),
		expr.Less:      infix(bindRelation, "&lt;", bindSum),
		expr.LessEqual: infix(bindRelation, "≤", bindSum),
		expr.Div: {bindFraction, func(b *strings.Builder, args []*expr.Expr) {
			b.WriteString("<mfrac>")
			row(b, args[0])
			row(b, args[1])
			b.WriteString("</mfrac>")
		}},
		expr.Inv: {bindFraction, func(b *strings.Builder, args []*expr.Expr) {
			b.WriteString("<mfrac><mn>1</mn>")
			row(b, args[0])
			b.WriteString("</mfrac>")
		}},
		expr.Neg: {bindSum, func(b *strings.Builder, args []*expr.Expr) {
			b.WriteString("<mo form=\"prefix\">−</mo>")
			typeset(b, args[0], bindProduct)
		}},
		expr.Exp:    {bindPower, func(b *strings.Builder, args []*expr.Expr) { power(b, "<mi>e</mi>", args[0]) }},
		expr.Square: {bindPower, func(b *strings.Builder, args []*expr.Expr) { raise(b, args[0], expr.Num(2)) }},
		expr.Pow:    {bindPower, func(b *strings.Builder, args []*expr.Expr) { raise(b, args[0], args[1]) }},
		expr.Sqrt: {bindAtom, func(b *strings.Builder, args []*expr.Expr) {
			b.WriteString("<msqrt>")
			typeset(b, args[0], bindSum)
			b.WriteString("</msqrt>")
		}},
		expr.Abs: {bindAtom, func(b *strings.Builder, args []*expr.Expr) {
			b.WriteString("<mo>|</mo>")
			row(b, args[0])
			b.WriteString("<mo>|</mo>")
		}},
	}
}

// Formula typesets an expression in MathML. Each term of a sum is an element of its own, because browsers break no line within one.
func Formula(e *expr.Expr) template.HTML {
	var b strings.Builder
	for i, t := range expr.Summands(e) {
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		writeTerm(&b, t, i == 0)
	}
	return template.HTML(b.String())
}

// writeTerm typesets a term of a sum.
func writeTerm(b *strings.Builder, t expr.Summand, first bool) {
	sign := "+"
	if t.Negative {
		sign = "−"
	}
	b.WriteString(`<math displaystyle="true">`)
	if first {
		row(b, t.Value)
	} else {
		b.WriteString(`<mo form="infix">` + sign + "</mo>")
		typeset(b, t.Value, bindProduct)
	}
	b.WriteString("</math>")
}

// row writes e as an element of its own, for example as the numerator of a fraction.
func row(b *strings.Builder, e *expr.Expr) {
	b.WriteString("<mrow>")
	binds := bindRelation
	if e.Op == expr.Mul && e.Args[0].Op == expr.Const { // a negative number needs no brackets at the start of a row
		number(b, e.Args[0], bindSum)
		b.WriteString("<mo>⋅</mo>")
		e, binds = e.Args[1], bindProduct
	}
	typeset(b, e, binds)
	b.WriteString("</mrow>")
}

// typeset writes e, in brackets if its precedence is lower than `binds`.
func typeset(b *strings.Builder, e *expr.Expr, binds int) {
	switch l, known := layouts[e.Op]; {
	case e.Op == expr.Sym:
		b.WriteString("<mi>" + html.EscapeString(e.Name) + "</mi>")
	case e.Op == expr.Const:
		number(b, e, binds)
	case !known:
		call(b, e)
	case l.binds < binds:
		brackets(b, func() { l.write(b, e.Args) })
	default:
		l.write(b, e.Args)
	}
}

// number writes a constant, in brackets if it is negative and stands where the precedence `binds` is needed.
func number(b *strings.Builder, e *expr.Expr, binds int) {
	text := strings.Replace(expr.Literal(e.Value), "-", "−", 1)
	if strings.HasPrefix(text, "−") && binds > bindSum {
		brackets(b, func() { b.WriteString("<mn>" + text + "</mn>") })
		return
	}
	b.WriteString("<mn>" + text + "</mn>")
}

// call writes e as NAME(ARGUMENTS).
func call(b *strings.Builder, e *expr.Expr) {
	b.WriteString("<mi>" + html.EscapeString(e.Op.Info().Name) + "</mi>")
	brackets(b, func() {
		for i, a := range e.Args {
			if i > 0 {
				b.WriteString("<mo>,</mo>")
			}
			row(b, a)
		}
	})
}

func brackets(b *strings.Builder, inside func()) {
	b.WriteString("<mrow><mo>(</mo>")
	inside()
	b.WriteString("<mo>)</mo></mrow>")
}

func raise(b *strings.Builder, base, exponent *expr.Expr) {
	var inner strings.Builder
	typeset(&inner, base, bindAtom)
	power(b, "<mrow>"+inner.String()+"</mrow>", exponent)
}

func power(b *strings.Builder, base string, exponent *expr.Expr) {
	b.WriteString("<msup>" + base)
	row(b, exponent)
	b.WriteString("</msup>")
}
