package problem

import (
	"errors"
	"strings"
)

// Error says which setting a problem could not be set up with.
type Error struct {
	Setting string // as the command line calls it, without dashes; "" where it is more than one
	Refused bool   // the setting itself makes no sense; false: what it names could not be read or used
	Err     error
}

// ErrNotAdmitted means that no gate admits the teacher; with [Settings.Ungated] it is taken as it is.
var ErrNotAdmitted = errors.New("a search would learn its errors")

func (e *Error) Error() string { return strings.TrimSpace(e.Setting + " " + e.Err.Error()) }

// Unwrap returns what is wrong, without the setting's name.
func (e *Error) Unwrap() error { return e.Err }
