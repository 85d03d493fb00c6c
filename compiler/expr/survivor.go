package expr

// Survivors returns candidates for the log probability that no accumulator of a race has finished by a time. They exist for a
// model of numbered choices whose log density is f[c] + sum(k != c: S[k]), and are expressions of its trial columns and
// parameters. A caller must check a candidate: minus the derivative of its exponential must be the density. Each candidate
// takes a term of the density, sums it over all choices, divides by the number of choices minus 1, and adds the terms that
// depend only on parameters.
func (m *Model) Survivors() (all []*Expr) {
	if m.Choices < 2 || m.LogLik == nil {
		return nil
	}
	constant := Num(0)
	var byChoice [][]*Expr // for each term of the density that depends on the choice: its value at each choice
	for _, term := range addends(m.LogLik, nil) {
		symbols := map[string]bool{}
		for _, name := range Symbols(term) {
			symbols[name] = true
		}
		switch {
		case symbols[m.Choice]:
			byChoice = append(byChoice, m.atChoices(term))
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

// atChoices returns an expression with each choice substituted, in the order of Codes.
func (m *Model) atChoices(x *Expr) (all []*Expr) {
	for _, code := range m.Codes() {
		all = append(all, decidedBy(map[string]*Expr{m.Choice: Num(code)}).Map(x))
	}
	return all
}

// hasTrial reports whether one of the symbols is a trial column.
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
