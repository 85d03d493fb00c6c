package trials

import (
	"errors"
	"fmt"
)

// Unclear is the error for a file that leaves a question open, which a field of [Options] can answer.
type Unclear struct {
	Question Question
	Symbol   string   // with WhichColumn: the symbol that needs a column
	Column   string   // with OnePerson: the column that names several subjects
	Labels   []string // with WhichChoice: the texts in the column, if one of them is no choice; nil if a number is no choice

	err error
}

// Question is a question that a file leaves open.
type Question int

// The questions, with the fields of [Options] that answer them.
const (
	WhichColumn   Question = iota // which column has a symbol's values? Answer: an entry of Rename
	WhichSubjects                 // which column has the subjects? Answer: Subject
	OnePerson                     // are several subjects treated as one person? Answer: Pool, Subject or Only
	WhichUnit                     // in which unit are the response times? Answer: Unit
	WhichChoice                   // which choice does a value in the column of choices mean? Answer: Responses
	WhatOfMissing                 // what happens to rows with a missing value? Answer: DropMissing
)

func (u *Unclear) Error() string { return u.err.Error() }

// missingValue returns the error for a missing value.
func missingValue(text string) error { return &Unclear{Question: WhatOfMissing, err: errors.New(text)} }

// unclear returns the error for a symbol whose column is missing or ambiguous.
func (n *need) unclear(format string, args ...any) error {
	return &Unclear{Question: n.question, Symbol: n.symbol, err: fmt.Errorf(format, args...)}
}
