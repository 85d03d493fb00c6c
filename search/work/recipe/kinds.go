package recipe

import (
	"cmp"
	"regexp"
)

// misfit is what the decoder says of a value that is not of the key's kind, in words of Go.
var misfit = regexp.MustCompile(`^cannot decode TOML (\w+) into (?:struct field \S+|a Go value) of type (\S+)$`)

// kinds says what a key wants, by the type of its field.
var kinds = map[string]string{
	"bool": "true or false", "int": "a whole number", "int64": "a whole number", "uint64": "a whole number of 0 or more", "float64": "a number",
	"string": `"a text"`, "[]string": `["a text", …]`, "[]float64": "[a number, …]",
}

// wrongKind says in a user's words that a value is not of the kind that its key wants; other messages stay as they are.
func wrongKind(message string) string {
	found := misfit.FindStringSubmatch(message)
	if found == nil {
		return message
	}
	return "the value is of the kind " + found[1] + ": want " + cmp.Or(kinds[found[2]], "another kind")
}
