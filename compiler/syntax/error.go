package syntax

import (
	"errors"
	"fmt"
	"strings"

	"likc/compiler/source"

	"github.com/alecthomas/participle/v2/lexer"
)

// Error says what is wrong with a text, and where.
type Error struct {
	Pos lexer.Position
	Msg string // the offending token and what was expected, in one line
}

// Error returns FILE:LINE:COL: what.
func (e *Error) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", e.Pos.Filename, e.Pos.Line, e.Pos.Column, e.Msg)
}

func errorf(pos lexer.Position, format string, args ...any) *Error {
	return &Error{Pos: pos, Msg: fmt.Sprintf(format, args...)}
}

// quote returns a piece of the text in quotes, on one line.
func quote(text string) string { return source.Quote(text) }

// expectations gives words for pieces of the grammar that participle's messages describe unclearly.
var expectations = map[string]string{
	"Name":        "a name",
	"Assign":      "a name",
	"Let":         "a name",
	"Choice":      "a name",
	"Arg":         "an expression",
	"Cond":        "an expression",
	"AndCond":     "an expression",
	"Compare":     "an expression",
	"Expr":        "an expression",
	"Interval":    `"["`,
	"Term":        "an expression",
	"Unary":       "an expression",
	"Support":     "an expression",
	"Bound":       "a number",
	"Lapse":       "a number",
	"Number":      "a number",
	"Param":       "a name",
	"Simulator":   "a name",
	"State":       "a name",
	"Next":        `"{"`,
	"Import":      "a path in quotes",
	"Path":        "a path in quotes",
	"Use":         "a name or a path in quotes",
	"Trial":       "a name",
	"End":         `a declaration or "}"`,
	"EvidenceEnd": `start, drift, noise, upper, lower, reflect or "}"`,
	"Evidence":    "a name",
	`"}"`:         `an assignment or "}"`,
	`")"`:         `an operator or ")"`,
	`"<"`:         `an operator or "<"`,
}

// explain turns an error of the parser library participle into an *Error. last says what was expected if the text was complete
// before the unexpected token.
func explain(err error, text, last string) error {
	if ours, ok := errors.AsType[*Error](err); ok {
		return ours
	}
	token, what, expected := source.Unexpected(err)
	if token == nil {
		return err
	}
	if expected, _, _ = strings.Cut(expected, " "); expected == "" {
		expected = last
	}
	if noun, ok := expectations[expected]; ok {
		expected = noun
	}
	if (expected == expectations["End"] || expected == expectations["EvidenceEnd"]) && endsExpr(text[:token.Pos.Offset]) {
		expected = "an operator, " + expected
	}
	return errorf(token.Pos, "%s, expected %s", what, expected)
}

// endsExpr reports whether text, the part of a model before the wrong token, ends with an operand of an expression, in a
// support, let or loglik.
func endsExpr(text string) bool {
	tokens, err := scan("", text)
	if err != nil {
		return false
	}
	var keyword, before, last lexer.Token // keyword is the last one, which says what the declaration is
	for !tokens.Peek().EOF() {
		if before, last = last, *tokens.Next(); last.Type == tokenKeyword {
			keyword = last
		}
	}
	ends := endsOperand(last) || last.Value == "]" && keyword.Value != "in" // after "in", "]" ends a range
	return ends && keyword.Value != "trial" && keyword.Value != "choice" && before.Value != "simulator" && before.Value != "use"
}
