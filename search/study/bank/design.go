package bank

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"likc/runtime/model/catalog"
	"likc/runtime/model/ssm"
	"likc/runtime/model/trials"
)

// Design says on which columns the trials of a bank depend. The columns come from a table of data with several participants. The
// first subject has the columns of the first participant, the next subject those of the next, and so on in a cycle. Trials are
// simulated in their order, because a response may change later trials.
type Design struct {
	SHA256  string    `json:"sha256"`            // SHA-256 of the data file
	Subject string    `json:"subject,omitempty"` // column of the participants; "" for the column "subject"
	Columns []string  `json:"columns"`           // columns of trials.parquet that follow subject, rt and choice
	Choices []float64 `json:"choices"`           // codes of the choices; only 1 for trials with a single possible response
	Untimed bool      `json:"untimed,omitempty"` // whether trials have no response time; trials.parquet then has no column rt
}

// InOrder makes banks of a model whose trials depend on columns or on one another, and so are simulated in order.
type InOrder struct {
	Model    *catalog.Model
	Given    *trials.Table // table with the columns that [catalog.Sequence.Needed] names, and a row for each trial
	Subject  string        // the file's column of participants; "" for the column "subject"
	sequence *catalog.Sequence
}

// Settings returns the settings of a bank with the given role. If scheme is "", the process has its default scheme.
func (o *InOrder) Settings(role, scheme string, seed uint64) (Settings, error) {
	r, err := RoleNamed(role)
	if err != nil {
		return Settings{}, err
	}
	m := o.Model
	of, ok := m.Sequence()
	if !ok {
		return Settings{}, fmt.Errorf("%s: its trials depend on parameters alone", m.Name)
	}
	s := Settings{Role: role, Model: m.Name, Seed: seed, Scheme: ssm.SchemeNames()[0], Subjects: r.Subjects, UpperOnly: r.upper,
		Design: &Design{SHA256: o.Given.Source.SHA256, Subject: o.Subject, Columns: columnsOf(m, of), Choices: m.Codes(), Untimed: m.TimeColumn() < 0}}
	if !m.Origin.Builtin {
		s.Text = m.Origin.Text
	}
	if s.Design.Choices == nil {
		s.Design.Choices = []float64{1}
	}
	if p, ok := of.Process(); ok {
		how, name, err := p.Scheme(scheme)
		if err != nil {
			return s, err
		}
		s.Scheme, s.Step, s.MaxTime = name, how.Step, how.MaxTime
	}
	for _, p := range m.Params {
		s.Params = append(s.Params, Range{p.Name, p.Lower, p.Upper})
	}
	rows := map[int32]int{}
	for i := range o.Given.N() {
		person := int32(0)
		if o.Given.Person != nil {
			person = o.Given.Person[i]
		}
		rows[person]++
		s.Trials = max(s.Trials, rows[person])
	}
	s.Simulated = s.Trials
	return s, nil
}

// columnsOf returns the further columns of a model's trials in a bank, besides the response time and the choice. First come the
// columns of its density, then those from which outcomes of choices are computed.
func columnsOf(m *catalog.Model, of *catalog.Sequence) []string {
	names := []string{}
	for j, name := range slices.Concat(m.DataColumns(), of.Supplied()) {
		if j != m.TimeColumn() {
			names = append(names, name)
		}
	}
	return names
}

