package syntax

import "github.com/alecthomas/participle/v2/lexer"

// The types of this file are the syntax tree. The parser library participle reads the grammar from their tags. The grammar is
// LL(1): one token decides each branch, so the parser never goes back, and an error names the first wrong token.

// File is a file of models, with the names of models in other files that they call.
type File struct {
	Items []*Item `parser:"@@*"`
}

// Item is a model, or a name for a model of another file.
type Item struct {
	Import *Import `parser:"  'use' @@"`
	Model  *Model  `parser:"| @@"`
}

// Model is one model, as in the text.
type Model struct {
	Name  *Name   `parser:"'model' @@"`
	Decls []*Decl `parser:"'{' (@@ ';'?)*"`
	End   *End    `parser:"@@"`
}

// End is the closing brace of a model.
type End struct {
	Pos  lexer.Position
	Text string `parser:"@'}'"`
}

// Name is an identifier in its declaration.
type Name struct {
	Pos  lexer.Position
	Text string `parser:"@Ident"`
}

// Decl is one declaration; exactly one field besides Pos is set.
type Decl struct {
	Pos       lexer.Position
	Trial     *Trial     `parser:"  'trial' @@"`
	Choice    *Choice    `parser:"| 'choice' @@"`
	Param     *Param     `parser:"| 'param' @@"`
	Support   *Support   `parser:"| 'support' @@"`
	Lower     *Lower     `parser:"| 'lower' '{' @@"`
	Let       *Let       `parser:"| 'let' @@"`
	Simulator *Simulator `parser:"| 'simulator' @@"`
	State     *State     `parser:"| 'state' @@"`
	Next      *Next      `parser:"| 'next' @@"`
	Use       *Use       `parser:"| 'use' @@"`
	Normalise bool       `parser:"| @'normalise'"`
	Lapse     *Lapse     `parser:"| 'lapse' @@"`
	Bind      *Bind      `parser:"| 'bind' @@"`
	Evidence  *Evidence  `parser:"| 'evidence' @@"`
	LogLik    *Expr      `parser:"| 'loglik' '=' @@"`
}

// Trial declares a trial column, perhaps with the value of an empty cell, and with the expression by which simulations compute
// it. "positive", "nonnegative" and "missing" are keywords only here; elsewhere they may be names.
type Trial struct {
	Name     *Name  `parser:"@@"`
	Positive bool   `parser:"( @'positive'"`
	Zero     bool   `parser:"| @'nonnegative' )?"`
	Missing  *Bound `parser:"('missing' @@)?"`
	Value    *Expr  `parser:"('=' @@)?"`
}

// Choice declares the response column. Without Codes its values are the two boundaries. Missing is the choice that an empty
// cell stands for.
type Choice struct {
	Name    *Name     `parser:"@@"`
	Codes   []*Number `parser:"('in' '{' @@ (',' @@)* '}'"`
	Missing *Number   `parser:"('missing' @@)?)?"`
}

// Param declares a parameter and its range. With an Index, which is the choice, it declares a parameter for each choice. "weak"
// is a keyword only here.
type Param struct {
	Name  *Name  `parser:"@@"`
	Index *Name  `parser:"('[' @@ ']')? 'in'"`
	Lower *Bound `parser:"'[' @@"`
	Upper *Bound `parser:"',' @@ ']'"`
	Weak  bool   `parser:"@'weak'?"`
}

// Bound is one end of a range.
type Bound struct {
	Negative bool    `parser:"@'-'?"`
	Number   *Number `parser:"@@"`
}

// Number is the text of a number, with its sign.
type Number struct {
	Pos  lexer.Position
	Text string `parser:"@Number"`
}

// Support is the condition Left < Right.
type Support struct {
	Left  *Expr `parser:"@@ '<'"`
	Right *Expr `parser:"@@"`
}

// Lower is the block that assigns the parameters for trials at the lower boundary.
type Lower struct {
	Assigns []*Assign `parser:"(@@ (';' | ',')?)* '}'"`
}

// Simulator names the process that simulates the data. "simulator" is a keyword only at the beginning of a declaration.
type Simulator struct {
	Name   *Name   `parser:"@@"`
	Params *Params `parser:"@@?"`
}

// Params is the block that assigns the parameters of the process.
type Params struct {
	Assigns []*Assign `parser:"'{' (@@ (';' | ',')?)* '}'"`
}

// Let declares a name for an expression or, with an Index, a name for each choice.
type Let struct {
	Name  *Name `parser:"@@"`
	Index *Name `parser:"('[' @@ ']')? '='"`
	Value *Expr `parser:"@@"`
}

