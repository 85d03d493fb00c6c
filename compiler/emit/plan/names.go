package plan

import (
	"iter"
	"strconv"

	"likc/compiler/expr"
)

// Style says how a target language writes names and operators.
type Style struct {
	Target   expr.Target
	Reserved []string                          // names that nothing may take
	Allowed  func(name string) bool            // reports whether the language, and what the printed text includes, leave a name free
	Clean    func(name string) string          // the identifier nearest to a model's name; nil: the name itself
	Again    string                            // what a name ends with where the name itself is taken
	Join     func(first, second string) string // one name of two words
	// Results names what a loop puts out.
	Results func(n *Names, outs int) []Ref
}

// Names hands out identifiers that are free in one scope of a printed file.
type Names struct {
	style *Style
	taken map[string]bool
}

// NewNames returns a scope in which only the style's reserved names are taken.
func NewNames(style *Style) *Names {
	n := &Names{style: style, taken: map[string]bool{}}
	n.Reserve(style.Reserved...)
	return n
}

// Inner returns a scope in which everything taken in n is taken.
func (n *Names) Inner() *Names {
	c := &Names{style: n.style, taken: make(map[string]bool, len(n.taken))}
	for name := range n.taken {
		c.taken[name] = true
	}
	return c
}

// Reserve takes names as they are, free or not.
func (n *Names) Reserve(names ...string) {
	for _, name := range names {
		n.taken[name] = true
	}
}

// Taken reports whether a name is taken.
func (n *Names) Taken(name string) bool { return n.taken[name] }

// Take takes the identifier nearest to want: want itself or want with an ending; t0, t1, … for "".
func (n *Names) Take(want string) string { return n.TakeEach(want, []string{""})[0] }

// TakeEach is Take for a value that has several identifiers, one for each suffix.
func (n *Names) TakeEach(want string, suffixes []string) []string {
	if want == "" {
		return n.first(numbered("t"), suffixes)
	}
	return n.first(n.stems(want), suffixes)
}

// Number takes the first free name of stem0, stem1, ….
func (n *Names) Number(stem string) string { return n.first(numbered(stem), []string{""})[0] }

// first takes the first stem that is free with every suffix.
func (n *Names) first(candidates iter.Seq[string], suffixes []string) []string {
	for stem := range candidates {
		list := make([]string, len(suffixes))
		ok := true
		for i, suffix := range suffixes {
			list[i] = stem + suffix
			ok = ok && !n.taken[list[i]] && n.style.Allowed(list[i])
		}
		if ok {
			n.Reserve(list...)
			return list
		}
	}
	panic("plan: no free name") // the candidates never end
}

// stems yields want, then want and the style's ending, then the same with 2, 3 and so on.
func (n *Names) stems(want string) iter.Seq[string] {
	if n.style.Clean != nil {
		want = n.style.Clean(want)
	}
	return func(yield func(string) bool) {
		if !yield(want) || !yield(want+n.style.Again) {
			return
		}
		for i := 2; yield(want + n.style.Again + strconv.Itoa(i)); i++ {
		}
	}
}

// numbered yields stem0, stem1, ….
func numbered(stem string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := 0; yield(stem + strconv.Itoa(i)); i++ {
		}
	}
}
