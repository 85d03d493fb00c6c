package plan

import (
	"maps"
	"strconv"
	"strings"

	"likc/compiler/expr"
)

// Style says how a target language writes names and operators.
type Style struct {
	Target   expr.Target
	Reserved []string                          // names that no value may have
	Allowed  func(name string) bool            // reports whether a name is free in the language and in the libraries that a file includes
	Clean    func(name string) string          // returns the identifier closest to a model's name; nil: the name itself
	Ending   string                            // the ending that is added to a name that is already taken
	Join     func(first, second string) string // makes one name from two words
	// Results returns names for the results of a loop.
	Results func(n *Names, outs int) []Ref
}

// Names hands out identifiers that are free in one scope of a printed file.
type Names struct {
	style *Style
	taken map[string]bool
	next  map[sequence]int // for each sequence of names, the first number that was not tried yet
}

// NewNames returns a scope in which only the style's reserved names are taken.
func NewNames(style *Style) *Names {
	n := &Names{style: style, taken: map[string]bool{}, next: map[sequence]int{}}
	n.Reserve(style.Reserved...)
	return n
}

// Inner returns a scope within n, in which all names of n are taken.
func (n *Names) Inner() *Names {
	return &Names{style: n.style, taken: maps.Clone(n.taken), next: maps.Clone(n.next)}
}

// Reserve marks names as taken, unchanged, even if they were taken before.
func (n *Names) Reserve(names ...string) {
	for _, name := range names {
		n.taken[name] = true
	}
}

// Taken reports whether a name is taken.
func (n *Names) Taken(name string) bool { return n.taken[name] }

// Declare reserves an identifier for the name want and returns it: want itself or, if that is taken, want with an ending. For
// "" it returns t0, t1, ….
func (n *Names) Declare(want string) string { return n.DeclareEach(want, []string{""})[0] }

// DeclareEach does what Declare does, for a value that has several identifiers, one for each suffix.
func (n *Names) DeclareEach(want string, suffixes []string) []string {
	if want == "" {
		return n.first("t", true, suffixes)
	}
	if n.style.Clean != nil {
		want = n.style.Clean(want)
	}
	return n.first(want, false, suffixes)
}

// Number reserves the first free name among stem0, stem1, …, and returns it.
func (n *Names) Number(stem string) string { return n.first(stem, true, []string{""})[0] }

// sequence identifies a series of names by its stem, and the kind of its names.
type sequence struct {
	stem, suffixes string
	numbered       bool
}

// first reserves the stem's first name that is free with every suffix. A name never becomes free again, so that a search can
// start where the last one ended.
func (n *Names) first(stem string, numbered bool, suffixes []string) []string {
	key := sequence{stem, strings.Join(suffixes, " "), numbered}
	list := make([]string, len(suffixes))
	for {
		name := n.candidate(stem, numbered, n.next[key])
		n.next[key]++
		free := true
		for j, suffix := range suffixes {
			list[j] = name + suffix
			free = free && !n.taken[list[j]] && n.style.Allowed(list[j])
		}
		if free {
			n.Reserve(list...)
			return list
		}
	}
}

// candidate returns name i of a series: stem0, stem1, … if numbered. Else the series is stem, stem with the style's ending,
// then the same with 2, 3, ….
func (n *Names) candidate(stem string, numbered bool, i int) string {
	switch {
	case numbered:
		return stem + strconv.Itoa(i)
	case i == 0:
		return stem
	case i == 1:
		return stem + n.style.Ending
	}
	return stem + n.style.Ending + strconv.Itoa(i)
}
