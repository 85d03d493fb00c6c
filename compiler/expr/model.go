package expr

import (
	"maps"
	"math"
	"slices"
)

// Param is a parameter and the range in which the model was made to be used. Likelihoods are evaluated outside it too.
type Param struct {
	Name         string
	Lower, Upper float64
}

// Support is one condition Left < Right: a trial outside it has log density -Inf.
type Support struct{ Left, Right *Expr }

// Assign gives a parameter the value at which a lower-boundary trial is scored.
type Assign struct {
	Param string
	Value *Expr
}

// SimulatorUse is the process that simulates a model's data: its name, and each of its parameters as an expression of the
// model's parameters. The expressions' Param fields are the process's names. Which processes there are, and that their
// parameters are these, is for the reader of a model to check.
type SimulatorUse struct {
	Name   string
	Params []Assign
}

// Let names a subexpression. Nodes that use it share Value, so that a printer can find the name again.
type Let struct {
	Name  string
	Value *Expr
}

// Model is a resolved likelihood model. Every symbol in its expressions is a trial column, the choice or a parameter.
type Model struct {
	Name     string
	Trials   []string           // columns with one value a trial, in the order of NewData's arguments
	Positive []string           // the trial columns whose values must be greater than 0; other values are an error in the data
	Zero     []string           // the columns among Positive whose values may be 0 too
	Missing  map[string]float64 // the value of an empty cell, by trial column or choice; a column without one may have no empty cell
	Choice   string             // the response column, "" where the model has none
	Choices  int                // number of choices, coded 0 … Choices-1; 0 where they are the two boundaries, coded +1 and -1, or there is no choice
	Params   []Param
	Weak     []string // parameters of which a few hundred trials say so little that recovering them is no test of a likelihood
	Support  []Support
	Lower    []Assign // the reflection between two boundaries; simultaneous
	// Simulator says which process simulates the model's data; nil where none is declared.
	Simulator *SimulatorUse
	Lets      []Let
	LogLik    *Expr // log density of one trial, lets inlined by sharing; nil where none is written

	// Evidence is the process that the model writes down instead; nil for none. A model with neither is one that a program elsewhere simulates.
	Evidence *Evidence

	// Called says how the log density is made of calls and states, where it is; LogLik is nil then.
	Called *Called

	// Outer is the call that the log density is, where it is one and nothing else: of an expression too, which LogLik has written out.
	Outer *Density

	// Computed are the trial columns that say how they come about where trials are simulated: expressions of the choice, trial columns and other
	// columns of the data.
	Computed []Assign

	// Integrals says that LogLik was written with integrals. They are sums now, with as many terms as the parameters' ranges need.
	Integrals bool

	// Looped has the sums of the model's own integrals, not of models that it calls, as loops over tables of nodes; nil without any.
	Looped *Looped

	// Normalise says that the log density is LogLik less the log of its integral over time and all choices. Package normal makes it so.
	Normalise bool

	// LogZ is the part of LogLik that is the log of that integral, where a normalised model is written out; else nil. It depends on parameters
	// alone, and is the same at both boundaries.
	LogZ *Expr

	// Lapse mixes the normalised density with lapses, and Binding has it evaluated at other parameters; nil for neither.
	Lapse   *Lapse
	Binding *Binding
}

// Group names of a model: with a choice the trials at each boundary, else all trials. Groups of numbered choices are called
// choice0, choice1, ….
const (
	Upper = "upper"
	Lower = "lower"
	All   = "all"
)

// Group is the model as one group of trials sees it: the reflection and the group's choice substituted.
type Group struct {
	Name    string
	Choice  float64 // the choice of its trials, as data code it; 0 too for a model without choice
	LogLik  *Expr
	Support []Support
	Lets    []Let
}

// Codes returns the choices as data code them: +1 and -1 for the two boundaries, else 0, 1, …; nil for a model without choice.
func (m *Model) Codes() []float64 {
	switch {
	case m.Choice == "":
		return nil
	case m.Choices == 0:
		return []float64{1, -1}
	}
	codes := make([]float64, m.Choices)
	for k := range codes {
		codes[k] = float64(k)
	}
	return codes
}

// Groups returns the model's groups of trials: one for each choice, in the order of Codes, or all trials of a model without choice.
func (m *Model) Groups() []Group {
	switch {
	case m.Choice == "":
		return []Group{{Name: All, LogLik: m.LogLik, Support: m.Support, Lets: m.Lets}}
	case m.Choices > 0:
		var groups []Group
		for _, c := range m.Codes() {
			groups = append(groups, m.group("choice"+Literal(c), c, map[string]*Expr{m.Choice: Num(c)}))
		}
		return groups
	}
	reflection, reflected := map[string]*Expr{m.Choice: Num(-1)}, m.Reflected()
	for _, a := range m.Lower {
		reflection[a.Param] = reflected[m.ParamIndex(a.Param)]
	}
	return []Group{
		m.group(Upper, 1, map[string]*Expr{m.Choice: Num(1)}),
		m.group(Lower, -1, reflection),
	}
}

// Reflected returns what the parameters become at the lower boundary, in their order: themselves where the model does not say otherwise.
func (m *Model) Reflected() []*Expr {
	all := make([]*Expr, len(m.Params))
	for i, p := range m.Params {
		all[i] = Var(p.Name)
	}
	lower := Substitution(map[string]*Expr{m.Choice: Num(-1)})
	for _, a := range m.Lower {
		all[m.ParamIndex(a.Param)] = lower.Map(a.Value)
	}
	return all
}

