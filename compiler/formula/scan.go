package formula

import (
	"strings"
	"unicode/utf8"

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

// scan returns the tokens of text without white space. What the parser must never see is an error here: characters outside
// the syntax, malformed numbers, and parentheses too deep.
func scan(text string) (*lexer.PeekingLexer, error) {
	if err := checkText(text); err != nil {
		return nil, err
	}
	all, err := tokens.LexString("", text)
	if err != nil {
		return nil, err
	}
	return lexer.Upgrade(&guard{Lexer: all})
}

// checkText makes sure that text is of bounded length and is text.
func checkText(text string) error {
	if len(text) > MaxBytes {
		return errorf(Pos{1, 1}, "formula has %d bytes, expected at most %d", len(text), MaxBytes)
	}
	pos := lexer.Position{Line: 1, Column: 1}
	if i := strings.IndexByte(text, 0); i >= 0 {
		pos.Advance(text[:i])
		return errorf(at(pos), "NUL byte, expected text")
	}
	for i, r := range text {
		if _, size := utf8.DecodeRuneInString(text[i:]); r == utf8.RuneError && size == 1 {
			pos.Advance(text[:i])
			return errorf(at(pos), "byte %#02x is not UTF-8", text[i])
		}
	}
	return nil
}

// guard is a lexer that checks every token on its way to the parser.
type guard struct {
	lexer.Lexer
	prev  lexer.Token // the last token, white space included
	depth int
}

// Next returns the next token that is not white space.
func (g *guard) Next() (lexer.Token, error) {
	for {
		t, err := g.Lexer.Next()
		if err != nil {
			return t, err
		}
		if err := g.check(t); err != nil {
			return t, err
		}
		if g.prev = t; t.Type != tokenSpace {
			return t, nil
		}
	}
}

func (g *guard) check(t lexer.Token) error {
	switch {
	case t.Value == `"`, t.Value == "'", t.Value == "`":
		return errorf(at(t.Pos), "quote %s is not closed on its line", t.Value)
	case t.Type == tokenStray:
		return errorf(at(t.Pos), "stray character %s", quote(t.Value))
	case g.prev.Type == tokenNumber && (t.Type == tokenNumber || t.Type == tokenIdent):
		return errorf(at(g.prev.Pos), "malformed number %s", quote(g.prev.Value+t.Value))
	case t.Value == "(":
		g.depth++
	case t.Value == ")":
		g.depth--
	}
	if g.depth > MaxDepth {
		return errorf(at(t.Pos), "parentheses are nested deeper than %d", MaxDepth)
	}
	return nil
}
