package elementary

import _ "embed"

//go:embed expneg.go
var expNegSource string

//go:embed log.go
var logSource string

// Source returns the text of the files that emitted packages carry with them: this package without this file.
func Source() []string { return []string{expNegSource, logSource} }
