package likc

import (
	"fmt"
	"math"
	"runtime"

	"likc/runtime/fit"
	"likc/runtime/model/bound"
	"likc/runtime/model/lapse"
	"likc/runtime/model/omission"
	"likc/runtime/model/trials"
)

// Deadline is the name of the column that data of a model with deadlines must have: the time, in seconds, by which a response must come.
const Deadline = "deadline"

// Lapse is the name of the parameter that [Model.WithLapses] adds: the probability that a trial is a lapse.
const Lapse = lapse.Param

// WithDeadlines returns the model of a task in which a response must come by a deadline. Its data have one more column, [Deadline]. A trial
// whose response time is NaN has no response: it counts as one that would have come later, and its choice is not read. The model must be
// a density of a response time, with or without a choice.
func (m *Model) WithDeadlines() (*Model, error) {
	return m.addDeadlines(0)
}

// WithGoNoGo does what WithDeadlines does, for a task in which one choice, +1 or -1, is to respond and the other is not to: a trial without
// response is of the other choice, or would have come later.
func (m *Model) WithGoNoGo(respond int) (*Model, error) {
	if respond != 1 && respond != -1 {
		return nil, fmt.Errorf("likc: %s: the choice that is to respond is %d: want 1 or -1", m.catalog.Name, respond)
	}
	return m.addDeadlines(float64(respond))
}

// addDeadlines returns the model with deadlines. respond is the only choice that is a response; 0 if every choice is one.
func (m *Model) addDeadlines(respond float64) (*Model, error) {
	if m.base != nil {
		return nil, fmt.Errorf("likc: %s: has deadlines or lapses already: a model is given deadlines once, and lapses after them", m.catalog.Name)
	}
	x, err := m.wrap(omission.Deadline{Respond: respond})
	if err == nil {
		x.hasDeadlines, x.respond = true, respond
	}
	return x, err
}

// WithLapses returns the model in which some trials are lapses: their response times are uniform from low to high, in seconds, and their
// choices equally frequent. The probability of a lapse is one more parameter, [Lapse], the last one; in a fit its prior is uniform from 0 to 1
// unless [Settings] have another, such as "beta(1, 20)". A model with deadlines is given those first.
func (m *Model) WithLapses(low, high float64) (*Model, error) {
	if !(low >= 0 && low < high && !math.IsInf(high, 1)) {
		return nil, fmt.Errorf("likc: %s: lapses from %v to %v s: want 0 <= low < high", m.catalog.Name, low, high)
	}
	x, err := m.wrap(lapse.Lapses{Times: lapse.Window{Low: low, High: high}, GoNoGo: m.respond != 0})
	if err == nil {
		x.hasDeadlines, x.respond = m.hasDeadlines, m.respond
	}
	return x, err
}

// wrap returns the model with a wrapper. The code that was loaded for the model without it is released when no model uses it any more.
func (m *Model) wrap(w bound.Wrapper) (*Model, error) {
	bare := m.binder
	if m.base == nil {
		var err error
		if bare, err = bound.Open(m.catalog, bound.Ready); err != nil {
			return nil, fmt.Errorf("likc: %w", err)
		}
	}
	p, err := bare.With(w)
	if err != nil {
		return nil, fmt.Errorf("likc: %w", err)
	}
	x := &Model{catalog: p.Model, binder: p, base: m}
	x.once.Do(func() {}) // marks the model as prepared
	if m.base == nil {
		runtime.AddCleanup(x, func(b *bound.Prepared) { b.Close() }, bare)
	}
	return x, nil
}

// omit marks trials whose response time is NaN as those that have no response.
func (m *Model) omit(t *fit.Subject) {
	t.Go = m.respond
	if t.Choice == nil {
		t.Choice = make([]float64, len(t.Deadlines))
	}
	times := t.Times(m.catalog)
	for i, rt := range times {
		switch {
		case math.IsNaN(rt):
			times[i], t.Choice[i] = t.Deadlines[i], trials.Omitted
		case t.Choice[i] == trials.Omitted: // the code of an omission is no choice of a trial with a response
			t.Choice[i] = math.NaN()
		}
	}
}

// checkResponse returns an error if trial i, counted from 0, is invalid for a model with deadlines or lapses.
func (m *Model) checkResponse(t *fit.Subject, i int) error {
	rt, omitted := math.NaN(), t.Choice != nil && t.Choice[i] == trials.Omitted
	if j := m.catalog.TimeColumn(); j >= 0 {
		rt = t.Columns[j][i]
	}
	if m.hasDeadlines {
		switch deadline := t.Deadlines[i]; {
		case !(deadline > 0) || math.IsInf(deadline, 1):
			return fmt.Errorf("column %s, row %d: %v is not a number of seconds above 0", Deadline, i+1, deadline)
		case rt > deadline:
			return fmt.Errorf("row %d: a response after %v s, and the deadline was %v s: want NaN for a trial without response", i+1, rt, deadline)
		case m.respond != 0 && !omitted && t.Choice[i] != m.respond:
			return fmt.Errorf("row %d: a response with the choice %v: only %v is a response in this task; want NaN for a trial without response", i+1, t.Choice[i], m.respond)
		}
	}
	if m.base == nil {
		return nil
	}
	if l, ok := lapse.Of(m.binder); ok && !omitted && l.Times.Density(rt) == 0 {
		return fmt.Errorf("row %d: no lapse has the response time %v s: they are %s", i+1, rt, l.Times)
	}
	return nil
}
