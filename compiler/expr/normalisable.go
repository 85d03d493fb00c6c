package expr

import "fmt"

// Normalisable returns an error if a model has a form that cannot be normalised. Its density must be over one response time
// and, if any, a choice; and its support must begin at a time that depends only on parameters.
func (m *Model) Normalisable() error {
	if m.Called != nil {
		return fmt.Errorf("the log density has states or calls of densities, expected an expression")
	}
	if m.LogLik == nil {
		return fmt.Errorf("the model has no loglik")
	}
	if len(m.Trials) != 1 {
		return fmt.Errorf("the model has %d trial columns, expected one, the response time", len(m.Trials))
	}
	for _, c := range m.Support {
		if !m.ofParams(c.Left) || !m.ofParams(c.Right) && !(c.Right.Op == Sym && c.Right.Name == m.Trials[0]) {
			return fmt.Errorf("support %s < %s, expected one of parameters < %s", c.Left, c.Right, m.Trials[0])
		}
	}
	return nil
}

// ofParams reports whether all symbols of an expression are parameters.
func (m *Model) ofParams(e *Expr) bool {
	for _, s := range Symbols(e) {
		if !m.IsParam(s) {
			return false
		}
	}
	return true
}
