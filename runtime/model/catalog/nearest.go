package catalog

import (
	"fmt"
	"strings"
)

// mostWrong is the largest number of wrong letters in a misspelt name.
const mostWrong = 2

// noModel returns the error for a name that no built-in model has. It suggests the most similar name, or else lists all.
func noModel(name string) error {
	if near := Nearest(name, BuiltinNames()); near != "" {
		return fmt.Errorf("%s: no such model; did you mean %s? likc models lists all", name, near)
	}
	return fmt.Errorf("%s: no such model; built in are %s", name, strings.Join(BuiltinNames(), ", "))
}

// Nearest returns the first of the names with the smallest distance, ignoring case. It returns "" if that distance is more than
// mostWrong, or more than half of the name's letters.
func Nearest(name string, names []string) (near string) {
	fewest := min(mostWrong, len(name)/2) + 1
	for _, other := range names {
		if n := distance(strings.ToLower(name), strings.ToLower(other)); n < fewest {
			near, fewest = other, n
		}
	}
	return near
}

// distance returns Levenshtein's distance: the number of letters to change, add or drop to turn a into b.
func distance(a, b string) int {
	row := make([]int, len(b)+1) // distances from the letters of a so far to each beginning of b
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
