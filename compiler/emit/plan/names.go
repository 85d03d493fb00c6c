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
	Reserved []string                          // names that nothing may take
	Allowed  func(name string) bool            // reports whether the language, and what the printed text includes, leave a name free
	Clean    func(name string) string          // the identifier nearest to a model's name; nil: the name itself
	Again    string                            // the ending that a name gets where it is taken
	Join     func(first, second string) string // one name of two words
	// Results names what a loop puts out.
	Results func(n *Names, outs int) []Ref
}

// Names hands out identifiers that are free in one scope of a printed file.
type Names struct {
	style *Style
	taken map[string]bool
	next  map[sequence]int // the first number that was not yet tried
}

// NewNames returns a scope in which only the style's reserved names are taken.
func NewNames(style *Style) *Names {
	n := &Names{style: style, taken: map[string]bool{}, next: map[sequence]int{}}
	n.Reserve(style.Reserved...)
	return n
}

// Inner returns a scope in which everything taken in n is taken.
func (n *Names) Inner() *Names {
	return &Names{style: n.style, taken: maps.Clone(n.taken), next: maps.Clone(n.next)}
}

// Reserve takes names as they are, free or not.
func (n *Names) Reserve(names ...string) {
	for _, name := range names {
		n.taken[name] = true
	}
}

// Taken reports whether a name is taken.
func (n *Names) Taken(name string) bool { return n.taken[name] }

// Declare reserves the identifier nearest to want, and returns it: want itself or want with an ending; t0, t1, … for "".
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

// Number reserves the first free name of stem0, stem1, ….
func (n *Names) Number(stem string) string { return n.first(stem, true, []string{""})[0] }

// sequence is a series of names, and how they are used.
type sequence struct {
	stem, suffixes string
	numbered       bool
}

// first takes the first of the stem's names that is free with every suffix. Names are never given back, so that the search
// goes on where it ended last.
func (n *Names) first(stem string, numbered bool, suffixes []string) []string {
	at := sequence{stem, strings.Join(suffixes, " "), numbered}
	list := make([]string, len(suffixes))
	for {
		name := n.candidate(stem, numbered, n.next[at])
		n.next[at]++
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

// candidate returns name i of stem0, stem1, …; if they are not numbered, of stem, then stem and the style's ending, then the
// same with 2, 3 and so on.
func (n *Names) candidate(stem string, numbered bool, i int) string {
	switch {
	case numbered:
		return stem + strconv.Itoa(i)
	case i == 0:
		return stem
	case i == 1:
		return stem + n.style.Again
	}
	return stem + n.style.Again + strconv.Itoa(i)
}
