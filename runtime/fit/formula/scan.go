package formula

import (
	"likc/compiler/source"

	"github.com/alecthomas/participle/v2/lexer"
)

var tokens = lexer.MustSimple([]lexer.SimpleRule{
	{Name: "Space", Pattern: `[ \t\r\n]+`},
	{Name: "Number", Pattern: `(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?`},
	{Name: "Ident", Pattern: identifier},
	{Name: "Quoted", Pattern: "`[^`\x00-\x1f]*`"},
	{Name: "String", Pattern: `"[^"\x00-\x1f]*"|'[^'\x00-\x1f]*'`},
	{Name: "Sign", Pattern: `\|\||\^|\*\*|[-+*/():,=~|]`},
	{Name: "Stray", Pattern: `(?s).`},
})

// identifier is the pattern of a name that needs no backquotes.
const identifier = `[\p{L}_][\p{L}\p{N}_.]*`

var (
	tokenSpace  = tokens.Symbols()["Space"]
	tokenNumber = tokens.Symbols()["Number"]
	tokenIdent  = tokens.Symbols()["Ident"]
	tokenStray  = tokens.Symbols()["Stray"]
)

// scan returns the tokens of text without white space. It returns an error for text that the parser must not see: characters outside
// the syntax, malformed numbers, and too many nested parentheses.
func scan(text string) (*lexer.PeekingLexer, error) {
	if err := checkText(text); err != nil {
		return nil, err
	}
	all, err := tokens.LexString("", text)
	if err != nil {
		return nil, err
	}
	depth := 0
	check := func(prev, t lexer.Token) error { return checkToken(prev, t, &depth) }
	return lexer.Upgrade(&source.Guard{Lexer: all, Check: check, Skip: []lexer.TokenType{tokenSpace}})
}

// checkText returns an error if text is too long or not valid UTF-8.
func checkText(text string) error {
	if len(text) > MaxBytes {
		return errorf(Pos{1, 1}, "formula has %d bytes, expected at most %d", len(text), MaxBytes)
	}
	if what, i := source.Flaw(text); what != "" {
		pos := lexer.Position{Line: 1, Column: 1}
		pos.Advance(text[:i])
		return errorf(at(pos), "%s", what)
	}
	return nil
}

// checkToken checks a token that comes after prev, and counts how deep its parentheses are.
func checkToken(prev, t lexer.Token, depth *int) error {
	switch {
	case t.Value == `"`, t.Value == "'", t.Value == "`":
		return errorf(at(t.Pos), "quote %s is not closed on its line", t.Value)
	case t.Type == tokenStray:
		return errorf(at(t.Pos), "stray character %s", quote(t.Value))
	case prev.Type == tokenNumber && (t.Type == tokenNumber || t.Type == tokenIdent):
		return errorf(at(prev.Pos), "malformed number %s", quote(prev.Value+t.Value))
	case t.Value == "(":
		*depth++
	case t.Value == ")":
		*depth--
	}
	if *depth > MaxDepth {
		return errorf(at(t.Pos), "parentheses are nested deeper than %d", MaxDepth)
	}
	return nil
}
