package tabulate

import _ "embed"

//go:embed table.go
var tableSource string

//go:embed piece.go
var pieceSource string

//go:embed kept.go
var keptSource string

// Source returns the text of the files that emitted packages carry with them: this package without this file.
func Source() []string { return []string{tableSource, pieceSource, keptSource} }
