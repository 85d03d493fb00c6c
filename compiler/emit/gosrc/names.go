package gosrc

import (
	"go/token"
	"iter"
	"strconv"
	"strings"
)

// scope hands out Go identifiers that are free: neither a keyword, nor predeclared, nor imported, nor taken before.
type scope struct {
	taken map[string]bool
}

// reserved are the names that no model may take: Go's own, the imports, the API, and what the printed functions call
// their own variables.
var reserved = strings.Fields(`
	any append bool byte cap clear close comparable complex complex128 complex64 copy delete error false float32 float64
	imag int int16 int32 int64 int8 iota len make max min new nil panic print println real recover rune string true
	uint uint16 uint32 uint64 uint8 uintptr
	init main math fmt errors
	Dim Params Lower Upper Data NewData LogDensity N LogLik LogLikGrad Likelihood Candidates
	UseTables tables tabulate
	Engine Portable AVX2 AVX512 Use engine fastest detect
	trials newTrials compensated spread checkColumns checkPositive checkChoice checkTrials
	d g i n p q r err theta grad logLik side take columns _`)

// newScope returns a scope in which only the reserved names are taken.
func newScope() *scope {
	s := &scope{taken: map[string]bool{}}
	for _, name := range reserved {
		s.taken[name] = true
	}
	return s
}

// inner returns a scope in which everything taken here is taken.
func (s *scope) inner() *scope {
	c := &scope{taken: make(map[string]bool, len(s.taken))}
	for name := range s.taken {
		c.taken[name] = true
	}
	return c
}

// free reports whether name can be declared.
func (s *scope) free(name string) bool { return token.IsIdentifier(name) && !s.taken[name] }

// name takes the identifier nearest to want: itself, or with a suffix.
func (s *scope) name(want string) string { return s.takeFirst(stems(want), single)[0] }

// single is the suffix of a value that is printed once; lanes are those of a value that is printed for four trials.
var (
	single = []string{""}
	lanes  = []string{"A", "B", "C", "D"}
)

// named takes the identifiers of a value: of what the model calls it, or t0, t1, … if it has no name.
func (s *scope) named(want string, suffixes []string) []string {
	if want == "" {
		return s.takeFirst(temporaries, suffixes)
	}
	return s.takeFirst(stems(want), suffixes)
}

// takeFirst takes the first stem that is free with every suffix.
func (s *scope) takeFirst(candidates iter.Seq[string], suffixes []string) []string {
	for stem := range candidates {
		list := make([]string, len(suffixes))
		ok := true
		for i, suffix := range suffixes {
			list[i] = stem + suffix
			ok = ok && s.free(list[i])
		}
		if ok {
			for _, name := range list {
				s.taken[name] = true
			}
			return list
		}
	}
	panic("gosrc: no free name") // the stems never end
}

// stems yields want, want_, want_2, want_3 and so on; a want that is no identifier counts as x.
func stems(want string) iter.Seq[string] {
	if !token.IsIdentifier(want) && !token.IsKeyword(want) {
		want = "x"
	}
	return func(yield func(string) bool) {
		if !yield(want) || !yield(want+"_") {
			return
		}
		for i := 2; yield(want + "_" + strconv.Itoa(i)); i++ {
		}
	}
}

// temporaries yields t0, t1, ….
func temporaries(yield func(string) bool) {
	for i := 0; yield("t" + strconv.Itoa(i)); i++ {
	}
}

// title is name with a capital, for the second word of an identifier.
func title(name string) string { return strings.ToUpper(name[:1]) + name[1:] }