// Lapse declares the probability of lapses and the longest response time of a lapse. "lapse" and "until" are keywords only
// here.
type Lapse struct {
	Probability *Number `parser:"@@"`
	Until       *Number `parser:"'until' @@"`
}

// Bind declares a binding function (see [expr.Binding]). Its keywords may be names elsewhere.
type Bind struct {
	Items []*BindItem `parser:"'{' (@@ ';'?)* '}'"`
}

// BindItem is one declaration of a binding; exactly one field besides Pos is set.
type BindItem struct {
	Pos   lexer.Position
	Input *Expr      `parser:"  'input' @@"`
	Shift *BindShift `parser:"| 'shift' @@"`
	Tilt  *BindRows  `parser:"| 'tilt' @@"`
}

// BindShift is the polynomial that is added to a parameter.
type BindShift struct {
	Name *Name     `parser:"@@"`
	Rows *BindRows `parser:"@@"`
}

// BindRows are the terms of a polynomial.
type BindRows struct {
	Pos  lexer.Position
	Rows []*BindRow `parser:"'{' (@@ ';'?)* '}'"`
}

// BindRow is a term of a polynomial: a coefficient, then a degree for each input.
type BindRow struct {
	Pos     lexer.Position
	Numbers []*Bound `parser:"@@+"`
}

// Assign is Name = Value, in a lower or simulator block.
type Assign struct {
	Name  *Name `parser:"@@ '='"`
	Value *Expr `parser:"@@"`
}

// Cond is a condition or an expression: one or more operands joined by "or". It occurs in parentheses and as an argument of a
// call.
type Cond struct {
	Left  *AndCond   `parser:"@@"`
	Right []*AndCond `parser:"('or' @@)*"`
}

// AndCond is one or more operands joined by "and".
type AndCond struct {
	Left  *Compare   `parser:"@@"`
	Right []*Compare `parser:"('and' @@)*"`
}

// Compare is a comparison or, without Op, an expression.
type Compare struct {
	Left  *Expr  `parser:"@@"`
	Op    string `parser:"(@('<' | '<=')"`
	Right *Expr  `parser:"@@)?"`
}

// Expr is a sum: Left and then Right's terms, added or subtracted from left to right.
type Expr struct {
	Left  *Term     `parser:"@@"`
	Right []*OpTerm `parser:"@@*"`
}

// OpTerm is one more term of a sum.
type OpTerm struct {
	Op   string `parser:"@('+' | '-')"`
	Term *Term  `parser:"@@"`
}

// Term is a product: Left and then Right's factors, multiplied or divided from left to right.
type Term struct {
	Left  *Unary     `parser:"@@"`
	Right []*OpUnary `parser:"@@*"`
}

// OpUnary is one more factor of a product.
type OpUnary struct {
	Op    string `parser:"@('*' | '/')"`
	Unary *Unary `parser:"@@"`
}

// Unary is a power or the negative of a unary.
type Unary struct {
	Negative *Unary `parser:"  '-' @@"`
	Power    *Power `parser:"| @@"`
}

// Power is Base, raised to Exponent if there is one.
type Power struct {
	Base     *Primary `parser:"@@"`
	Exponent *Unary   `parser:"('^' @@)?"`
}

// Primary is a number, a symbol or a call, or an expression in parentheses.
type Primary struct {
	Pos    lexer.Position
	Number *Number `parser:"  @@"`
	Ref    *Ref    `parser:"| @@"`
	Paren  *Cond   `parser:"| '(' @@ ')'"`
}

// Ref is a symbol, an indexed symbol if it has an Index, or a call if it has arguments.
type Ref struct {
	Pos   lexer.Position
	Name  string `parser:"@Ident"`
	Index *Name  `parser:"('[' @@ ']')?"`
	Args  []*Arg `parser:"('(' @@ (',' @@)* ')')?"`
}

// Arg is an argument of a call. In the call of a model, Cond names a parameter, and its value follows. In a sum or product over
// choices, Cond names the index, Except names a choice that is left out, and Each is the summand or factor. In an integral,
// Cond names the variable.
type Arg struct {
	Pos    lexer.Position
	Cond   *Cond     `parser:"@@"`
	Except *Name     `parser:"('!=' @@)?"`
	Value  *Cond     `parser:"('=' @@"`
	Each   *Cond     `parser:"| ':' @@"`
	Over   *Interval `parser:"| 'in' @@)?"`
}

// Interval is the interval of an integral, as its ends with the cuts between them, and the integrand.
type Interval struct {
	Ends []*Expr `parser:"'[' @@ (',' @@)* ']'"`
	Of   *Cond   `parser:"':' @@"`
}
