package trials

import (
	"errors"
	"fmt"
)

// Unclear is the error of a file that leaves a question open which [Options] can answer.
type Unclear struct {
	Question Question
	Symbol   string // with WhichColumn: the symbol that wants a column
	Column   string // with OnePerson: the column that names several subjects

	err error
}

// Question is what a file leaves open.
type Question int

// The questions, with the fields of [Options] that answer them.
const (
	WhichColumn   Question = iota // which column has a symbol's values? The answer is an entry of Rename
	WhichSubjects                 // the column of the subjects: Subject
	OnePerson                     // whether several subjects are taken for one person: Pool, Subject or Only
	WhichUnit                     // in which unit are the response times? The answer is Unit
	WhichChoice                   // a value of the column of choices is: Responses
	WhatOfMissing                 // becomes of rows in which a value is missing: DropMissing
)

func (u *Unclear) Error() string { return u.err.Error() }

// missingValue is the error of a value that is missing.
func missingValue(text string) error { return &Unclear{Question: WhatOfMissing, err: errors.New(text)} }

// unclear returns the error of a symbol's column that is not found, or not clear.
func (n *need) unclear(format string, args ...any) error {
	return &Unclear{Question: n.question, Symbol: n.symbol, err: fmt.Errorf(format, args...)}
}
