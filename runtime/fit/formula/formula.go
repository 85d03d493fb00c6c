// Package formula reads regression formulas in the syntax of bambi and brms, one formula a parameter, and applies them to data:
//
//	text → Parse → Formula (terms) → Build → Design (columns, groups, names)
//
// Coding of categorical columns follows patsy's full-rank rule (see codings). Names of columns are bambi's.
package formula

import (
	"fmt"
	"strings"
)

// These are limits on formulas. Each has its own error. Together they bound the time and memory that any formula can use.
const (
	MaxBytes   = 8_192      // length of a formula, as written and as printed
	MaxDepth   = 50         // nesting depth of parentheses
	MaxTerms   = 200        // terms, group effects and offsets of a formula
	MaxFactors = 8          // factors of a term, and columns of a grouping
	MaxLevels  = 300        // levels of a categorical column among the terms
	MaxGroups  = 100_000    // levels of a grouping
	MaxColumns = 300        // columns of the common terms, and of one group term
	MaxCells   = 50_000_000 // numbers in a design: rows times columns, including the columns of group terms
)

// Pos is a position in a formula's text, counted from 1. Columns count characters.
type Pos struct{ Line, Column int }

func (p Pos) String() string { return fmt.Sprintf("%d:%d", p.Line, p.Column) }

// Formula describes how one parameter depends on the columns of a data set.
type Formula struct {
	Param   string
	Common  []Term      // the intercept first if there is one; then sorted by number of factors, then in the order of the text
	Offsets []*Arith    // added to the linear predictor with coefficient 1
	Groups  []GroupTerm // the group terms, in the order of the text
}

// Term is a product of factors, each at most once. The intercept has no factors.
type Term struct {
	Pos     Pos
	Factors []Factor
}

// GroupTerm is a set of effects that vary by the levels of a grouping.
type GroupTerm struct {
	Pos        Pos
	By         []Grouping // one column, or several whose combinations are the levels
	Effects    []Term     // the terms that vary by group, in the order of Formula.Common
	Correlated bool       // whether the effects of a level are correlated: "|" instead of "||"
}

// Grouping is a column whose values are the labels of groups.
type Grouping struct {
	Pos    Pos
	Column string
}

// Factor is one column of the data, perhaps transformed.
type Factor struct {
	Pos       Pos
	Kind      Kind
	Column    string // column of a Plain or Category factor
	Reference string // level of a Category factor that treatment coding omits; "" if the data determine it
	Value     *Arith // arithmetic of a Center, Scale or Arithmetic factor
}

// Kind is the transformation that a factor applies to its column.
type Kind uint8

const (
	Plain      Kind = iota // x: a numeric column, or a column of labels with treatment coding
	Category               // C(x): any column, whose values count as labels
	Center                 // center(…): minus the mean
	Scale                  // scale(…): minus the mean, divided by the standard deviation (with divisor n)
	Arithmetic             // I(…): arithmetic on numeric columns
)

// Arith is an arithmetic expression of numeric columns.
type Arith struct {
	Pos         Pos
	Op          Op
	Column      string  // column of an OpColumn
	Number      float64 // number of an OpNumber, not negative
	Left, Right *Arith  // the operands; OpNegate has only Left
}

// Op is an operation of Arith.
type Op uint8

const (
	OpColumn Op = iota
	OpNumber
	OpAdd
	OpSubtract
	OpMultiply
	OpDivide
	OpNegate
	OpPower
)

// IsIntercept reports whether t is the intercept.
func (t Term) IsIntercept() bool { return len(t.Factors) == 0 }

// Parse parses a formula such as "v ~ 1 + theta + (1 + theta | subj_idx)". A syntax error is an *Error.
func Parse(text string) (*Formula, error) {
	tokens, err := scan(text)
	if err != nil {
		return nil, err
	}
	tree, err := parser.ParseFromLexer(tokens)
	if err != nil {
		return nil, explain(err, text)
	}
	f, err := expand(tree)
	if err != nil {
		return nil, err
	}
	if n := len(f.String()); n > MaxBytes {
		return nil, errorf(Pos{1, 1}, "formula has %d bytes with its products multiplied out, expected at most %d", n, MaxBytes)
	}
	return f, nil
}

// key returns a text that is the same for two terms if and only if they have the same factors, in any order.
func (t Term) key() string {
	names := make([]string, len(t.Factors))
	for i, f := range t.Factors {
		names[i] = f.String()
	}
	return strings.Join(sorted(names), ":")
}
