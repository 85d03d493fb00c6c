package catalog

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"likc/compiler/expr"
	"likc/runtime/model/ssm"
	"likc/runtime/model/stopsignal"
)

// Session is a process whose trials have more columns than a response time and a choice, or depend on earlier trials. It simulates
// all columns of a session, at the model's own parameters.
type Session struct {
	Name, Cites string
	Params      []ssm.Param
	Trials      []string // names of a trial's columns in model files, without its choice
	choices     int      // number of choices

	// Check returns an error for a parameter outside its domain.
	Check func(theta []float64) error

	// draw simulates n trials with the usual design. Values that a trial does not have are NaN.
	draw func(r *rand.Rand, theta []float64, n int) (columns [][]float64, choice []float64)

	// trial draws the response to one row of a session's columns. It does not read the row's response time. rt is NaN if there is no
	// response.
	trial func(r *rand.Rand, theta []float64, columns [][]float64, row int) (rt, choice float64)
}

// sessions lists the processes of sessions, by name.
var sessions = map[string]*Session{
	stopsignal.Name: {Name: stopsignal.Name, Cites: stopsignal.Cites, Params: stopsignal.Params, Trials: stopsignal.Trials, choices: 2, Check: stopsignal.Check,
		draw: func(r *rand.Rand, theta []float64, n int) ([][]float64, []float64) {
			s := stopsignal.Simulate(r, theta, stopsignal.Design{Trials: n, Signals: stopsignal.UsualSignals})
			return [][]float64{s.RT, s.Delay}, s.Choice
		},
		trial: func(r *rand.Rand, theta []float64, columns [][]float64, row int) (rt, choice float64) {
			return stopsignal.Trial(r, theta, columns[1][row])
		}},
}

// SessionNamed returns the process with a name; it returns false if its trials only have a response time and a choice, and for
// unknown names.
func SessionNamed(name string) (*Session, bool) {
	s, ok := sessions[name]
	return s, ok
}

// Session returns the process that simulates sessions of the model's data; it returns false for other models.
func (m *Model) Session() (*Session, bool) { return m.session, m.session != nil }

// DrawSession simulates n trials of a model that has a [Session], in the form in which data are bound: numbers replace values that a
// trial does not have.
func (m *Model) DrawSession(r *rand.Rand, theta []float64, n int) (columns [][]float64, choice []float64, err error) {
	if err := m.session.Check(theta); err != nil {
		return nil, nil, err
	}
	columns, choice = m.session.draw(r, theta, n)
	for j, name := range m.Trials {
		for i, x := range columns[j] {
			if math.IsNaN(x) {
				columns[j][i] = m.Missing[name]
			}
		}
	}
	return columns, choice, nil
}

// Respond returns a function that draws a response to each of the given rows of a session, given the row's other columns. columns
// are in the form in which data are bound. The response time is NaN if there is no response.
func (m *Model) Respond(columns [][]float64) func(r *rand.Rand, theta []float64, rows []int, rt, choice []float64) error {
	own := m.MissingAsNaN(columns)
	return func(r *rand.Rand, theta []float64, rows []int, rt, choice []float64) error {
		if err := m.session.Check(theta); err != nil {
			return err
		}
		for i, row := range rows {
			rt[i], choice[i] = m.session.trial(r, theta, own, row)
		}
		return nil
	}
}

// MissingAsNaN returns a copy of bound columns in which values that a trial does not have are NaN again.
func (m *Model) MissingAsNaN(columns [][]float64) [][]float64 {
	var own [][]float64
	for j, name := range m.Trials {
		column := slices.Clone(columns[j])
		for i, x := range column {
			if x == m.Missing[name] {
				column[i] = math.NaN()
			}
		}
		own = append(own, column)
	}
	return own
}

// admits returns an error if a model that declares the process has other parameters, columns or choices.
func (s *Session) admits(m *expr.Model) error {
	var want []string
	for _, p := range s.Params {
		want = append(want, p.Name)
	}
	own := slices.EqualFunc(m.Simulator.Params, want, func(a expr.Assign, name string) bool {
		return a.Param == name && a.Value.Op == expr.Sym && a.Value.Name == name
	})
	switch {
	case !own || !slices.Equal(m.ParamNames(), want):
		return fmt.Errorf("simulator %s: want a model of its parameters %s", s.Name, strings.Join(want, ", "))
	case !slices.Equal(m.Trials, s.Trials) || m.Choices != s.choices:
		return fmt.Errorf("simulator %s: want the trials %s and the choices 0 to %d", s.Name, strings.Join(s.Trials, " and "), s.choices-1)
	}
	for _, name := range m.Trials {
		if _, ok := m.Missing[name]; !ok {
			return fmt.Errorf("simulator %s: want a number for a missing %s, as in trial %s missing 1", s.Name, name, name)
		}
	}
	return nil
}
