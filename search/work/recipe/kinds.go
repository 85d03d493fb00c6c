package recipe

import (
	"cmp"
	"regexp"
)

// misfit matches the decoder's message for a value of the wrong type, which names Go types.
var misfit = regexp.MustCompile(`^cannot decode TOML (\w+) into (?:struct field \S+|a Go value) of type (\S+)$`)

// kinds describes, for each Go type of a field, which value its key needs.
var kinds = map[string]string{
	"bool": "true or false", "int": "a whole number", "int64": "a whole number", "uint64": "a whole number of 0 or more", "float64": "a number",
	"string": `"a text"`, "[]string": `["a text", …]`, "[]float64": "[a number, …]",
}

// wrongKind rewrites the decoder's message about a value of the wrong type in a user's words. It returns other messages unchanged.
func wrongKind(message string) string {
	found := misfit.FindStringSubmatch(message)
	if found == nil {
		return message
	}
	return "the value is of the kind " + found[1] + ": want " + cmp.Or(kinds[found[2]], "another kind")
}
