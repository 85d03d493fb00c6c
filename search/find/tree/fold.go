package tree

// Fold replaces subtrees without symbols by constants, unless their value is not finite.
func (t *Tree) Fold() {
	folded, value := Tree{Codes: t.Codes[:0], Values: t.Values[:0]}, 0 // writes over t.Codes, never beyond what is already read
	for _, c := range t.Codes {
		switch {
		case c == Constant:
			folded.Codes, folded.Values = append(folded.Codes, c), append(folded.Values, t.Values[value])
			value++
			continue
		case c < Constant || !folded.ends(c.Arity()):
			folded.Codes = append(folded.Codes, c)
			continue
		}
		var x [3]float64
		first := len(folded.Values) - c.Arity()
		copy(x[:], folded.Values[first:])
		op, _ := c.Op()
		y := op.Info().Eval(x)
		if y-y != 0 {
			folded.Codes = append(folded.Codes, c)
			continue
		}
		folded.Codes = append(folded.Codes[:len(folded.Codes)-c.Arity()], Constant)
		folded.Values = append(folded.Values[:first], y)
	}
	*t = folded
}

// ends reports whether the last n nodes are constants.
func (t *Tree) ends(n int) bool {
	if len(t.Codes) < n {
		return false
	}
	for _, c := range t.Codes[len(t.Codes)-n:] {
		if c != Constant {
			return false
		}
	}
	return true
}
