// Package front is the file format of Pareto fronts: FRONT.jsonl, one expression a line with what its search knows of it.
//
// A front is written by a search and read by the judge. Fronts of several searches are joined by [Union]; expressions with
// one canonical form are found by [Group].
package front

import (
	"encoding/json"
	"fmt"
	"math"

	"likc/compiler/expr"
)

// Line is one expression of a front.
type Line struct {
	Expr        string            `json:"expr"`            // the log density at the upper boundary, as likc parses it
	Size        int               `json:"size"`            // nodes of its tree, as the search counts them
	Loss        Number            `json:"loss"`            // NaN where no search gave one
	Terms       map[string]Number `json:"terms,omitempty"` // of the loss, by name
	Lambda      Number            `json:"lambda"`          // weight of recovery in the loss
	Seed        uint64            `json:"seed"`
	Model       string            `json:"model"` // what the header is named by: parameters, support, reflection
	Tier        string            `json:"tier,omitempty"`
	Settings    string            `json:"settings,omitempty"` // hash of the search's settings
	Evaluations int64             `json:"evaluations,omitempty"`
	Niche       uint16            `json:"niche,omitempty"`

	Rest map[string]json.RawMessage `json:"-"` // fields that are not known here, carried along

	File   string      `json:"-"` // where the line was read
	At     int         `json:"-"` // its number there, from 1
	Parsed *expr.Model `json:"-"` // the model with this expression; nil for a line that was not read
}

// Where is the line's place, FILE:LINE.
func (l *Line) Where() string { return fmt.Sprintf("%s:%d", l.File, l.At) }

// Number is a figure that JSON writes as null where it is not finite, and reads back as NaN.
type Number float64

// MarshalJSON writes the number or null.
func (n Number) MarshalJSON() ([]byte, error) {
	if x := float64(n); !math.IsNaN(x) && !math.IsInf(x, 0) {
		return json.Marshal(x)
	}
	return []byte("null"), nil
}

// UnmarshalJSON reads a number or null.
func (n *Number) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		*n = Number(math.NaN())
		return nil
	}
	var x float64
	if err := json.Unmarshal(text, &x); err != nil {
		return err
	}
	*n = Number(x)
	return nil
}
