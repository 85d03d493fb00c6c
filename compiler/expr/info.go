package expr

import (
	_ "embed"
	"strings"
)

// Op is an operator: an index into the operator table.
type Op uint8

// Info is one row of the operator table. It has everything that any part of the compiler needs to know about an operator.
type Info struct {
	Name        string   // function name in the language
	Doc         string   // a sentence on the value for the arguments x, y and z
	Arity       int      // number of arguments
	Notation    Notation // how the language writes it
	Text        string   // the sign of an Infix, Prefix or Superscript operator
	Prec        int      // precedence in the grammar; a higher number binds more tightly
	Commutative bool
	Searchable  bool // in the search's operator set
	Internal    bool // made by the compiler, never written by a user

	Eval    func(x [3]float64) float64
	Complex func(x [3]complex128) complex128
	// Partial returns the derivatives with respect to each argument; nil stands for zero. It is given the operator's result y, so
	// that the derivative of exp can be y itself.
	Partial func(x []*Expr, y *Expr) []*Expr
	Domain  []Condition // conditions on the arguments under which the result is finite; empty: all reals
	Blind   bool        // whether the result may be defined although an argument is undefined, as the unused branch of an if
	// Range returns an interval that contains all finite values for arguments in x. It is not always the narrowest one.
	Range func(x [3]Interval) Interval
	// Shape returns the shape of the value, as a function of one parameter, from the shapes of the arguments; positive
	// reports whether an argument is known to stay above 0 up to the edge of the support. nil: Irregular.
	Shape func(x [3]Shape, positive func(arg int) bool) Shape
	// KeepsPositive says that positive arguments, however small, give a positive value, as in a product or a power.
	KeepsPositive bool

	Cost  int // time on a machine relative to an addition, for the choice between equivalent forms
	Spell Spellings
	Lane  Lane
}

// Lane describes the vector operation that computes an operator in every lane of a register.
type Lane struct {
	Name string // the name of the operation in package goasm; "" if there is none
	// Arithmetic and Divider tell how long the operation keeps the arithmetic units and the divider of a core busy, in
	// cycles for a register of 64 bytes.
	Arithmetic, Divider int
	MemoryLast          bool // the last argument may be in memory
	LosesNaN            bool // whether the value may be a number although an argument is NaN
}

// divider is the time of a division in cycles, between those of Zen 4 (9, measured) and Ice Lake (16).
const divider = 12

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
	BelowZero               // x < 0
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
	Form            // Text, in which $1 is an argument, @1 an argument with parentheses where needed, and ?1 a condition
	Truth           // Text is a Form that gives a truth value; where a number is needed it becomes 1 or 0
)

// Spelling is how a target language writes an operator.
type Spelling struct {
	Kind Kind
	Text string
	Body string // paragraphs that the target file needs once each: definitions of functions, or imports
}

// Target is a language that expressions are printed in.
type Target string

// Targets. A target is a column of spellings here and a package that prints the rest.
const (
	Go         Target = "go"
	C          Target = "c"
	Python     Target = "python"
	Stan       Target = "stan"
	R          Target = "r"
	Julia      Target = "julia"
	JavaScript Target = "javascript"
	Rust       Target = "rust"
	LaTeX      Target = "latex"
)

// Targets lists all targets.
func Targets() []Target { return []Target{Go, C, Python, Stan, R, Julia, JavaScript, Rust, LaTeX} }

// Spellings holds the spellings of one operator by target.
type Spellings map[Target]Spelling

func infix(sign string) Spelling { return Spelling{Kind: Binary, Text: sign} }
func call(name string) Spelling  { return Spelling{Kind: Function, Text: name} }
func form(text string) Spelling  { return Spelling{Kind: Form, Text: text} }
func condition(text string) Spelling {
	return Spelling{Kind: Truth, Text: text}
}

//go:embed local.go
var localSource string

// local returns the spelling of an operator as a call of the function with that name in local.go. The target file will contain
// that function.
func local(name string) Spelling {
	for text := range strings.SplitSeq(localSource, "\n\n") {
		if strings.HasPrefix(text, "// "+name+" ") {
			return Spelling{Local, name, strings.TrimSuffix(text, "\n")}
		}
	}
	panic("local.go has no " + name)
}

//go:embed local.js
var javaScriptSource string

//go:embed local.rs
var rustSource string

//go:embed local.py
var pythonSource string

// python returns the spelling of an operator as a form. The form calls the function name of local.py, which needs the functions
// in calls.
func python(text, name string, calls ...string) Spelling {
	return Spelling{Form, text, paragraphs(pythonSource, "def ", "(", append(calls, name))}
}

// js and rust return the spelling of an operator as a call of the function name in local.js or local.rs. The target file will
// contain that function and those in calls.
func js(name string, calls ...string) Spelling {
	return Spelling{Function, name, paragraphs(javaScriptSource, "// ", " ", append(calls, name))}
}

func rust(name string, calls ...string) Spelling {
	return Spelling{Function, name, paragraphs(rustSource, "// ", " ", append(calls, name))}
}

// paragraphs returns the paragraphs of a source that define the named functions. A paragraph defines a function if it begins
// with before, the function's name and after.
func paragraphs(source, before, after string, names []string) string {
	var found []string
	for _, name := range names {
		for text := range strings.SplitSeq(strings.TrimSuffix(source, "\n"), "\n\n") {
			if text = strings.TrimPrefix(text, "\n"); strings.HasPrefix(text, before+name+after) {
				found = append(found, text)
			}
		}
	}
	if len(found) != len(names) {
		panic("a source of functions lacks one of " + strings.Join(names, ", "))
	}
	return strings.Join(found, "\n\n")
}

// as returns a form with the text, which needs the same source as the spelling s.
func (s Spelling) as(text string) Spelling { return Spelling{Form, text, s.Body} }

// everywhere returns the same spelling for all targets.
func everywhere(s Spelling) Spellings {
	all := Spellings{}
	for _, t := range Targets() {
		all[t] = s
	}
	return all
}

// but returns the spellings with another spelling for the target t.
func (s Spellings) but(t Target, other Spelling) Spellings {
	s[t] = other
	return s
}

// In returns the operator's spelling in t; its Kind is NoSpelling if it has none.
func (op Op) In(t Target) Spelling { return table[op].Spell[t] }

// Write returns the operator's text with the arguments x, which already have the parentheses that they need. one is the number
// 1 in the target language. Write must not be called for a [Form] or a [Truth].
func (s Spelling) Write(one string, x []string) string {
	switch s.Kind {
	case Binary:
		return x[0] + " " + s.Text + " " + x[1]
	case Unary:
		return s.Text + x[0]
	case Self:
		return x[0] + " " + s.Text + " " + x[0]
	case Under:
		return one + " " + s.Text + " " + x[0]
	default: // Function or Local
		return s.Text + "(" + strings.Join(x, ", ") + ")"
	}
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

// index fills names. It must run after the operator table is filled.
func index() {
	for i := range table {
		if info := &table[i]; info.Notation != Leaf && !info.Internal {
			names[info.Name] = Op(i)
		}
	}
}
