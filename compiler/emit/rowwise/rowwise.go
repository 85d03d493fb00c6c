// Package rowwise prints models as Go and C if their log density is no plain expression: exact densities of processes, models
// that call them, and models with states that change from trial to trial. An evaluation is one loop over the trials,
// participant by participant. The loop updates states and their derivatives in the same turn, so that it goes over the trials
// only once.
package rowwise

import (
	"fmt"
	"slices"

	"likc/compiler/diff"
	"likc/compiler/emit"
	"likc/compiler/emit/passage"
	"likc/compiler/expr"
)

// Case is one set of trials of a test, with the log-likelihood and gradient that the model has there.
type Case struct {
	emit.Case
	Person []int       // for each trial, the number of its participant; only for a model with states
	Blocks [][]float64 // the columns that restart states and are no trial columns, in the order of [expr.Model.Restarts]
}

// density is an exact density that can be printed.
type density struct {
	Name  string   // the name of the process
	Kind  string   // the printed type that holds values which all trials of an evaluation share
	parts []string // the names of the fixed texts that implement it
	about string   // sentences on its conventions, such as units
}

const halfSeparation = "a is HALF the distance between the boundaries (Stan, brms and rtdists use the whole), z is relative to it, the noise is 1, times are in seconds."

// densities are the exact densities that can be printed, with the names of the fixed texts that implement them.
var densities = []density{
	{"ddm", "ddm", []string{"passage", "ddm"}, halfSeparation},
	{"ddm_sdv", "ddmSdv", []string{"passage", "ddm_sdv"}, halfSeparation + " sv is the standard deviation of the drift between trials."},
	{"full_ddm", "fullDdm", []string{"passage", "full_ddm"}, halfSeparation + " sv is a standard deviation between trials; sz and st are full widths, t is the middle of the non-decision time."},
	{"angle", "angle", []string{"passage", "angle"}, halfSeparation + " Boundaries are at ±(a - τ·tan(theta)), τ seconds after t."},
}

// Printable returns nil if a model can be printed, and otherwise an error that says why not.
func Printable(m *expr.Model) error {
	_, err := newSheet(Source{Model: m})
	return err
}

// sheet is a model that is prepared for printing: the log density of a trial as an expression of calls and states, with its
// derivatives.
type sheet struct {
	*expr.Model
	teacher  *Teacher         // the networks of a teacher, which has none of the following but restarts; nil for other models
	process  *passage.Process // a process with a numerical density, which has none of the following; nil for other models
	calls    []*expr.Density
	kinds    []density // the density of each call
	states   []expr.State
	logLik   *expr.Expr     // the log density of a trial
	support  []expr.Support // the model's own conditions, without those of the densities
	restarts []string       // as [expr.Model.Restarts]
	sets     [][]string     // the distinct lists of columns that restart states
	setOf    []int          // for each state, the index of its list in sets

	// grad and tangents are derivatives. They contain symbols for the derivatives of calls in their arguments (slopes), and for the
	// derivatives of states in parameters (tangents) that are not always 0.
	grad     []*expr.Expr
	tangents []tangent
}

// tangent is the derivative of a state in a parameter on which it depends: its first value, and its value after a trial.
type tangent struct {
	state, param int
	start, next  *expr.Expr
}

// slopeName and tangentName return symbols for derivatives. They contain spaces, so that no name of a model equals one.
func slopeName(call, arg int) string      { return fmt.Sprintf("slope %d %d", call, arg) }
func tangentName(state, param int) string { return fmt.Sprintf("tangent %d %d", state, param) }

// newSheet returns the model with the derivatives that its package needs. It fails if the model calls a density that cannot be
// compiled.
func newSheet(m Source) (*sheet, error) {
	s := &sheet{Model: m.Model, teacher: m.Teacher, process: m.Process, restarts: m.Restarts()}
	switch {
	case m.Teacher != nil, m.Process != nil:
		return s, nil
	case m.Called != nil:
		c := m.Called
		s.calls, s.states, s.logLik, s.support = c.Calls, c.States, c.LogLik, slices.Clone(c.Own)
	case m.LogLik == nil && m.Evidence == nil:
		whole := &expr.Density{Symbol: "call 0", Of: m.Model}
		for _, p := range m.Params {
			whole.Args = append(whole.Args, expr.Var(p.Name))
		}
		s.calls, s.logLik = []*expr.Density{whole}, expr.Var(whole.Symbol)
	default:
		return nil, fmt.Errorf("%s: the numerical density of a process written down cannot be compiled yet", m.Name)
	}
	for _, call := range s.calls {
		k := slices.IndexFunc(densities, func(d density) bool { return d.Name == call.Of.Name })
		if k < 0 || call.From != "" || len(call.Of.Roots()) > 0 || call.Of.Evidence != nil {
			return nil, fmt.Errorf("%s: the density of %s cannot be compiled yet: only expressions and the exact densities %s can", m.Name, call.Of.Name, names())
		}
		s.kinds = append(s.kinds, densities[k])
	}
	s.reflect()
	s.differentiate()
	s.sort()
	return s, nil
}

