// Package syntax reads the text of model files (.lik) into models, and writes models as text.
//
// A text is read in three steps. Scanning checks characters and limits the nesting to [MaxDepth], which bounds the parser's
// recursion. Parsing gives a syntax tree; the library participle derives the LL(1) parser from the types of grammar.go.
// Resolving finds out what names stand for, checks the rules of the language, and gives models.
package syntax

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"likc/compiler/expr"

	"github.com/alecthomas/participle/v2"
)

// Without lookahead, the parser decides each branch at its first token. Building a parser takes milliseconds, so it is built at
// its first use.
var (
	fileParser = sync.OnceValue(func() *participle.Parser[File] {
		return participle.MustBuild[File](participle.Lexer(tokens), participle.UseLookahead(0))
	})
	exprParser = sync.OnceValue(func() *participle.Parser[Expr] {
		return participle.MustBuild[Expr](participle.Lexer(tokens), participle.UseLookahead(0))
	})
)

// byteOrderMark is written by some editors at the beginning of a file. It is ignored.
const byteOrderMark = "\uFEFF"

// Parse reads a file of models. A wrong text gives an *Error.
func Parse(filename string, r io.Reader) (*File, error) {
	data, err := io.ReadAll(io.LimitReader(r, MaxBytes+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filename, err)
	}
	text := strings.TrimPrefix(string(data), byteOrderMark)
	tokens, err := scan(filename, text)
	if err != nil {
		return nil, err
	}
	file, err := fileParser().ParseFromLexer(tokens)
	if err != nil {
		return nil, explain(err, text, `"model"`)
	}
	if !slices.ContainsFunc(file.Items, func(i *Item) bool { return i.Model != nil }) {
		return nil, errorf(tokens.Peek().Pos, `unexpected end, expected "model"`)
	}
	return file, nil
}

// Library finds models that a file may use and call but does not declare. The zero value finds none. A model without LogLik
// has a density that is no expression; it can only be called.
type Library struct {
	Named  func(name string) (*expr.Model, error) // returns the model of that name, or nil without an error if there is none
	Opened func(path string) (*expr.Model, error) // returns the model of a file or folder that `use "path" as NAME` names
}

// Read parses and resolves a file of models. A model may use and call models above it.
func Read(filename string, r io.Reader) ([]*expr.Model, error) {
	return ReadWith(filename, r, Library{})
}

// ReadWith does what Read does, but models may also use and call models of a library.
func ReadWith(filename string, r io.Reader, library Library) ([]*expr.Model, error) {
	file, err := Parse(filename, r)
	if err != nil {
		return nil, err
	}
	return Resolve(file, library)
}

// exprName is the file name in the errors of [ParseExpr].
const exprName = "expression"

// ParseExpr reads a single expression. It returns a copy of the model header with this expression as log-likelihood. The
// expression may use the lets of header.
func ParseExpr(text string, header *expr.Model) (*expr.Model, error) {
	tokens, err := scan(exprName, text)
	if err != nil {
		return nil, err
	}
	e, err := exprParser().ParseFromLexer(tokens)
	if err != nil && tokens.Cursor() == 0 {
		return nil, explain(err, text, "an expression")
	}
	if err != nil {
		return nil, explain(err, text, "an operator or the end")
	}
	return resolveBare(e, header)
}
