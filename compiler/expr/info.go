package expr

// Op is an operator: an index into the operator table.
type Op uint8

// Info is one row of the operator table: everything that any part of the compiler needs to know of an operator.
type Info struct {
	Name        string   // function name in the language
	Arity       int      // number of arguments
	Notation    Notation // how the language writes it
	Text        string   // the sign of an Infix, Prefix or Superscript operator
	Prec        int      // precedence of the grammar
	Commutative bool
	Searchable  bool // in the search's operator set
	Internal    bool // made by the compiler, never written by a user

	Eval    func(x [3]float64) float64
	Complex func(x [3]complex128) complex128
	// Partial returns the derivatives with respect to each argument; nil stands for zero. The result y of the operator is
	// given, so that exp′ can reuse exp.
	Partial func(x []*Expr, y *Expr) []*Expr
	Domain  []Condition // what the arguments must satisfy for a finite result; empty: all reals
	Cost    int         // machine cost in additions, for choosing between equal forms

	Go, C Spelling
	Lane  string // name of the vector lane operation; "" if there is none
}

// Notation is how the language writes an operator.
type Notation uint8

// Notations.
const (
	Call Notation = iota // name(x, …)
	Leaf
	Infix
	Prefix
	Superscript
)

// Condition is a requirement on one argument.
type Condition struct {
	Arg int
	Must
}

// Must says what an argument must be.
type Must uint8

// Requirements.
const (
	NonZero     Must = iota // x ≠ 0
	NonNegative             // x ≥ 0
	Positive                // x > 0
	AboveMinus1             // x > -1
	InUnit                  // 0 < x < 1
)

// Kind is the form of a spelling in a target language.
type Kind uint8

// Kinds of spelling.
const (
	NoSpelling Kind = iota
	Binary          // x Text y
	Unary           // Text x
	Self            // x Text x
	Under           // 1 Text x
	Function        // Text(x, …): in Go from package math, in C from math.h
	Local           // Text(x, …): a function that the target file defines, with the source Body
)

// Spelling is how a target language writes an operator.
type Spelling struct {
	Kind Kind
	Text string
	Body string // source of a Local function
}

// Info returns the operator's row.
func (op Op) Info() *Info { return &table[op] }

// String returns the operator's name.
func (op Op) String() string { return table[op].Name }

// Ops returns every operator, leaves and internal ones included, in the order of the table.
func Ops() []Op {
	ops := make([]Op, len(table))
	for i := range ops {
		ops[i] = Op(i)
	}
	return ops
}

// ByName returns the operator that a user writes as name(…).
func ByName(name string) (Op, bool) {
	op, ok := names[name]
	return op, ok
}

// names indexes the operators that can be called by name.
var names = map[string]Op{}

// index fills names; it must run after the table is filled.
func index() {
	for i := range table {
		if info := &table[i]; info.Notation != Leaf && !info.Internal {
			names[info.Name] = Op(i)
		}
	}
}
