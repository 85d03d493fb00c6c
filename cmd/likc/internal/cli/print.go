package cli

import (
	"encoding/json"
	"io"
)

// PrintJSON writes v as indented JSON and a newline.
func PrintJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
