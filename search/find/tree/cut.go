package tree

// Copy makes t a copy of u, in t's memory if it is large enough.
func (t *Tree) Copy(u Tree) {
	t.Codes = append(t.Codes[:0], u.Codes...)
	t.Values = append(t.Values[:0], u.Values...)
}

// Clear makes t empty and keeps its memory.
func (t *Tree) Clear() { t.Codes, t.Values = t.Codes[:0], t.Values[:0] }

// Append appends the nodes of u to t.
func (t *Tree) Append(u Tree) {
	t.Codes = append(t.Codes, u.Codes...)
	t.Values = append(t.Values, u.Values...)
}

// Cut returns the nodes from start to end-1 of t, without copying. These are a subtree if end-1 is its last node and start is its
// element of [Tree.Starts].
func (t Tree) Cut(start, end int) Tree {
	cut := Tree{Codes: t.Codes[start:end]}
	if len(t.Values) > 0 {
		first := constants(t.Codes[:start])
		cut.Values = t.Values[first : first+constants(cut.Codes)]
	}
	return cut
}

// constants returns the number of Constant leaves among codes.
func constants(codes []Code) int {
	n := 0
	for _, c := range codes {
		if c == Constant {
			n++
		}
	}
	return n
}

// Splice makes t a copy of u, in which v replaces the nodes from start to end-1. Neither u nor v may share memory with t.
func (t *Tree) Splice(u Tree, start, end int, v Tree) {
	t.Clear()
	t.Append(u.Cut(0, start))
	t.Append(v)
	t.Append(u.Cut(end, len(u.Codes)))
}
