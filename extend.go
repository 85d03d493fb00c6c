package likc

import (
	"fmt"
	"math"
	"runtime"

	"likc/runtime/fit"
	"likc/runtime/model/lapse"
	"likc/runtime/model/trials"
)

// Deadline is the column of a model with deadlines that says, in seconds, by when a response must have come.
const Deadline = "deadline"

// Lapse is the name of the parameter that [Model.WithLapses] adds: the probability that a trial is a lapse.
const Lapse = lapse.Param

// addition is what a model was given besides itself.
type addition struct {
	model *fit.Extended
	base  *Model // kept, because the extended model computes with what was loaded for it
	late  bool   // whether trials may have no response

	respond float64 // the only choice that is to respond; 0 for every one
}

func (a *addition) deadlines() bool { return a != nil && a.late }

// WithDeadlines returns the model of a task in which a response must come by a deadline. Its data have one more column, [Deadline]. A trial
// whose response time is NaN has no response: it counts as one that would have come later, and its choice is not read. The model must be
// a density of a response time, with or without a choice.
func (m *Model) WithDeadlines() (*Model, error) {
	return m.until(0, (*fit.Extended).AddOmissions)
}

// WithGoNoGo is WithDeadlines for a task in which one choice, +1 or -1, is to respond and the other is not to: a trial without response is of
// the other choice, or would have come later.
func (m *Model) WithGoNoGo(respond int) (*Model, error) {
	if respond != 1 && respond != -1 {
		return nil, fmt.Errorf("likc: %s: the choice that is to respond is %d: want 1 or -1", m.catalog.Name, respond)
	}
	return m.until(float64(respond), func(x *fit.Extended) error { return x.AddGoNoGo(float64(respond)) })
}

// until gives the model deadlines; respond is the only choice that is to respond, 0 for every one.
func (m *Model) until(respond float64, add func(*fit.Extended) error) (*Model, error) {
	if m.added != nil {
		return nil, fmt.Errorf("likc: %s: has deadlines or lapses already: a model is given deadlines once, and lapses after them", m.catalog.Name)
	}
	return m.with(&addition{late: true, respond: respond}, add)
}

// WithLapses returns the model in which some trials are lapses: their response times are uniform from low to high, in seconds, and their
// choices equally frequent. The probability of a lapse is one more parameter, [Lapse], the last one; in a fit its prior is uniform from 0 to 1
// unless [Settings] have another, such as "beta(1, 20)". A model with deadlines is given those first.
func (m *Model) WithLapses(low, high float64) (*Model, error) {
	if !(low >= 0 && low < high && !math.IsInf(high, 1)) {
		return nil, fmt.Errorf("likc: %s: lapses from %v to %v s: want 0 <= low < high", m.catalog.Name, low, high)
	}
	a := &addition{}
	if m.added != nil {
		a.late, a.respond = m.added.late, m.added.respond
	}
	return m.with(a, func(x *fit.Extended) error {
		err := x.AddLapses(lapse.Window{Low: low, High: high})
		if err == nil {
			x.Mixture.GoNoGo = a.respond != 0
		}
		return err
	})
}

// with adds to the model. What was loaded for it is released when the new model is garbage.
func (m *Model) with(a *addition, add func(*fit.Extended) error) (*Model, error) {
	a.model, a.base = fit.Extend(m.catalog), m
	if err := add(a.model); err != nil {
		a.model.Close()
		return nil, fmt.Errorf("likc: %w", err)
	}
	extended := &Model{catalog: a.model.Model, added: a}
	runtime.AddCleanup(extended, func(x *fit.Extended) { x.Close() }, a.model)
	return extended, nil
}

// mixture returns the lapses, nil for none.
func (a *addition) mixture() *lapse.Mixture {
	if a == nil {
		return nil
	}
	return a.model.Mixture
}

// omit marks trials whose response time is NaN as those that have no response.
func (a *addition) omit(t *fit.Subject) {
	t.Go = a.respond
	if t.Choice == nil {
		t.Choice = make([]float64, len(t.Deadlines))
	}
	for i, rt := range t.Columns[0] {
		switch {
		case math.IsNaN(rt):
			t.Columns[0][i], t.Choice[i] = t.Deadlines[i], trials.Omitted
		case t.Choice[i] == trials.Omitted: // the code of an omission is no choice of a trial with a response
			t.Choice[i] = math.NaN()
		}
	}
}

// check says what is wrong with a trial, counted from 0, for a model with deadlines or lapses.
func (a *addition) check(t *fit.Subject, i int) error {
	if a == nil {
		return nil
	}
	rt, omitted := t.Columns[0][i], t.Choice != nil && t.Choice[i] == trials.Omitted
	if a.late {
		switch deadline := t.Deadlines[i]; {
		case !(deadline > 0) || math.IsInf(deadline, 1):
			return fmt.Errorf("column %s, row %d: %v is not a number of seconds above 0", Deadline, i+1, deadline)
		case rt > deadline:
			return fmt.Errorf("row %d: a response after %v s, and the deadline was %v s: want NaN for a trial without response", i+1, rt, deadline)
		case a.respond != 0 && !omitted && t.Choice[i] != a.respond:
			return fmt.Errorf("row %d: a response of the choice %v, which is not to respond", i+1, t.Choice[i])
		}
	}
	if x := a.model.Mixture; x != nil && !omitted && (rt < x.Window.Low || rt > x.Window.High) {
		return fmt.Errorf("row %d: a response time of %v s is outside the window of lapses, %s", i+1, rt, x.Window)
	}
	return nil
}