func (m *Model) group(name string, choice float64, values map[string]*Expr) Group {
	s := decidedBy(values)
	g := Group{Name: name, Choice: choice}
	if m.LogLik != nil {
		g.LogLik = s.Map(m.LogLik)
	}
	for _, c := range m.Support {
		g.Support = append(g.Support, Support{Left: s.Map(c.Left), Right: s.Map(c.Right)})
	}
	for _, l := range m.Lets {
		g.Lets = append(g.Lets, Let{Name: l.Name, Value: s.Map(l.Value)})
	}
	return g
}

// decidedBy puts values in the place of symbols, and branches in the place of conditions that these decide.
func decidedBy(values map[string]*Expr) *Mapper {
	return NewMapper(func(n *Expr, args []*Expr) *Expr {
		if v := values[n.Name]; n.Op == Sym && v != nil {
			return v
		}
		return decided(n.With(args))
	})
}

// decided returns the branch that an if takes everywhere, as where its condition is on the choice; other expressions as they
// are.
func decided(e *Expr) *Expr {
	if e.Op != If {
		return e
	}
	c := e.Args[0]
	isNumber := func(x *Expr) bool { return x.Op == Const }
	switch {
	case c.Op == Const && c.Value != 0:
		return e.Args[1]
	case c.Op == Const:
		return e.Args[2]
	case (c.Op == Less || c.Op == LessEqual) && isNumber(c.Args[0]) && isNumber(c.Args[1]):
		return e.Args[1+int(1-c.Op.Info().Eval([3]float64{c.Args[0].Value, c.Args[1].Value}))]
	}
	return e
}

// ParamIndex returns the position of the named parameter, or -1.
func (m *Model) ParamIndex(name string) int {
	return slices.IndexFunc(m.Params, func(p Param) bool { return p.Name == name })
}

// ParamNames returns the parameters' names in the model's order.
func (m *Model) ParamNames() []string {
	names := make([]string, len(m.Params))
	for i, p := range m.Params {
		names[i] = p.Name
	}
	return names
}

// PointAt returns the parameters at a share of each range, by the parameter's index: 0 is the range's lower end, 1 its upper end. Infinite ranges
// count as two wide: [-1, 1], or two from their finite end.
func (m *Model) PointAt(share func(i int) float64) []float64 {
	theta := make([]float64, len(m.Params))
	for i, p := range m.Params {
		low, high := p.Lower, p.Upper
		if math.IsInf(low, 0) {
			low = min(high, 1) - 2
		}
		if math.IsInf(high, 0) {
			high = low + 2
		}
		theta[i] = low + (high-low)*share(i)
	}
	return theta
}

// IsParam reports whether name is a parameter of the model.
func (m *Model) IsParam(name string) bool {
	for _, p := range m.Params {
		if p.Name == name {
			return true
		}
	}
	return false
}

// IsTrial reports whether name is a trial column of the model.
func (m *Model) IsTrial(name string) bool { return slices.Contains(m.Trials, name) }

// IsPositive reports whether name is a trial column whose values must be greater than 0, or at least 0 if MayBeZero.
func (m *Model) IsPositive(name string) bool { return slices.Contains(m.Positive, name) }

// MayBeZero reports whether name is a trial column whose values must be 0 or more.
func (m *Model) MayBeZero(name string) bool { return slices.Contains(m.Zero, name) }

// Equal reports whether two models declare the same things and have the same expressions, names of lets included.
func (m *Model) Equal(o *Model) bool {
	if m.Name != o.Name || m.Normalise != o.Normalise || m.Choice != o.Choice || m.Choices != o.Choices || !same(m.LogLik, o.LogLik) || !m.Evidence.equal(o.Evidence) ||
		!m.Called.equal(o.Called) || !slices.EqualFunc(m.Computed, o.Computed, Assign.equal) ||
		len(m.Trials) != len(o.Trials) || len(m.Params) != len(o.Params) || len(m.Support) != len(o.Support) ||
		len(m.Lower) != len(o.Lower) || len(m.Lets) != len(o.Lets) || !maps.Equal(m.Missing, o.Missing) || !slices.Equal(m.Weak, o.Weak) || !m.Simulator.equal(o.Simulator) || !m.Lapse.equal(o.Lapse) || !m.Binding.equal(o.Binding) {
		return false
	}
	same := true
	for i := range m.Trials {
		same = same && m.Trials[i] == o.Trials[i] && m.IsPositive(m.Trials[i]) == o.IsPositive(o.Trials[i]) && m.MayBeZero(m.Trials[i]) == o.MayBeZero(o.Trials[i])
	}
	for i := range m.Params {
		same = same && m.Params[i] == o.Params[i]
	}
	for i := range m.Support {
		same = same && m.Support[i].Left.Equal(o.Support[i].Left) && m.Support[i].Right.Equal(o.Support[i].Right)
	}
	for i := range m.Lower {
		same = same && m.Lower[i].equal(o.Lower[i])
	}
	for i := range m.Lets {
		same = same && m.Lets[i].Name == o.Lets[i].Name && m.Lets[i].Value.Equal(o.Lets[i].Value)
	}
	return same
}

func (a Assign) equal(b Assign) bool { return a.Param == b.Param && a.Value.Equal(b.Value) }

func (s *SimulatorUse) equal(o *SimulatorUse) bool {
	if s == nil || o == nil {
		return s == o
	}
	return s.Name == o.Name && slices.EqualFunc(s.Params, o.Params, Assign.equal)
}
