package catalog

import (
	"fmt"
	"strings"
)

// mostWrong is how many letters a misspelt name of a model may have wrong.
const mostWrong = 2

// noModel is the error of a name that no built-in model has: it names the one that was probably meant, or else all.
func noModel(name string) error {
	if near := nearest(name, BuiltinNames()); near != "" {
		return fmt.Errorf("%s: no such model; did you mean %s? likc models lists all", name, near)
	}
	return fmt.Errorf("%s: no such model; built in are %s", name, strings.Join(BuiltinNames(), ", "))
}

// nearest returns the first of the names with the fewest letters to change, add or drop, in any case; "" if even those are more than mostWrong, or half of
// the name's letters.
func nearest(name string, names []string) (near string) {
	fewest := min(mostWrong, len(name)/2) + 1
	for _, other := range names {
		if n := distance(strings.ToLower(name), strings.ToLower(other)); n < fewest {
			near, fewest = other, n
		}
	}
	return near
}

// distance is Levenshtein's: how many letters of a to change, add or drop until it is b.
func distance(a, b string) int {
	row := make([]int, len(b)+1) // distances of the letters of a so far, by the number of letters of b
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
