package syntax

import (
	"strings"

	"likc/compiler/source"

	"github.com/alecthomas/participle/v2/lexer"
)

// Limits of a text. Each has an error message. Together they bound the time and memory that reading any text can take.
const (
	MaxBytes   = 4 << 20 // size of a file
	MaxTokens  = 500_000 // tokens in a file
	MaxDepth   = 1_000   // parentheses, unary minuses and powers inside one another
	MaxNodes   = 100_000 // distinct nodes of a model
	MaxParams  = 64      // parameters of a model
	MaxTrials  = 64      // trial columns of a model
	MaxChoices = 16      // choices of a model

	MaxStates = 64 // states of a model
	MaxCalls  = 16 // calls of densities in a model
	MaxFiles  = 64 // other files to which a file refers

	MaxIntegrals = 16    // integrals of a model
	MaxCuts      = 16    // ends and cuts of an integral
	MaxIntegrand = 2_000 // distinct nodes of an integrand
)

// keywords are reserved words, which cannot be names.
var keywords = []string{"model", "trial", "choice", "param", "support", "lower", "let", "loglik", "in"}

// tokens holds the kinds of token, in the order in which they are tried.
var tokens = lexer.MustSimple([]lexer.SimpleRule{
	{Name: "Space", Pattern: `[ \t\r\n]+`},
	{Name: "Comment", Pattern: `(//|#)[^\n]*`},
	{Name: "Number", Pattern: `(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?`},
	{Name: "Keyword", Pattern: `(` + strings.Join(keywords, "|") + `)\b`},
	{Name: "Ident", Pattern: `[A-Za-z_][A-Za-z0-9_]*`},
	{Name: "String", Pattern: `"[^"\n]*"`},
	{Name: "Sign", Pattern: `<=|!=|[-+*/^(){}\[\],:;=<]`},
	{Name: "Stray", Pattern: `(?s).`},
})

var (
	tokenSpace   = tokens.Symbols()["Space"]
	tokenComment = tokens.Symbols()["Comment"]
	tokenNumber  = tokens.Symbols()["Number"]
	tokenKeyword = tokens.Symbols()["Keyword"]
	tokenIdent   = tokens.Symbols()["Ident"]
	tokenStray   = tokens.Symbols()["Stray"]
)

// scan returns the tokens of text without white space and comments. It returns an error for characters outside the language,
// for malformed numbers, and for nesting so deep that the recursive parser would need too much memory.
func scan(filename, text string) (*lexer.PeekingLexer, error) {
	if err := checkText(filename, text); err != nil {
		return nil, err
	}
	all, err := tokens.LexString(filename, text)
	if err != nil {
		return nil, err
	}
	g := &guard{}
	return lexer.Upgrade(&source.Guard{Lexer: all, Check: g.check, Skip: []lexer.TokenType{tokenSpace, tokenComment}})
}

// checkText returns an error if text is too large, or contains NUL or bytes that are not UTF-8.
func checkText(filename, text string) error {
	pos := lexer.Position{Filename: filename, Line: 1, Column: 1}
	if len(text) > MaxBytes {
		return errorf(pos, "file is larger than %d bytes", MaxBytes)
	}
	if what, i := source.Flaw(text); what != "" {
		pos.Advance(text[:i])
		return errorf(pos, "%s", what)
	}
	return nil
}

// guard checks the tokens on their way to the parser.
type guard struct {
	count int
	nest  nesting
}

// check returns an error for token t, which follows prev, if it is invalid or exceeds a limit.
func (g *guard) check(prev, t lexer.Token) error {
	switch {
	case t.Type == tokenSpace, t.Type == tokenComment:
		return nil
	case t.Type == tokenStray && t.Value == ">":
		return errorf(t.Pos, "unexpected \">\", expected a comparison with < or <=, its lesser side first")
	case t.Type == tokenStray:
		return errorf(t.Pos, "stray character %s", quote(t.Value))
	case prev.Type == tokenNumber && (t.Type == tokenNumber || t.Type == tokenIdent || t.Type == tokenKeyword):
		return errorf(prev.Pos, "malformed number %s", quote(prev.Value+t.Value))
	}
	if g.count++; g.count > MaxTokens {
		return errorf(t.Pos, "more than %d tokens", MaxTokens)
	}
	if g.nest.add(t); g.nest.depth > MaxDepth {
		return errorf(t.Pos, "expression is nested deeper than %d", MaxDepth)
	}
	return nil
}

// nesting computes, token by token, how deep the parser's recursion will be. It is exact up to the first wrong token, where the
// parser stops.
type nesting struct {
	depth   int
	chain   int   // the number of unary minuses and powers since the last complete operand; each is a level
	outer   []int // for each open parenthesis, the value of chain before it
	operand bool  // whether the last token can end an operand
	index   int   // the number of tokens of an index seen so far
}

// indexes reports whether t is part of an index, as in m[k]. An index adds no nesting.
func (n *nesting) indexes(t lexer.Token) bool {
	switch {
	case n.index == 0 && n.operand && t.Value == "[":
		n.index = 1
	case n.index == 1 && t.Type == tokenIdent:
		n.index = 2
	case n.index == 2 && t.Value == "]":
		n.index = 0
	case n.index == 0:
		return false
	default:
		*n = nesting{outer: n.outer[:0]}
		return false
	}
	return true
}

// add updates the depth with the next token.
func (n *nesting) add(t lexer.Token) {
	switch {
	case n.indexes(t):
		return
	case t.Value == "(", t.Value == "[" && len(n.outer) > 0:
		n.outer = append(n.outer, n.chain)
		n.depth++
		n.chain = 0
	case (t.Value == ")" || t.Value == "]") && len(n.outer) > 0:
		last := len(n.outer) - 1
		n.depth -= n.chain + 1
		n.chain, n.outer = n.outer[last], n.outer[:last]
	case t.Value == "^", t.Value == "-" && !n.operand:
		n.chain++
		n.depth++
	case t.Value == "<", t.Value == "<=", t.Value == "!=", t.Value == ":", t.Value == "in" && len(n.outer) > 0, n.operand && isJoin(t):
		n.depth -= n.chain
		n.chain, n.operand = 0, false
		return
	case endsOperand(t):
	case strings.Contains("+-*/,", t.Value), t.Value == "=" && len(n.outer) > 0:
		n.depth -= n.chain
		n.chain = 0
	default: // white space or a comment
		*n = nesting{outer: n.outer[:0]}
	}
	n.operand = endsOperand(t)
}

// isJoin reports whether t is the word "and" or "or", which joins two conditions.
func isJoin(t lexer.Token) bool { return t.Value == "and" || t.Value == "or" }

// endsOperand reports whether t can be the last token of an operand, so that "-" after it is a difference.
func endsOperand(t lexer.Token) bool {
	return t.Type == tokenNumber || t.Type == tokenIdent || t.Value == ")"
}
