package catalog

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"likc/compiler/expr"
	"likc/runtime/model/kernel"
	"likc/runtime/model/ssm"
	"likc/runtime/model/trials"
)

// Sequence draws trials in the order of the data, where their parameters depend on columns of the data or, by way of states, on the trials before
// them: each response is drawn from the process that the log density calls, or from the density of its choices. It is safe for concurrent use.
type Sequence struct {
	model    *Model
	process  *ssm.Model // nil for a model of choices alone
	values   *expr.Tape // the process's parameters; else the log density of a choice
	computed *expr.Tape
	starts   *expr.Tape
	next     *expr.Tape
	supplied []string // columns outside the model's declaration from which computed columns are computed
	names    []string // parameters, trial columns, choice and states: the inputs of the tapes
	rt       int      // the trial column of response times; -1 for none
}

func newSequence(m *Model, p *ssm.Model, values []*expr.Expr) *Sequence {
	s := &Sequence{model: m, process: p, names: slices.Concat(m.ParamNames(), m.Trials), rt: m.TimeColumn()}
	if m.Choice != "" {
		s.names = append(s.names, m.Choice)
	}
	var starts, nexts, computed []*expr.Expr
	if m.Called != nil {
		for _, x := range m.Called.States {
			s.names, starts, nexts = append(s.names, x.Name), append(starts, x.Start), append(nexts, x.Next)
		}
	}
	for _, a := range m.Computed {
		computed = append(computed, a.Value)
		for _, name := range expr.Symbols(a.Value) {
			if name != m.Choice && !m.IsTrial(name) && !slices.Contains(s.supplied, name) {
				s.supplied = append(s.supplied, name)
			}
		}
	}
	s.values, s.starts, s.next = expr.NewTape(s.names, values...), expr.NewTape(s.names, starts...), expr.NewTape(s.names, nexts...)
	s.computed = expr.NewTape(slices.Concat(m.Trials, []string{m.Choice}, s.supplied), computed...)
	return s
}

// Sequence returns what draws the model's trials where they depend on columns or on one another; false where nothing does, and for a model that
// [Model.Simulator] has enough for.
func (m *Model) Sequence() (*Sequence, bool) { return m.sequence, m.sequence != nil }

// Process is the process that draws responses; false for a model of choices alone, which are drawn from their density.
func (s *Sequence) Process() (*ssm.Model, bool) { return s.process, s.process != nil }

// Supplied are the columns of the data from which the model's computed columns are computed, beside those that it declares.
func (s *Sequence) Supplied() []string { return s.supplied }

// Given are the trial columns that data must have: all but the response time and those that are computed.
func (s *Sequence) Given() (names []string) {
	for j, name := range s.model.Trials {
		if j != s.rt && !s.IsComputed(name) {
			names = append(names, name)
		}
	}
	return names
}

// Needed are all columns that data must have: those that are given, those that computed columns are computed from, and last those that restart states.
func (s *Sequence) Needed() []string {
	return slices.Concat(s.Given(), s.Supplied(), s.model.Restarts())
}

// Blank returns the trials of a table, which has the columns that are needed, without responses, and the columns of Supplied: what Draw takes.
func (s *Sequence) Blank(given *trials.Table) (t kernel.Trials, supplied [][]float64) {
	t.Person = given.Person
	for _, name := range s.model.DataColumns() {
		if c := given.Column(name); c != nil {
			t.Columns = append(t.Columns, slices.Clone(c))
		} else {
			t.Columns = append(t.Columns, make([]float64, given.N()))
		}
	}
	if s.model.Choice != "" {
		t.Choice = make([]float64, given.N())
	}
	for _, name := range s.Supplied() {
		supplied = append(supplied, given.Column(name))
	}
	return t, supplied
}

// IsComputed reports whether a trial column is computed from the drawn choice.
func (s *Sequence) IsComputed(name string) bool {
	return slices.ContainsFunc(s.model.Computed, func(a expr.Assign) bool { return a.Param == name })
}

