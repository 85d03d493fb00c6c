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

// Sequence simulates trials in the order of the data. The parameters of a trial depend on columns of the data or, through states, on
// earlier trials. Each response is drawn from the process that the log density calls, or from the density of its choices. It is safe
// for concurrent use.
type Sequence struct {
	model    *Model
	process  *ssm.Model // nil for a model of choices only
	values   *expr.Tape // a tape evaluates expressions; this one computes the process's parameters; without a process, the log density of a choice
	computed *expr.Tape // computes the computed columns
	outcomes []string   // trial columns that are computed
	starts   *expr.Tape // computes the starting values of the states
	next     *expr.Tape // computes the states after a trial
	supplied []string   // columns outside the model's declaration that are needed to compute the computed columns
	names    []string   // parameters, trial columns, choice and states: the inputs of the tapes
	columns  []string   // trial columns, and those that restart states
	rt       int        // index of the trial column with response times; -1 for none
}

func newSequence(m *Model, p *ssm.Model, values []*expr.Expr) *Sequence {
	s := &Sequence{model: m, process: p, names: slices.Concat(m.ParamNames(), m.Trials), columns: m.DataColumns(), rt: m.TimeColumn()}
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
		if a.Value.Op == expr.Sym && a.Value.Name == a.Param {
			continue // the column is copied from the data, whatever the choice
		}
		s.outcomes, computed = append(s.outcomes, a.Param), append(computed, a.Value)
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

// Sequence returns the simulator of the model's trials if they depend on columns or on one another. It returns false if there is no
// simulator, and for a model for which [Model.Simulator] is enough.
func (m *Model) Sequence() (*Sequence, bool) { return m.sequence, m.sequence != nil }

// Process returns the process that draws responses; it returns false for a model of choices only, which are drawn from their
// density.
func (s *Sequence) Process() (*ssm.Model, bool) { return s.process, s.process != nil }

// Supplied returns the columns, besides those that the model declares, from which its computed columns are computed.
func (s *Sequence) Supplied() []string { return s.supplied }

// Outcomes returns the trial columns that are computed from choices.
func (s *Sequence) Outcomes() []string { return s.outcomes }

// Given returns the trial columns that data must have: all except the response time and the computed ones.
func (s *Sequence) Given() (names []string) {
	for j, name := range s.model.Trials {
		if j != s.rt && !slices.Contains(s.outcomes, name) {
			names = append(names, name)
		}
	}
	return names
}

// Needed returns all columns that data must have: the given ones, those from which computed columns are computed, and those that
// restart states.
func (s *Sequence) Needed() []string {
	return slices.Concat(s.Given(), s.Supplied(), s.model.Restarts())
}

// Blank returns the trials of a table without responses, and the columns of Supplied, as arguments for Draw. The table must have the
// columns of Needed.
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

// Respond draws the response to a trial, given the parameters of a sequence's process and of its wrappers, such as lapses. The
// choice is [trials.Omitted] where no response is recorded: such a trial changes no state.
type Respond func(ctx context.Context, r *rand.Rand, trial int, theta []float64) (rt, choice float64, err error)

// By returns a function that draws responses from the sequence's process by a scheme of simulation; nil for a model of choices only.
func (s *Sequence) By(scheme ssm.Scheme) Respond {
	if s.process == nil {
		return nil
	}
	p, rt, choice := s.process.Remembering(), []float64{0}, []float64{0}
	return func(ctx context.Context, r *rand.Rand, _ int, theta []float64) (float64, float64, error) {
		err := p.Check(theta)
		if err == nil {
			err = p.SimulateDecided(ctx, r, theta, scheme, rt, choice)
		}
		return rt[0], choice[0], err
	}
}

// Unexplained returns the trial columns that change states and are not computed by the model. In data they may depend on the participants'
// choices, as rewards do. Then they are wrong for simulated choices.
func (s *Sequence) Unexplained() (names []string) {
	if s.model.Called == nil {
		return nil
	}
	var nexts []*expr.Expr
	for _, x := range s.model.Called.States {
		nexts = append(nexts, x.Next)
	}
	used := expr.Symbols(nexts...)
	for j, name := range s.model.Trials {
		explained := slices.ContainsFunc(s.model.Computed, func(a expr.Assign) bool { return a.Param == name })
		if j != s.rt && !explained && slices.Contains(used, name) {
			names = append(names, name)
		}
	}
	return names
}

// Draw draws responses to all trials. Columns of t are the model's trial columns, then those that restart states; response times,
// choices and computed columns are overwritten. theta has the model's parameters, then those of wrappers around the process; each
// is one number, or one for each trial. supplied has the columns that Supplied lists. respond is not used for a model of choices
// only.
func (s *Sequence) Draw(ctx context.Context, r *rand.Rand, respond Respond, theta [][]float64, t kernel.Trials, supplied [][]float64) error {
	m := s.model
	d := &drawing{Sequence: s, Trials: t, supplied: supplied, respond: respond, inputs: make([]float64, len(s.names)), around: make([]float64, len(theta)-len(m.Params)),
		who: map[int32]*person{}}
	for i := range t.N() {
		if err := ctx.Err(); err != nil {
			return err
		}
		for j, p := range theta[:len(m.Params)] {
			d.inputs[j] = kernel.At(p, i)
		}
		for j, p := range theta[len(m.Params):] {
			d.around[j] = kernel.At(p, i)
		}
		if err := d.trial(ctx, r, i); err != nil {
			return fmt.Errorf("trial %d: %w", i+1, err)
		}
	}
	return nil
}

// drawing is the state of one call of Draw.
type drawing struct {
	*Sequence
	kernel.Trials
	supplied [][]float64
	respond  Respond
	inputs   []float64         // inputs of the tapes
	around   []float64         // the parameters of the wrappers around the process
	out      []float64         // memory of the tapes
	own      []float64         // inputs of the tape computed
	who      map[int32]*person // participants by number
}

// person holds the states of a participant, and the number of the participant's last trial.
type person struct {
	states []float64
	last   int
}

// trial draws trial i. d.inputs must hold the trial's parameters.
func (d *drawing) trial(ctx context.Context, r *rand.Rand, i int) error {
	params := len(d.model.Params)
	for j := range d.model.Trials {
		d.inputs[params+j] = d.Columns[j][i]
	}
	var who *person
	if d.model.Stateful() {
		who = d.begin(i)
	}
	answered, err := d.answer(ctx, r, i)
	if err != nil || !answered {
		return err
	}
	if len(d.outcomes) > 0 {
		d.compute(i)
	}
	if who != nil {
		who.states, _ = d.next.Eval(who.states[:0], d.inputs)
	}
	return nil
}

// begin copies the states of the trial's participant to d.inputs. They get their starting values at the first trial, and when a column
// restarts them.
func (d *drawing) begin(i int) *person {
	id := int32(0)
	if d.Person != nil {
		id = d.Person[i]
	}
	who, seen := d.who[id]
	if !seen {
		who = &person{last: i}
		who.states, _ = d.starts.Eval(nil, d.inputs)
		d.who[id] = who
	}
	for k, x := range d.model.Called.States {
		for _, name := range x.Restart {
			c := d.Columns[slices.Index(d.columns, name)]
			if math.Float64bits(c[i]) != math.Float64bits(c[who.last]) {
				d.out, _ = d.starts.Eval(d.out[:0], d.inputs)
				who.states[k] = d.out[k]
			}
		}
	}
	who.last = i
	copy(d.inputs[len(d.inputs)-len(who.states):], who.states)
	return who
}

// answer draws the response to a trial. It returns false if no response is recorded.
func (d *drawing) answer(ctx context.Context, r *rand.Rand, i int) (bool, error) {
	m, choiceAt := d.model, len(d.model.Params)+len(d.model.Trials)
	if d.process == nil {
		return true, d.choose(r, choiceAt, &d.Choice[i])
	}
	d.out, _ = d.values.Eval(d.out[:0], d.inputs)
	rt, choice, err := d.respond(ctx, r, i, append(d.out, d.around...))
	if err != nil {
		return false, err
	}
	d.Columns[d.rt][i], d.inputs[len(m.Params)+d.rt] = rt, rt
	if d.Choice != nil {
		d.Choice[i] = choice
	}
	if m.Choice != "" {
		d.inputs[choiceAt] = choice
	}
	return choice != trials.Omitted, nil
}

// choose draws a choice from the density of choices.
func (d *drawing) choose(r *rand.Rand, at int, choice *float64) error {
	codes := d.model.Codes()
	u, total := r.Float64(), 0.0
	drawn := codes[len(codes)-1]
	for _, c := range codes {
		d.inputs[at] = c
		d.out, _ = d.values.Eval(d.out[:0], d.inputs)
		p := math.Exp(d.out[0])
		if u >= total && u < total+p {
			drawn = c
		}
		total += p
	}
	if !(math.Abs(total-1) <= massTolerance) {
		return fmt.Errorf("the probabilities of the choices add up to %.6g, expected 1", total)
	}
	*choice, d.inputs[at] = drawn, drawn
	return nil
}

// massTolerance is the largest distance from 1 of the sum of the choices' probabilities.
const massTolerance = 1e-6

// compute computes the computed columns of a trial.
func (d *drawing) compute(i int) {
	params := len(d.model.Params)
	d.own = append(d.own[:0], d.inputs[params:params+len(d.model.Trials)]...)
	if d.model.Choice != "" {
		d.own = append(d.own, d.inputs[params+len(d.model.Trials)])
	} else {
		d.own = append(d.own, 0)
	}
	for _, x := range d.supplied {
		d.own = append(d.own, x[i])
	}
	d.out, _ = d.computed.Eval(d.out[:0], d.own)
	for k, name := range d.outcomes {
		j := slices.Index(d.model.Trials, name)
		d.Columns[j][i], d.inputs[params+j] = d.out[k], d.out[k]
	}
}
