package problem

import (
	"errors"
	"strings"
)

// Error names the setting because of which a problem could not be prepared.
type Error struct {
	Setting string // the setting's name on the command line, without dashes; "" for several settings
	Refused bool   // whether the setting itself is invalid; if false, the file or teacher that it names could not be used
	Err     error
}

// ErrNotAdmitted means that no gate admits the teacher; with [Settings.Ungated] the teacher is used anyway.
var ErrNotAdmitted = errors.New("a search would learn its errors")

func (e *Error) Error() string { return strings.TrimSpace(e.Setting + " " + e.Err.Error()) }

// Unwrap returns the cause, without the setting's name.
func (e *Error) Unwrap() error { return e.Err }