// checkDesign returns an error for settings with a design with which no bank can be made.
func (s Settings) checkDesign(r Role) error {
	d := s.Design
	switch {
	case r.upper || s.UpperOnly:
		return fmt.Errorf("role %s: keeps trials of the upper boundary alone, and trials of %s depend on columns or on the trials before them", s.Role, s.Model)
	case s.Simulated != s.Trials:
		return fmt.Errorf("simulated %d: want all %d trials of a design", s.Simulated, s.Trials)
	case !areCodes(d.Choices):
		return fmt.Errorf("design: the choices are %v; want 1 and -1, or 0, 1, …, or 1 alone", d.Choices)
	case len(d.Columns) > mostColumns:
		return fmt.Errorf("design: it has %d columns; want at most %d", len(d.Columns), mostColumns)
	}
	for i, name := range d.Columns {
		if name == "" || slices.Contains([]string{columnSubject, ssm.ResponseTime, ssm.Choice}, name) || slices.Contains(d.Columns[:i], name) {
			return fmt.Errorf("model %s: column %q: the trials of a bank have another one of that name", s.Model, name)
		}
	}
	if err := s.checkScheme(); err != nil {
		return err
	}
	return s.checkRanges()
}

// mostColumns is the largest number of columns of a design.
const mostColumns = 1000

// areCodes reports whether choices are coded as in models of the language: 1 and -1, or 0, 1, …, or only 1.
func areCodes(choices []float64) bool {
	switch {
	case len(choices) == 0:
		return false
	case choices[0] == 1:
		return len(choices) == 1 || slices.Equal(choices, []float64{1, -1})
	}
	for i, c := range choices {
		if c != float64(i) {
			return false
		}
	}
	return len(choices) > 1
}

// Make simulates the subjects as [Make] does. s is a result of o.Settings; its number of subjects and its step may be changed.
func (o *InOrder) Make(ctx context.Context, s Settings, threads int) (*Bank, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	of, _ := o.Model.Sequence()
	o.sequence = of
	people := o.Given.ByPerson()
	return s.make(ctx, threads, func(ctx context.Context, r *rand.Rand, id, i int) (Subject, error) {
		subject, err := o.simulate(ctx, r, s, id, people[i%len(people)])
		if err != nil && ctx.Err() == nil {
			err = fmt.Errorf("%s: subject %d: %w", s.Model, id, err)
		}
		return subject, err
	})
}

// simulate draws one subject, whose trials have the given columns.
func (o *InOrder) simulate(ctx context.Context, r *rand.Rand, s Settings, id int, given *trials.Table) (Subject, error) {
	subject := Subject{ID: id, Theta: draw(r, s.Params)}
	t, supplied := o.sequence.Blank(given)
	theta := make([][]float64, len(subject.Theta))
	for j := range theta {
		theta[j] = subject.Theta[j : j+1]
	}
	respond := redrawn(o.sequence.By(s.How()), &subject.Dropped)
	if err := o.sequence.Draw(ctx, r, respond, theta, t, supplied); err != nil {
		return subject, err
	}
	time := o.Model.TimeColumn()
	for j, column := range slices.Concat(t.Columns, supplied) {
		if j == time {
			subject.RT = column
		} else {
			subject.Columns = append(subject.Columns, column)
		}
	}
	if time < 0 {
		subject.RT = slices.Repeat([]float64{1}, given.N())
	}
	if subject.Choice = t.Choice; t.Choice == nil {
		subject.Choice = slices.Repeat([]float64{1}, given.N())
	}
	return subject, nil
}

// mostDrops is the largest number of draws to get one response that a bank can contain.
const mostDrops = 1000

// redrawn returns a function that draws responses until one is finite and in (0, 20) s, and rounds its time up to the grid. A
// response that is dropped changes no state, but is counted in dropped. For a model of choices only, respond and the result are
// nil.
func redrawn(respond catalog.Respond, dropped *int) catalog.Respond {
	if respond == nil {
		return nil
	}
	return func(ctx context.Context, r *rand.Rand, trial int, theta []float64) (float64, float64, error) {
		for range mostDrops {
			rt, choice, err := respond(ctx, r, trial, theta)
			if err != nil {
				return rt, choice, err
			}
			if rt = math.Ceil(rt/grid) * grid; rt > 0 && rt < Latest {
				return rt, choice, nil
			}
			*dropped++
		}
		return 0, 0, fmt.Errorf("%d responses in turn are not in 0 to %d s", mostDrops, Latest)
	}
}
