package syntax

import "github.com/alecthomas/participle/v2/lexer"

// The syntax tree: participle reads the grammar from the tags of these structures. The grammar is LL(1), so the parser
// never goes back and its errors name the first token that cannot be right.

// File is a file of models, and of what they call from other files.
type File struct {
	Items []*Item `parser:"@@*"`
}

// Item is a model, or the name of one that stands in another file.
type Item struct {
	Import *Import `parser:"  'use' @@"`
	Model  *Model  `parser:"| @@"`
}

// Model is one model as it was written.
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

// Name is an identifier where it is declared.
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

// Trial is a trial column, with what an empty cell stands for, and what it is computed as where trials are simulated. "positive",
// "nonnegative" and "missing" are words only here: elsewhere they may be names.
type Trial struct {
	Name     *Name  `parser:"@@"`
	Positive bool   `parser:"( @'positive'"`
	Zero     bool   `parser:"| @'nonnegative' )?"`
	Missing  *Bound `parser:"('missing' @@)?"`
	Value    *Expr  `parser:"('=' @@)?"`
}

// Choice is the response column. Without Codes its values are the two boundaries. Missing is the choice that an empty cell stands for.
type Choice struct {
	Name    *Name     `parser:"@@"`
	Codes   []*Number `parser:"('in' '{' @@ (',' @@)* '}'"`
	Missing *Number   `parser:"('missing' @@)?)?"`
}

// Param is a parameter and its range; with an Index, which is the choice, one for each choice. "weak" is a word only here.
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

// Number is a literal, not yet converted.
type Number struct {
	Pos  lexer.Position
	Text string `parser:"@Number"`
}

// Support is the condition Left < Right.
type Support struct {
	Left  *Expr `parser:"@@ '<'"`
	Right *Expr `parser:"@@"`
}

// Lower is the block of assignments that reflects a lower-boundary trial.
type Lower struct {
	Assigns []*Assign `parser:"(@@ (';' | ',')?)* '}'"`
}

// Simulator names the process that simulates the data. "simulator" is a word only where a declaration starts.
type Simulator struct {
	Name   *Name   `parser:"@@"`
	Params *Params `parser:"@@?"`
}

// Params is the block that gives the process its parameters.
type Params struct {
	Assigns []*Assign `parser:"'{' (@@ (';' | ',')?)* '}'"`
}

// Let is a name for an expression; with an Index, for one expression a choice.
type Let struct {
	Name  *Name `parser:"@@"`
	Index *Name `parser:"('[' @@ ']')? '='"`
	Value *Expr `parser:"@@"`
}

// Lapse is the share of lapses and the end of their response times. "lapse" and "until" are words only here.
type Lapse struct {
	Probability *Number `parser:"@@"`
	Until       *Number `parser:"'until' @@"`
}

// Bind is a binding function. Its words are words only here.
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

// BindShift is the polynomial of the shift of a parameter.
type BindShift struct {
	Name *Name     `parser:"@@"`
	Rows *BindRows `parser:"@@"`
}

// BindRows are the terms of a polynomial.
type BindRows struct {
	Pos  lexer.Position
	Rows []*BindRow `parser:"'{' (@@ ';'?)* '}'"`
}

// BindRow is a coefficient, then a degree for each input.
type BindRow struct {
	Pos     lexer.Position
	Numbers []*Bound `parser:"@@+"`
}

// Assign is Name = Value, in a lower or simulator block.
type Assign struct {
	Name  *Name `parser:"@@ '='"`
	Value *Expr `parser:"@@"`
}

// Cond is a condition or an expression: conditions joined by "or". It stands in parentheses and between the commas of a call.
type Cond struct {
	Left  *AndCond   `parser:"@@"`
	Right []*AndCond `parser:"('or' @@)*"`
}

// AndCond is conditions joined by "and".
type AndCond struct {
	Left  *Compare   `parser:"@@"`
	Right []*Compare `parser:"('and' @@)*"`
}

// Compare is a comparison, or an expression where there is no Op.
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

// Power is Base, raised to Exponent where there is one.
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

// Ref is a symbol, one of several where it has an Index, or a call where it has arguments.
type Ref struct {
	Pos   lexer.Position
	Name  string `parser:"@Ident"`
	Index *Name  `parser:"('[' @@ ']')?"`
	Args  []*Arg `parser:"('(' @@ (',' @@)* ')')?"`
}

// Arg is an argument: a value, or the value of a parameter that Cond names, in the call of a model. In a sum or product over choices
// Cond names the index, Except a choice that is left out, and Each is what is added or multiplied. In an integral Cond names the variable.
type Arg struct {
	Pos    lexer.Position
	Cond   *Cond     `parser:"@@"`
	Except *Name     `parser:"('!=' @@)?"`
	Value  *Cond     `parser:"('=' @@"`
	Each   *Cond     `parser:"| ':' @@"`
	Over   *Interval `parser:"| 'in' @@)?"`
}

// Interval is what an integral runs over, its ends and the cuts between them, and what is integrated.
type Interval struct {
	Ends []*Expr `parser:"'[' @@ (',' @@)* ']'"`
	Of   *Cond   `parser:"':' @@"`
}
