package recipe

import (
	"cmp"
	"regexp"
)

// The decoder's messages that name Go types or functions, or speak of how values are stored.
var (
	misfit   = regexp.MustCompile(`^cannot decode TOML (\w+(?: \w+)*) into (?:(?:struct field \S+|a Go value) of type )?(\S+)$`)
	repeated = regexp.MustCompile(`^cannot store an array table in a struct$`)
	huge     = regexp.MustCompile(`^unable to parse float: strconv\.ParseFloat: parsing "(.+)": value out of range$`)
	negative = regexp.MustCompile(`^negative integer value (-\d+) cannot be stored in u?int\d*$`)
)

// kinds describes, for each Go type of a field, which value its key needs.
var kinds = map[string]string{
	"bool": "true or false", "int": "a whole number", "int64": "a whole number", "uint64": "a whole number of 0 or more", "float64": "a number",
	"string": `"a text"`, "[]string": `["a text", …]`, "[]float64": "[a number, …]",
}

// wrongKind rewrites the decoder's message about a value of the wrong type in a user's words. It returns other messages unchanged.
func wrongKind(message string) string {
	if found := misfit.FindStringSubmatch(message); found != nil {
		return "the value is of the kind " + found[1] + ": want " + cmp.Or(kinds[found[2]], "a table, whose name stands in brackets")
	}
	message = repeated.ReplaceAllString(message, "the name is in two pairs of brackets: want one")
	message = huge.ReplaceAllString(message, "$1: too large a number")
	return negative.ReplaceAllString(message, "$1: want a whole number of 0 or more")
}
