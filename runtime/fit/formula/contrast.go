package formula

import (
	"errors"
	"strings"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

// Contrast is an arithmetic expression of parameters at given values of columns, such as v[conf=HC] - v[conf=LC].
type Contrast struct {
	Op          Op         // OpNumber, OpColumn for a parameter, or an operation
	Number      float64    // number of an OpNumber
	At          *Condition // condition of an OpColumn
	Left, Right *Contrast  // the operands; OpNegate has only Left
}

// Condition is a parameter, or a coefficient, at given values of columns.
type Condition struct {
	Pos      Pos
	Name     string
	Settings []Setting
}

// Setting is the value of one column: a label, or the text of a number.
type Setting struct {
	Pos    Pos
	Column string
	Value  string
}

var contrastTokens = lexer.MustSimple([]lexer.SimpleRule{
	{Name: "Space", Pattern: `[ \t\r\n]+`},
	{Name: "Number", Pattern: `(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?`},
	{Name: "Ident", Pattern: identifier},
	{Name: "Quoted", Pattern: "`[^`\x00-\x1f]*`"},
	{Name: "String", Pattern: `"[^"\x00-\x1f]*"|'[^'\x00-\x1f]*'`},
	{Name: "Sign", Pattern: `[-+*/()\[\],=]`},
	{Name: "Stray", Pattern: `(?s).`},
})

var contrastParser = participle.MustBuild[contrastTree](participle.Lexer(contrastTokens), participle.Elide("Space"), participle.UseLookahead(1))

type contrastTree struct {
	First *contrastProduct `parser:"@@"`
	Rest  []*contrastSum   `parser:"@@*"`
}

type contrastSum struct {
	Op   string           `parser:"@('+' | '-')"`
	Term *contrastProduct `parser:"@@"`
}

type contrastProduct struct {
	First *contrastUnary    `parser:"@@"`
	Rest  []*contrastFactor `parser:"@@*"`
}

type contrastFactor struct {
	Op    string         `parser:"@('*' | '/')"`
	Unary *contrastUnary `parser:"@@"`
}

type contrastUnary struct {
	Negate *contrastUnary `parser:"  '-' @@"`
	Number string         `parser:"| @Number"`
	Value  *contrastValue `parser:"| @@"`
	Paren  *contrastTree  `parser:"| '(' @@ ')'"`
}

type contrastValue struct {
	Pos      lexer.Position
	Name     string             `parser:"@(Ident | Quoted)"`
	Settings []*contrastSetting `parser:"( '[' @@ (',' @@)* ']' )?"`
}

type contrastSetting struct {
	Pos    lexer.Position
	Column string `parser:"@(Ident | Quoted) '='"`
	Minus  string `parser:"@'-'?"`
	Value  string `parser:"@(Ident | String | Number)"`
}

// ParseContrast parses a contrast. A syntax error is an *Error.
func ParseContrast(text string) (*Contrast, error) {
	if err := checkText(text); err != nil {
		return nil, err
	}
	if strings.Count(text, "(") > MaxDepth || strings.Count(text, "-") > 8*MaxDepth {
		return nil, errorf(Pos{1, 1}, "more than %d parentheses, or %d minus signs", MaxDepth, 8*MaxDepth)
	}
	tree, err := contrastParser.ParseString("", text)
	var unexpected *participle.UnexpectedTokenError
	switch {
	case errors.As(err, &unexpected) && unexpected.Unexpected.EOF():
		return nil, errorf(at(unexpected.Unexpected.Pos), "unexpected end, expected a parameter, a number or a sign")
	case errors.As(err, &unexpected):
		return nil, errorf(at(unexpected.Unexpected.Pos), "unexpected %s, expected something like v[conf=HC] - v[conf=LC]", quote(unexpected.Unexpected.Value))
	case err != nil:
		return nil, err
	}
	return tree.contrast()
}

func (t *contrastTree) contrast() (*Contrast, error) {
	left, err := t.First.contrast()
	for _, next := range t.Rest {
		var right *Contrast
		if err == nil {
			right, err = next.Term.contrast()
			left = &Contrast{Op: map[string]Op{"+": OpAdd, "-": OpSubtract}[next.Op], Left: left, Right: right}
		}
	}
	return left, err
}

func (t *contrastProduct) contrast() (*Contrast, error) {
	left, err := t.First.contrast()
	for _, next := range t.Rest {
		var right *Contrast
		if err == nil {
			right, err = next.Unary.contrast()
			left = &Contrast{Op: map[string]Op{"*": OpMultiply, "/": OpDivide}[next.Op], Left: left, Right: right}
		}
	}
	return left, err
}

func (t *contrastUnary) contrast() (*Contrast, error) {
	switch {
	case t.Negate != nil:
		inner, err := t.Negate.contrast()
		return &Contrast{Op: OpNegate, Left: inner}, err
	case t.Number != "":
		x, err := number(t.Number, Pos{1, 1})
		return &Contrast{Op: OpNumber, Number: x}, err
	case t.Paren != nil:
		return t.Paren.contrast()
	}
	c := &Condition{Pos: at(t.Value.Pos), Name: strings.Trim(t.Value.Name, "`")}
	for _, s := range t.Value.Settings {
		set := Setting{at(s.Pos), strings.Trim(s.Column, "`"), s.Minus + strings.Trim(s.Value, `"'`)}
		for _, old := range c.Settings {
			if old.Column == set.Column {
				return nil, errorf(set.Pos, "%s is set twice", quote(set.Column))
			}
		}
		c.Settings = append(c.Settings, set)
	}
	return &Contrast{Op: OpColumn, At: c}, nil
}

// Conditions returns all parameters and coefficients in the contrast, from left to right.
func (c *Contrast) Conditions() []*Condition {
	switch {
	case c == nil:
		return nil
	case c.At != nil:
		return []*Condition{c.At}
	}
	return append(c.Left.Conditions(), c.Right.Conditions()...)
}

// Value returns the value of the contrast. The function `value` returns the values of its parameters and coefficients.
func (c *Contrast) Value(value func(*Condition) float64) float64 {
	switch c.Op {
	case OpColumn:
		return value(c.At)
	case OpNumber:
		return c.Number
	case OpNegate:
		return -c.Left.Value(value)
	}
	return c.Op.apply(c.Left.Value(value), c.Right.Value(value))
}

// Errorf returns an error with a position in the contrast's text.
func (c *Condition) Errorf(pos Pos, format string, args ...any) *Error {
	return errorf(pos, format, args...)
}
