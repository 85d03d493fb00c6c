package formula

import (
	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

// Without lookahead, the parser chooses a branch by its first token, so an error names the first token that cannot be right.
var parser = participle.MustBuild[formulaTree](participle.Lexer(tokens), participle.UseLookahead(0))

// These types are the syntax tree. participle reads the grammar from their tags.

type formulaTree struct {
	Param *nameTree `parser:"@@ '~'"`
	Sum   *sumTree  `parser:"@@"`
}

// nameTree is a parameter or a column. A name that is no identifier is in backquotes.
type nameTree struct {
	Pos  lexer.Position
	Text string `parser:"@(Ident | Quoted)"`
}

type sumTree struct {
	Pos   lexer.Position
	Minus bool          `parser:"@'-'?"`
	First *productTree  `parser:"@@"`
	Rest  []*signedTree `parser:"@@*"`
}

type signedTree struct {
	Pos     lexer.Position
	Sign    string       `parser:"@('+' | '-')"`
	Product *productTree `parser:"@@"`
}

// productTree is a * b: a, b and their interaction.
type productTree struct {
	Factors []*interactionTree `parser:"@@ ('*' @@)*"`
}

type interactionTree struct {
	Atoms []*atomTree `parser:"@@ (':' @@)*"`
}

// atomTree is a 0 or 1, a column or call, or a sum in parentheses; exactly one field besides Pos is set.
type atomTree struct {
	Pos    lexer.Position
	Number string     `parser:"  @Number"`
	Ref    *refTree   `parser:"| @@"`
	Paren  *parenTree `parser:"| '(' @@ ')'"`
}

// parenTree is a sum in parentheses; with a bar, it is a group term.
type parenTree struct {
	Sum *sumTree     `parser:"@@"`
	Bar string       `parser:"( @('|' | '||')"`
	By  *nestingTree `parser:"@@ )?"`
}

// nestingTree is g1/g2: effects by g1, and by g2 within g1.
type nestingTree struct {
	Parts []*crossingTree `parser:"@@ ('/' @@)*"`
}

// crossingTree is g1:g2: effects by the combinations of both.
type crossingTree struct {
	Names []*nameTree `parser:"@@ (':' @@)*"`
}

type refTree struct {
	Name *nameTree `parser:"@@"`
	Call *callTree `parser:"( '(' @@ ')' )?"`
}

type callTree struct {
	Arg     *arithTree    `parser:"@@"`
	Options []*optionTree `parser:"(',' @@)*"`
}

// optionTree is reference="LEVEL", Treatment(reference="LEVEL") or Treatment("LEVEL").
type optionTree struct {
	Name  *nameTree  `parser:"@@"`
	Level *levelTree `parser:"( '=' @@"`
	Call  *codeTree  `parser:"| '(' @@ ')' )"`
}

type codeTree struct {
	Name  *nameTree  `parser:"( @@ '=' )?"`
	Level *levelTree `parser:"@@"`
}

// levelTree is the label of a level, quoted or a number.
type levelTree struct {
	Pos  lexer.Position
	Text string `parser:"@(String | '-'? Number)"`
}

type arithTree struct {
	First *factorTree   `parser:"@@"`
	Rest  []*opTermTree `parser:"@@*"`
}

type opTermTree struct {
	Pos  lexer.Position
	Op   string      `parser:"@('+' | '-')"`
	Term *factorTree `parser:"@@"`
}

type factorTree struct {
	First *unaryTree     `parser:"@@"`
	Rest  []*opUnaryTree `parser:"@@*"`
}

type opUnaryTree struct {
	Pos   lexer.Position
	Op    string     `parser:"@('*' | '/')"`
	Unary *unaryTree `parser:"@@"`
}

type unaryTree struct {
	Pos    lexer.Position
	Negate *unaryTree `parser:"  '-' @@"`
	Power  *powerTree `parser:"| @@"`
}

type powerTree struct {
	Pos      lexer.Position
	Base     *operandTree `parser:"@@"`
	Exponent *unaryTree   `parser:"( ('^' | '**') @@ )?"`
}

type operandTree struct {
	Pos    lexer.Position
	Number string     `parser:"  @Number"`
	Name   *nameTree  `parser:"| @@"`
	Paren  *arithTree `parser:"| '(' @@ ')'"`
}
