package expr

// Survivors returns the expressions that may be the log probability that no accumulator of a race has finished, in the model's trial columns and
// parameters, where its density is written as f[c] + sum(k != c: S[k]). They are candidates: who uses one compares its derivative with the density
// first. Each adds up what some term of the density is for each choice, over one less than the number of choices, and the terms of parameters alone.
// A model without numbered choices has none.
func (m *Model) Survivors() (all []*Expr) {
	if m.Choices < 2 || m.LogLik == nil {
		return nil
	}
	constant := Num(0)
	var byChoice [][]*Expr // by term of the density that depends on the choice, and choice
	for _, term := range addends(m.LogLik, nil) {
		symbols := map[string]bool{}
		for _, name := range Symbols(term) {
			symbols[name] = true
		}
		switch {
		case symbols[m.Choice]:
			byChoice = append(byChoice, m.choose(term))
		case len(symbols) > 0 && !m.hasTrial(symbols):
			constant = Plus(constant, term)
		}
	}
	for _, terms := range byChoice {
		sum := constant
		for _, x := range terms {
			sum = Plus(sum, Over(x, Num(float64(m.Choices-1))))
		}
		all = append(all, sum)
	}
	return all
}

// choose returns an expression at each choice.
func (m *Model) choose(x *Expr) (all []*Expr) {
	for _, code := range m.Codes() {
		all = append(all, decidedBy(map[string]*Expr{m.Choice: Num(code)}).Map(x))
	}
	return all
}

func (m *Model) hasTrial(symbols map[string]bool) bool {
	for _, t := range m.Trials {
		if symbols[t] {
			return true
		}
	}
	return false
}

// addends returns the terms of a sum, with their signs.
func addends(x *Expr, all []*Expr) []*Expr {
	switch x.Op {
	case Add:
		return addends(x.Args[1], addends(x.Args[0], all))
	case Sub:
		all = addends(x.Args[0], all)
		for _, term := range addends(x.Args[1], nil) {
			all = append(all, Negative(term))
		}
		return all
	}
	return append(all, x)
}
