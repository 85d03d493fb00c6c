// Package front reads and writes Pareto fronts. Such a file, FRONT.jsonl, has one expression per line, with its size, its loss and the
// search that found it.
//
// A search writes a front, and the judge reads it. [Union] joins the fronts of several searches. [Group] finds expressions that
// are equal in canonical form.
package front

import (
	"encoding/json"
	"fmt"

	"likc/compiler/expr"
	"likc/runtime/num/finite"
)

// Line is one expression of a front.
type Line struct {
	Expr        string                   `json:"expr"`            // the log density at the upper boundary, in the language that likc parses
	Size        int                      `json:"size"`            // number of nodes of its tree, as the search counts them
	Loss        finite.Number            `json:"loss"`            // NaN if no search gave one
	Terms       map[string]finite.Number `json:"terms,omitempty"` // terms of the loss, by name
	Lambda      finite.Number            `json:"lambda"`          // weight of recovery in the loss
	Seed        uint64                   `json:"seed"`
	Model       string                   `json:"model"`                 // the model without its expression: parameters, support, reflection
	Text        string                   `json:"text,omitempty"`        // the model's definition in the language; "" for a built-in model
	Normalise   bool                     `json:"normalise,omitempty"`   // whether the log of the expression's integral is subtracted
	Tier        string                   `json:"tier,omitempty"`        // how the cost of the likelihood grows with the trials; see Tiers
	Settings    string                   `json:"settings,omitempty"`    // hash of the search's settings
	Evaluations int64                    `json:"evaluations,omitempty"` // number of evaluations of the search until it found the expression
	Niche       uint16                   `json:"niche,omitempty"`       // number of the part of the population that the expression comes from

	Rest map[string]json.RawMessage `json:"-"` // unknown fields, which are kept

	File   string      `json:"-"` // file from which the line was read
	At     int         `json:"-"` // number of the line in that file, from 1
	Parsed *expr.Model `json:"-"` // the model with this expression; nil for a line that was not read from a file
}

// Where returns the line's position, FILE:LINE.
func (l *Line) Where() string { return fmt.Sprintf("%s:%d", l.File, l.At) }
