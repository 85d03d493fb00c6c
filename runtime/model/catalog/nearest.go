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

// distance returns the number of letters to change, add or drop, or of neighbours to swap, to turn a into b (optimal string alignment).
func distance(a, b string) int {
	d := make([][]int, len(a)+1) // d[i][j] is the distance from the first i letters of a to the first j of b
	for i := range d {
		d[i] = make([]int, len(b)+1)
		for j := range d[i] {
			if i == 0 || j == 0 {
				d[i][j] = i + j
				continue
			}
			change := d[i-1][j-1]
			if a[i-1] != b[j-1] {
				change++
			}
			d[i][j] = min(change, d[i-1][j]+1, d[i][j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d[i][j] = min(d[i][j], d[i-2][j-2]+1)
			}
		}
	}
	return d[len(a)][len(b)]
}
