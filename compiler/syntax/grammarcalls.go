package syntax

import "github.com/alecthomas/participle/v2/lexer"

// This file has the part of the syntax tree for calls and states. Its keywords may be names elsewhere.

// Use copies the declarations of a model, or gives a name to a model of another file.
type Use struct {
	Model  *Name   `parser:"  @@"`
	Import *Import `parser:"| @@"`
}

// Import gives a name to a model of another file, or to a teacher, a trained network, in a folder.
type Import struct {
	Path *Path `parser:"@@"`
	Name *Name `parser:"'as' @@"`
}

// Path is the path of a file or folder, in quotes.
type Path struct {
	Pos  lexer.Position
	Text string `parser:"@String"`
}

// State declares a number that each participant has and that changes from trial to trial. It is Start at the participant's
// first trial, and again whenever one of the columns Restart changes.
type State struct {
	Name    *Name   `parser:"@@ '='"`
	Start   *Expr   `parser:"@@"`
	Restart []*Name `parser:"('restart' @@ (',' @@)*)?"`
}

// Next is the block that assigns the states' values after a trial. All are assigned at once.
type Next struct {
	Assigns []*Assign `parser:"'{' (@@ (';' | ',')?)* '}'"`
}
