package study

// First returns a source with the first n cases of s, or all if it has fewer.
func First(s Source, n int) Source { return first{s, min(n, s.N())} }

type first struct {
	Source
	n int
}

func (f first) N() int { return f.n }
