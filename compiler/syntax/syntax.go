// Package syntax reads .lik text into models and writes models as text.
//
// The text is scanned whole before it is parsed: characters outside the language, and nesting beyond [MaxDepth], never
// reach the parser, whose recursion is therefore bounded. The parser (participle, from the structures of grammar.go) is
// LL(1). Resolving gives names their meaning and checks the rules of the language.
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

// With no lookahead a branch is taken for good at its first token. A parser takes milliseconds to build, so it is built when a text comes.
var (
	fileParser = sync.OnceValue(func() *participle.Parser[File] {
		return participle.MustBuild[File](participle.Lexer(tokens), participle.UseLookahead(0))
	})
	exprParser = sync.OnceValue(func() *participle.Parser[Expr] {
		return participle.MustBuild[Expr](participle.Lexer(tokens), participle.UseLookahead(0))
	})
)

// byteOrderMark begins the files of some editors and means nothing.
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

// Library finds models that a file may use and call beside those that it declares itself. Its zero value has none. A model without a log
// density is the header of one that is no expression, and can only be called.
type Library struct {
	Named  func(name string) (*expr.Model, error) // by name; neither a model nor an error for a name that it does not know
	Opened func(path string) (*expr.Model, error) // in the files and folders that `use "path" as NAME` names
}

// Read parses and resolves a file of models, which may use and call those above them.
func Read(filename string, r io.Reader) ([]*expr.Model, error) {
	return ReadWith(filename, r, Library{})
}

// ReadWith does what Read does, for models that may use and call those of a library too.
func ReadWith(filename string, r io.Reader, library Library) ([]*expr.Model, error) {
	file, err := Parse(filename, r)
	if err != nil {
		return nil, err
	}
	return Resolve(file, library)
}

// exprName stands for the file in the errors of a bare expression.
const exprName = "expression"

// ParseExpr reads a bare expression and returns the model that has it as its log-likelihood and everything else from
// header. The expression may use the header's lets by name.
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