// Draw draws responses to all trials. Columns of t are the model's trial columns, then those that restart states; response times, choices and
// computed columns are overwritten. theta has each parameter: one number, or one a trial. supplied has a column for each of Supplied.
func (s *Sequence) Draw(ctx context.Context, r *rand.Rand, scheme ssm.Scheme, theta [][]float64, t kernel.Trials, supplied [][]float64) error {
	m := s.model
	states := 0
	if m.Called != nil {
		states = len(m.Called.States)
	}
	values := make([]float64, len(s.names))
	at := len(values) - states // the first place of the states
	who := map[int32][]float64{}
	last := map[int32]int{}
	for i := range t.N() {
		if err := ctx.Err(); err != nil {
			return err
		}
		for j, p := range theta {
			values[j] = kernel.At(p, i)
		}
		person := int32(0)
		if t.Person != nil {
			person = t.Person[i]
		}
		if states > 0 {
			s.begin(values, at, who, last, person, t, i)
		}
		for j := range m.Trials {
			values[len(theta)+j] = t.Columns[j][i]
		}
		if err := s.respond(ctx, r, scheme, values, t, i); err != nil {
			return fmt.Errorf("trial %d: %w", i+1, err)
		}
		if len(m.Computed) > 0 {
			s.compute(values, len(theta), t, i, supplied)
		}
		if states > 0 && !(m.Choice != "" && t.Choice[i] == trials.Omitted) {
			who[person], _ = s.next.Eval(who[person][:0:0], values)
		}
	}
	return nil
}

// begin puts the states of a person among the values: fresh ones at the first trial, and where a column restarts them.
func (s *Sequence) begin(values []float64, at int, who map[int32][]float64, last map[int32]int, person int32, t kernel.Trials, i int) {
	m := s.model
	before, seen := last[person]
	last[person] = i
	fresh, _ := s.starts.Eval(nil, values)
	if !seen {
		who[person] = fresh
	}
	all := slices.Concat(m.Trials, m.Restarts())
	for k, x := range m.Called.States {
		for _, name := range x.Restart {
			c := t.Columns[slices.Index(all, name)]
			if seen && math.Float64bits(c[i]) != math.Float64bits(c[before]) {
				who[person][k] = fresh[k]
			}
		}
	}
	copy(values[at:], who[person])
}

// respond draws the response to a trial.
func (s *Sequence) respond(ctx context.Context, r *rand.Rand, scheme ssm.Scheme, values []float64, t kernel.Trials, i int) error {
	m := s.model
	choiceAt := len(m.Params) + len(m.Trials)
	if s.process == nil {
		return s.choose(r, values, choiceAt, &t.Choice[i])
	}
	theta, _ := s.values.Eval(nil, values)
	if err := s.process.Check(theta); err != nil {
		return err
	}
	rt, choice := []float64{0}, []float64{0}
	if t.Choice == nil {
		choice = nil
	}
	if err := s.process.SimulateDecided(ctx, r, theta, scheme, rt, choice); err != nil {
		return err
	}
	t.Columns[s.rt][i], values[len(m.Params)+s.rt] = rt[0], rt[0]
	if choice != nil {
		t.Choice[i], values[choiceAt] = choice[0], choice[0]
	}
	return nil
}

// choose draws a choice from the density of choices.
func (s *Sequence) choose(r *rand.Rand, values []float64, at int, choice *float64) error {
	codes := s.model.Codes()
	u, total := r.Float64(), 0.0
	drawn := codes[len(codes)-1]
	for _, c := range codes {
		values[at] = c
		lp, _ := s.values.Eval(nil, values)
		p := math.Exp(lp[0])
		if u >= total && u < total+p {
			drawn = c
		}
		total += p
	}
	if !(math.Abs(total-1) <= massTolerance) {
		return fmt.Errorf("the probabilities of the choices add up to %.6g, expected 1", total)
	}
	*choice, values[at] = drawn, drawn
	return nil
}

// massTolerance is how far from 1 probabilities of choices may add up.
const massTolerance = 1e-6

// compute fills the computed columns of a trial.
func (s *Sequence) compute(values []float64, params int, t kernel.Trials, i int, supplied [][]float64) {
	m := s.model
	own := slices.Clone(values[params : params+len(m.Trials)])
	c := 0.0
	if t.Choice != nil {
		c = t.Choice[i]
	}
	own = append(own, c)
	for _, x := range supplied {
		own = append(own, x[i])
	}
	out, _ := s.computed.Eval(nil, own)
	for k, a := range m.Computed {
		j := slices.Index(m.Trials, a.Param)
		t.Columns[j][i], values[params+j] = out[k], out[k]
	}
}
