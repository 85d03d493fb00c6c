// Package source has functions that the readers of model files and of formulas share. They check a text before it is parsed,
// and quote it in errors.
package source

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

// quoteLimit is the largest number of characters of a quoted text, so that a long token does not fill an error message.
const quoteLimit = 40

// Quote returns a piece of a text in quotes and on one line, shortened if it is long.
func Quote(text string) string {
	if len(text) > quoteLimit {
		text = strings.ToValidUTF8(text[:quoteLimit], "") + "..."
	}
	return strconv.Quote(text)
}

// Flaw returns what is wrong with a text, and at which byte: a NUL, or bytes that are not UTF-8. what is "" for a correct text.
func Flaw(text string) (what string, at int) {
	if i := strings.IndexByte(text, 0); i >= 0 {
		return "NUL byte, expected text", i
	}
	for i, r := range text {
		if r != utf8.RuneError {
			continue
		}
		if _, size := utf8.DecodeRuneInString(text[i:]); size == 1 {
			return fmt.Sprintf("byte %#02x is not UTF-8", text[i]), i
		}
	}
	return "", 0
}

// Guard is a lexer that checks every token on its way to the parser.
type Guard struct {
	lexer.Lexer
	Check func(prev, next lexer.Token) error // prev is the token before next, including skipped tokens
	Skip  []lexer.TokenType                  // tokens that the parser does not see

	prev lexer.Token
}

// Next returns the next token that is not skipped.
func (g *Guard) Next() (lexer.Token, error) {
	for {
		t, err := g.Lexer.Next()
		if err == nil {
			err = g.Check(g.prev, t)
		}
		if g.prev = t; err != nil || !slices.Contains(g.Skip, t.Type) {
			return t, err
		}
	}
}

// Unexpected takes an error of the parser library participle. It returns the unexpected token, the words for it in a message,
// and what was expected instead: "" if the text was complete before the token. token is nil for other errors.
func Unexpected(err error) (token *lexer.Token, what, expected string) {
	var unexpected *participle.UnexpectedTokenError
	if !errors.As(err, &unexpected) {
		return nil, "", ""
	}
	token, what = &unexpected.Unexpected, "unexpected end"
	if !token.EOF() {
		what = "unexpected " + Quote(token.Value)
	}
	if _, list, ok := strings.Cut(unexpected.Message(), " (expected "); ok {
		expected = strings.TrimSuffix(list, ")")
	}
	return token, what, expected
}
