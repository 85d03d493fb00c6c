package formula

import (
	"errors"
	"fmt"
	"strings"

	"likc/compiler/source"

	"github.com/alecthomas/participle/v2/lexer"
)

// Error is an error in a formula, or in its data, with the position in the formula's text.
type Error struct {
	Pos Pos
	Msg string // one line
}

// Error returns formula:LINE:COLUMN: what.
func (e *Error) Error() string { return fmt.Sprintf("formula:%s: %s", e.Pos, e.Msg) }

func errorf(pos Pos, format string, args ...any) *Error {
	return &Error{Pos: pos, Msg: fmt.Sprintf(format, args...)}
}

func at(p lexer.Position) Pos { return Pos{p.Line, p.Column} }

// quote shows a piece of the text on one line.
func quote(text string) string { return source.Quote(text) }

// expectations maps the parser's name of a part of the grammar to the words used in error messages. Parts that are not listed keep
// the parser's name.
var expectations = map[string]string{
	"ProductTree":  "a term",
	"AtomTree":     "a term",
	"NameTree":     "a column's name",
	"NestingTree":  "a column's name",
	"CrossingTree": "a column's name",
	"CallTree":     "a column or arithmetic",
	"ArithTree":    "a column or arithmetic",
	"FactorTree":   "a column or arithmetic",
	"UnaryTree":    "a column or arithmetic",
	"OptionTree":   `reference="LEVEL" or Treatment(reference="LEVEL")`,
	"LevelTree":    "a level in quotes",
	"<number>":     "a level in quotes",
	`(("="`:        `"=" or "("`,
	`")"`:          `an operator or ")"`,
}

// hints explain why a character is not allowed among the terms, if that is not obvious.
var hints = map[string]string{
	"|":  "a group term stands in parentheses: (1 + x | g)",
	"||": "a group term stands in parentheses: (1 + x || g)",
	"/":  "it stands between groupings, or in I(...); for a/b write a + a:b",
	"^":  "powers stand in I(...)",
	"**": "powers stand in I(...)",
}

// explain converts participle's error about a text into an *Error.
func explain(err error, text string) error {
	var ours *Error
	if errors.As(err, &ours) {
		return ours
	}
	token, what, want := source.Unexpected(err)
	if token == nil {
		return err
	}
	atEnd := want == "" // whether the formula could have ended before the token
	if before := text[:token.Pos.Offset]; token.Value == "|" && strings.Contains(before[strings.LastIndex(before, "(")+1:], "|") {
		return errorf(at(token.Pos), "%s: group terms are not correlated across parameters, expected (1 | g) in place of (1 | id | g)", what)
	}
	if hint := hints[token.Value]; hint != "" && (atEnd || want == `")"`) {
		return errorf(at(token.Pos), "%s: %s", what, hint)
	}
	want, _, _ = strings.Cut(want, " ")
	if noun, found := expectations[want]; found {
		want = noun
	}
	switch {
	case strings.TrimSpace(text[:token.Pos.Offset]) == "":
		want = "a parameter's name"
	case atEnd:
		want = `"+", "*", ":" or the end`
	}
	return errorf(at(token.Pos), "%s, expected %s", what, want)
}
