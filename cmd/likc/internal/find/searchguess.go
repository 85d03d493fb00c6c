package find

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"likc/cmd/likc/internal/cli"
	"likc/compiler/syntax"
	"likc/runtime/catalog"
	"likc/runtime/front"

	postfix "likc/search/tree"
)

// tree is an expression over the problem's symbols.
func (p *problem) tree(text string) (postfix.Tree, error) {
	m, err := syntax.ParseExpr(text, p.header)
	if err != nil {
		return postfix.Tree{}, err
	}
	return postfix.FromExpr(m.LogLik, p.loss.Symbols())
}

// guess reads what every population begins with.
func (f *searchFlags) guess(p *problem) error {
	for _, g := range f.guesses {
		t, err := p.tree(g)
		if err != nil {
			return cli.Usagef("--guess %s: %w", g, err)
		}
		p.guesses = append(p.guesses, t)
	}
	return nil
}

// origin is what earlier searches found that a search goes on from.
type origin struct {
	Expressions int    `json:"expressions"`
	Sum         string `json:"sha256"` // of their texts, a line each
}

// readFronts reads all lines of some fronts.
func readFronts(paths []string) (all []front.Line, err error) {
	for _, path := range paths {
		lines, err := front.ReadFile(path, catalog.Header)
		if err != nil {
			return nil, err
		}
		all = append(all, lines...)
	}
	return all, nil
}

// goOn takes what earlier searches found.
func (p *problem) goOn(lines []front.Line) error {
	sum := sha256.New()
	for _, l := range lines {
		t, err := p.tree(l.Expr)
		if err != nil {
			return cli.Usagef("%s: %s: %w", l.Where(), l.Expr, err)
		}
		p.from = append(p.from, t)
		fmt.Fprintln(sum, l.Expr)
	}
	if len(p.from) > 0 {
		p.identity.From = &origin{len(p.from), hex.EncodeToString(sum.Sum(nil))}
	}
	return nil
}
