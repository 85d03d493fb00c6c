package front

import (
	"fmt"
	"slices"
	"strings"

	"likc/runtime/num/finite"
)

// SearchCount is the number of lines from one search, which is identified by file, λ and seed.
type SearchCount struct {
	File   string        `json:"file"`
	Lambda finite.Number `json:"lambda"`
	Seed   uint64        `json:"seed"`
	Lines  int           `json:"expressions"`
}

// CountSearches counts lines by search, in the order of the searches' first lines. Lines without λ are of one search if file and
// seed are equal.
func CountSearches(lines []Line) (list []SearchCount) {
	for _, l := range lines {
		i := slices.IndexFunc(list, func(s SearchCount) bool {
			sameLambda := s.Lambda == l.Lambda || s.Lambda != s.Lambda && l.Lambda != l.Lambda
			return s.File == l.File && s.Seed == l.Seed && sameLambda
		})
		if i < 0 {
			i, list = len(list), append(list, SearchCount{l.File, l.Lambda, l.Seed, 0})
		}
		list[i].Lines++
	}
	return list
}

// Tiers writes how many expressions are of each tier, the cheapest tier first, such as "3 constant, 12 tabulated". counts holds the
// numbers by tier.
func Tiers(counts map[string]int) string {
	var parts []string
	for _, name := range []string{"constant", "tabulated", "streaming", "other"} {
		if counts[name] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", counts[name], name))
		}
	}
	return strings.Join(parts, ", ")
}
