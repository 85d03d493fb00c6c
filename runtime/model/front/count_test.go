package front_test

import (
	"math"
	"slices"
	"testing"

	"likc/runtime/model/front"
	"likc/runtime/num/finite"
)

// A search is identified by file, λ and seed. Lines without λ belong to one search if file and seed are equal.
func TestCountSearches(t *testing.T) {
	nan := finite.Number(math.NaN())
	line := func(file string, lambda finite.Number, seed uint64) front.Line {
		return front.Line{File: file, Lambda: lambda, Seed: seed}
	}
	list := front.CountSearches([]front.Line{line("A", 1, 1), line("A", 1, 2), line("A", 1, 1), line("B", 1, 1), line("B", nan, 1), line("A", 3, 1), line("B", nan, 1)})
	var counts []int
	for _, s := range list {
		counts = append(counts, s.Lines)
	}
	if want := []int{2, 1, 1, 2, 1}; !slices.Equal(counts, want) {
		t.Errorf("%v: %v, want %v", list, counts, want)
	}
}
