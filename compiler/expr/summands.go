package expr

// Summand is a term of a sum.
type Summand struct {
	Negative bool // whether it is subtracted
	Value    *Expr
}

// Summands returns the terms of a sum, in their order. An expression that is no sum is one term.
func Summands(e *Expr) []Summand {
	switch e.Op {
	case Add:
		return append(Summands(e.Args[0]), Summands(e.Args[1])...)
	case Sub:
		return append(Summands(e.Args[0]), Summand{Negative: true, Value: e.Args[1]})
	}
	return []Summand{{Value: e}}
}

// SumOf returns the sum of at least one term.
func SumOf(terms []Summand) *Expr {
	sum := terms[0].Value
	if terms[0].Negative {
		sum = Negative(sum)
	}
	for _, t := range terms[1:] {
		if t.Negative {
			sum = New(Sub, sum, t.Value)
		} else {
			sum = New(Add, sum, t.Value)
		}
	}
	return sum
}

// WithNames returns the model's log density and the values of its lets with the names of lets in place of their values.
func (m *Model) WithNames() (loglik *Expr, lets []Let) {
	names := map[*Expr]*Expr{}
	for _, l := range m.Lets {
		names[l.Value] = Var(l.Name)
	}
	within := func(root *Expr, isLet bool) *Expr {
		return Map(root, func(n *Expr, args []*Expr) *Expr {
			if name := names[n]; name != nil && !(isLet && n == root) {
				return name
			}
			return n.With(args)
		})
	}
	for _, l := range m.Lets {
		lets = append(lets, Let{l.Name, within(l.Value, true)})
	}
	return within(m.LogLik, false), lets
}
