package expr

import (
	"maps"
	"math"
	"slices"
)

// Param is a parameter and the range for which the model is meant. Likelihoods are also evaluated outside the range.
type Param struct {
	Name         string
	Lower, Upper float64
}

// Support is one condition Left < Right: a trial outside it has log density -Inf.
type Support struct{ Left, Right *Expr }

// Assign gives a name the value of an expression, such as the value of a parameter for trials at the lower boundary.
type Assign struct {
	Param string
	Value *Expr
}

// SimulatorUse is the process that simulates a model's data: its name, and each of its parameters as an expression of the
// model's parameters. The Param fields are names of the process's parameters. Readers of models check that the process and
// these names exist.
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
	Trials   []string           // columns with one value for each trial, in the order of NewData's arguments
	Positive []string           // the trial columns whose values must be greater than 0; other values are an error in the data
	Zero     []string           // the columns among Positive whose values may be 0 too
	Missing  map[string]float64 // the value of an empty cell, by trial column or choice; a column without one may have no empty cell
	Choice   string             // the response column, "" where the model has none
	Choices  int                // number of choices, coded 0 … Choices-1; 0 where they are the two boundaries, coded +1 and -1, or there is no choice
	Params   []Param
	Weak     []string // parameters that a few hundred trials hardly determine, so that recovering them is no test of a likelihood
	Support  []Support
	Lower    []Assign // values of the parameters for trials at the lower boundary; all are assigned at once
	// Simulator says which process simulates the model's data; nil where none is declared.
	Simulator *SimulatorUse
	Lets      []Let
	LogLik    *Expr // log density of one trial, which shares the nodes of lets; nil if the model has no such expression

	// Evidence is the process that the model declares instead of LogLik; nil for none. The data of a model with neither are
	// simulated by a program elsewhere.
	Evidence *Evidence

	// Called is the log density of a model with calls or states, whose LogLik is nil; nil for other models.
	Called *Called

	// Outer is the call of another model if the log density is this call and nothing else. It is also set if LogLik has the called
	// expression written out.
	Outer *Density

	// Computed says how simulations compute trial columns: as expressions of the choice, trial columns and other columns of the
	// data.
	Computed []Assign

	// Integrals says that LogLik was written with integrals. LogLik now has sums in their place, with enough terms for the
	// parameters' ranges.
	Integrals bool

	// Looped is LogLik with the integrals of the model itself, not of models that it calls, as loops over tables of nodes; nil if
	// there are none.
	Looped *Looped

	// Normalise says that the log density is LogLik minus the log of the integral of exp(LogLik) over time and all choices. Package
	// normal computes the integral.
	Normalise bool

	// LogZ is the log of that integral, if LogLik contains it: LogLik is then normalised already. Else it is nil. LogZ depends only
	// on parameters and is the same at both boundaries.
	LogZ *Expr

	// Lapse is the distribution of lapses with which the normalised density is mixed; Binding gives the parameters at which the
	// density is evaluated. Each may be nil.
	Lapse   *Lapse
	Binding *Binding
}

// Names of the groups of a model's trials: upper and lower for the two boundaries, all for a model without choice. Groups of
// numbered choices are called choice0, choice1, ….
const (
	Upper = "upper"
	Lower = "lower"
	All   = "all"
)

// Group is the log density for one group of trials: the group's choice and, at the lower boundary, its parameters are
// substituted.
type Group struct {
	Name    string
	Choice  float64 // the choice of the group's trials, as data code it; 0 for a model without choice
	LogLik  *Expr
	Support []Support
	Lets    []Let
}

// Codes returns the numbers that stand for choices in data: +1 and -1 for the two boundaries, else 0, 1, …; nil for a model
// without choice.
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

// Reflected returns the values of the parameters for trials at the lower boundary, in the parameters' order. A parameter that
// the model does not change is itself.
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

// group returns the group of trials in which the symbols have the values; choice is the group's choice.
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

// decidedBy returns a mapper that replaces symbols by values, and each if whose condition these values decide by its branch.
func decidedBy(values map[string]*Expr) *Mapper {
	return NewMapper(func(n *Expr, args []*Expr) *Expr {
		if v := values[n.Name]; n.Op == Sym && v != nil {
			return v
		}
		return decided(n.With(args))
	})
}

// decided returns the branch of an if whose condition is a constant, and any other expression unchanged.
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

// PointAt returns a parameter vector: parameter i is at share(i) of its range, where 0 is the lower end and 1 the upper end. An
// infinite range counts as [-1, 1], or as the interval of length 2 at its finite end.
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
