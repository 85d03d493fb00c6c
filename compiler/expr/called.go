package expr

import "slices"

// Called is a log density that is computed from the log densities of other models, from states, or from both.
type Called struct {
	Calls  []*Density // the called densities, in the order of the model's text
	States []State    // the states, in the order of the model's text
	LogLik *Expr      // a function of parameters, trial columns, the choice and states; the value of a call is a symbol in it
	Own    []Support  // the support conditions of the model itself, without those of called models
}

// Density is the log density of another model at arguments that are expressions of the caller's parameters, trial columns and states.
type Density struct {
	Symbol string  // the symbol for the density's value in expressions; it is no valid name, so that no model has it
	Of     *Model  // the called model; its LogLik is nil if its density is no expression
	From   string  // the file or folder that the text names; "" for a model of the same file and a built-in one
	Args   []*Expr // arguments in the order of the parameters of Of
}

// State is a number that each participant carries from trial to trial.
type State struct {
	Name    string
	Start   *Expr    // its value at the first trial: a function of parameters
	Next    *Expr    // its value after a trial: a function of parameters, trial columns, the choice and the states before the trial
	Restart []string // columns of the data: where one differs from the participant's previous trial, the state starts again from Start
}

// Restarts returns the columns that restart states and are no trial columns, in order of first appearance.
func (m *Model) Restarts() (names []string) {
	if m.Called == nil {
		return nil
	}
	for _, s := range m.Called.States {
		for _, name := range s.Restart {
			if !m.IsTrial(name) && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// Stateful reports whether trials of the model depend on the trials before them.
func (m *Model) Stateful() bool { return m.Called != nil && len(m.Called.States) > 0 }

func (c *Called) equal(o *Called) bool {
	if c == nil || o == nil {
		return c == o
	}
	return c.LogLik.Equal(o.LogLik) && slices.EqualFunc(c.Calls, o.Calls, (*Density).equal) && slices.EqualFunc(c.States, o.States, State.equal)
}

func (c *Density) equal(o *Density) bool {
	if c == nil || o == nil {
		return c == o
	}
	return c.Of.Name == o.Of.Name && c.From == o.From && slices.EqualFunc(c.Args, o.Args, (*Expr).Equal)
}

func (s State) equal(o State) bool {
	return s.Name == o.Name && s.Start.Equal(o.Start) && s.Next.Equal(o.Next) && slices.Equal(s.Restart, o.Restart)
}

// roots returns the expressions of c: the arguments of calls, the first and next values of states, and the log density.
func (c *Called) roots() (all []*Expr) {
	if c == nil {
		return nil
	}
	for _, call := range c.Calls {
		all = append(all, call.Args...)
	}
	for _, s := range c.States {
		all = append(all, s.Start, s.Next)
	}
	return append(all, c.LogLik)
}

// Roots returns the expressions of the log density: LogLik, or the expressions of calls and states. A model that is only
// declared has none.
func (m *Model) Roots() []*Expr {
	if m.LogLik != nil {
		return []*Expr{m.LogLik}
	}
	return m.Called.roots()
}
