package syntax

import "github.com/alecthomas/participle/v2/lexer"

// The part of the syntax tree that calls and states add. Its words are words only here.

// Use takes over a model that is named, or gives a name to one that stands in another file.
type Use struct {
	Model  *Name   `parser:"  @@"`
	Import *Import `parser:"| @@"`
}

// Import gives a name to the model of another file, or to the teacher of a folder.
type Import struct {
	Path *Path `parser:"@@"`
	Name *Name `parser:"'as' @@"`
}

// Path is a text in quotes.
type Path struct {
	Pos  lexer.Position
	Text string `parser:"@String"`
}

// State is a number that each participant carries from trial to trial. It starts at Start, and again wherever one of the columns Restart
// changes.
type State struct {
	Name    *Name   `parser:"@@ '='"`
	Start   *Expr   `parser:"@@"`
	Restart []*Name `parser:"('restart' @@ (',' @@)*)?"`
}

// Next is what the states become after a trial, all at once.
type Next struct {
	Assigns []*Assign `parser:"'{' (@@ (';' | ',')?)* '}'"`
}
