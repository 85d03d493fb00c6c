package trials

import "fmt"

// Unclear is the error of a file that leaves a question open which [Options] can answer.
type Unclear struct {
	Question Question
	Symbol   string // of WhichColumn: the symbol that wants a column
	Column   string // of OnePerson: the column that names several subjects

	err error
}

// Question is what a file leaves open.
type Question int

// The questions, with the fields of [Options] that answer them.
const (
	WhichColumn   Question = iota // of a symbol: Rename
	WhichSubjects                 // the column of the subjects: Subject
	OnePerson                     // whether several subjects are taken for one person: Pool, Subject or Only
	WhichUnit                     // of the response times: Unit
	WhichChoice                   // a value of the column of numbered choices is: Responses
)

func (u *Unclear) Error() string { return u.err.Error() }

// unclear returns the error of a symbol's column that is not found, or not clear.
func (n *need) unclear(format string, args ...any) error {
	return &Unclear{Question: n.question, Symbol: n.symbol, err: fmt.Errorf(format, args...)}
}
