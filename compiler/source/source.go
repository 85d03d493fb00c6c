// Package source holds what the readers of model files and of formulas share: checks of a text before its parser sees it, and
// how errors quote it.
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

// quoteLimit keeps a hostile token from filling the message.
const quoteLimit = 40

// Quote shows a piece of a text on one line.
func Quote(text string) string {
	if len(text) > quoteLimit {
		text = strings.ToValidUTF8(text[:quoteLimit], "") + "..."
	}
	return strconv.Quote(text)
}

// Flaw says why text is no text, and at which byte: a NUL, or bytes that are not UTF-8. It is "" for text.
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
	Check func(prev, next lexer.Token) error // prev is the token before next, passed over or not
	Skip  []lexer.TokenType                  // tokens that the parser does not see

	prev lexer.Token
}

// Next returns the next token that is not passed over.
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

// Unexpected returns the token that participle's error is about, how a message names it, and what participle expected there: ""
// where it had all that it wanted. It is nil for other errors.
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