// names returns the names of the densities that can be compiled, as a list in English.
func names() string {
	text := ""
	for i, d := range densities {
		switch {
		case i == len(densities)-1:
			text += " and "
		case i > 0:
			text += ", "
		}
		text += d.Name
	}
	return text
}

// reflect makes the log density and the support use the parameters of the model's block `lower` for trials at the lower
// boundary.
func (s *sheet) reflect() {
	if len(s.Lower) == 0 {
		return
	}
	reflected, values := s.Reflected(), map[string]*expr.Expr{}
	upper := expr.New(expr.Less, expr.Num(0), expr.Var(s.Choice))
	for _, a := range s.Lower {
		values[a.Param] = expr.New(expr.If, upper, expr.Var(a.Param), reflected[s.ParamIndex(a.Param)])
	}
	substitution := expr.Substitution(values)
	s.logLik = substitution.Map(s.logLik)
	for i, c := range s.support {
		s.support[i] = expr.Support{Left: substitution.Map(c.Left), Right: substitution.Map(c.Right)}
	}
}

// differentiate sets the derivatives of a trial's log density and of the states after the trial.
func (s *sheet) differentiate() {
	var symbols []string
	for _, c := range s.calls {
		symbols = append(symbols, c.Symbol)
	}
	byCall := diff.Gradient(s.logLik, symbols)
	whole, bars := s.logLik, map[string]*expr.Expr{}
	for m, c := range s.calls {
		for a, arg := range c.Args {
			bar := fmt.Sprintf("bar %d %d", m, a)
			bars[bar] = expr.Times(byCall[m], expr.Var(slopeName(m, a)))
			whole = expr.Plus(whole, expr.Times(expr.Var(bar), arg))
		}
	}
	s.findTangents()
	s.grad = s.total(whole, expr.Substitution(bars))
	next := map[[2]int]*expr.Expr{}
	for k, st := range s.states {
		for j, e := range s.total(st.Next, nil) {
			next[[2]int{k, j}] = e
		}
	}
	for i, t := range s.tangents {
		s.tangents[i].next = next[[2]int{t.state, t.param}]
	}
}

// findTangents finds the states' derivatives that are not always 0.
func (s *sheet) findTangents() {
	params := s.ParamNames()
	on := make([]map[int]bool, len(s.states)) // for each state, the parameters on which it depends
	for k := range on {
		on[k] = map[int]bool{}
	}
	for changed := true; changed; {
		changed = false
		for k, st := range s.states {
			for _, name := range expr.Symbols(st.Start, st.Next) {
				from := map[int]bool{}
				if j := slices.Index(params, name); j >= 0 {
					from[j] = true
				} else if l := slices.IndexFunc(s.states, func(o expr.State) bool { return o.Name == name }); l >= 0 {
					from = on[l]
				}
				for j := range from {
					changed = changed || !on[k][j]
					on[k][j] = true
				}
			}
		}
	}
	for k, st := range s.states {
		starts := diff.Gradient(st.Start, params)
		for j := range params {
			if on[k][j] {
				s.tangents = append(s.tangents, tangent{state: k, param: j, start: starts[j]})
			}
		}
	}
}

// total returns the derivatives of e in the parameters, including those through the states before the trial. If bars is not
// nil, it replaces symbols in the partial derivatives.
func (s *sheet) total(e *expr.Expr, bars *expr.Mapper) []*expr.Expr {
	symbols := s.ParamNames()
	for _, st := range s.states {
		symbols = append(symbols, st.Name)
	}
	all := diff.Gradient(e, symbols)
	if bars != nil {
		for i, d := range all {
			all[i] = bars.Map(d)
		}
	}
	grad := all[:len(s.Params):len(s.Params)]
	for _, t := range s.tangents {
		through := expr.Times(all[len(s.Params)+t.state], expr.Var(tangentName(t.state, t.param)))
		grad[t.param] = expr.Plus(grad[t.param], through)
	}
	return grad
}

// sort finds the distinct lists of columns that restart states.
func (s *sheet) sort() {
	for _, st := range s.states {
		k := slices.IndexFunc(s.sets, func(o []string) bool { return slices.Equal(o, st.Restart) })
		if k < 0 {
			k = len(s.sets)
			s.sets = append(s.sets, st.Restart)
		}
		s.setOf = append(s.setOf, k)
	}
}
