package study

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"likc/runtime/fit"
	"likc/runtime/fit/formula"
	"likc/runtime/fit/hierarchy"
	"likc/runtime/fit/nuts"
	"likc/runtime/model/bound"
	"likc/runtime/model/catalog"
	"likc/runtime/model/lapse"
	"likc/runtime/model/omission"
	"likc/runtime/model/ssm"
	"likc/runtime/model/trials"
	"likc/runtime/num/stream"
	"likc/runtime/sys/settings"
)

// Sampling holds the number and the length of the Markov chains.
type Sampling struct {
	Chains int `json:"chains" flag:"chains" default:"2" in:"[1,1000]" help:"Markov chains"`
	Warmup int `json:"warmup" flag:"warmup" default:"500" in:"[0,1000000]" help:"transitions of warm-up a chain"`
	Draws  int `json:"draws" flag:"draws" default:"500" in:"[1,1000000]" help:"draws a chain"`
}

// NUTS returns the sampler's settings, on one thread.
func (s Sampling) NUTS(seed uint64) nuts.Settings {
	n := nuts.DefaultSettings()
	n.NumChains, n.NumWarmup, n.NumSamples, n.Threads, n.Seed = s.Chains, s.Warmup, s.Draws, 1, seed
	return n
}

// Settings determine which subjects are simulated from a model, and how they are fitted. Results depend on nothing else.
type Settings struct {
	Subjects int      `json:"subjects" flag:"subjects" default:"100" in:"[1,100000]" help:"simulated subjects"`
	Trials   int      `json:"trials" flag:"trials" default:"200" in:"[1,1000000]" help:"trials of each"`
	Seed     uint64   `json:"seed" flag:"seed" default:"1" help:"seed of truths, trials and draws"`
	Priors   []string `json:"priors,omitempty" flag:"prior" value:"NAME=PRIOR" help:"NAME=PRIOR of one parameter (repeatable; default: uniform over its range)"`
	Ranges   []string `json:"ranges,omitempty" flag:"range" value:"NAME=LOW,HIGH" help:"NAME=LOW,HIGH: the range of one parameter instead of the model's (repeatable)"`
	Fixed    []string `json:"fixed,omitempty" flag:"fix" value:"NAME=VALUE" help:"NAME=VALUE: simulate and fit with a parameter at a value (repeatable)"`
	Sampling `but:"chains.default=4"`
	Task
	Columns *Columns `json:"data,omitempty"` // columns on which trials depend; nil if they depend only on parameters
}

// Task says which simulated trials have no response, and which are lapses. The fits model both.
type Task struct {
	Deadline trials.Deadline `json:"deadline,omitzero"`     // the latest time of a response; the zero value means no limit
	Go       float64         `json:"go,omitempty"`          // the only choice with a response; 0: all choices have one
	Lapses   string          `json:"lapse_times,omitempty"` // response times of lapses, as [lapse.ParseTimes] reads them; "": no lapses
}

// wrappers returns the wrappers that the task puts around a model: lapses and deadlines.
func (t *Task) wrappers() (all []bound.Wrapper, err error) {
	if t.Deadline.IsSet() {
		all = append(all, omission.Deadline{Respond: t.Go})
	}
	if t.Lapses != "" {
		times, err := lapse.ParseTimes(t.Lapses)
		if err != nil {
			return nil, fmt.Errorf("response times of lapses: %w", err)
		}
		all = append(all, lapse.Lapses{Times: times, GoNoGo: t.Go != 0})
	}
	return all, nil
}

// model returns the model with the task's wrappers, before it is prepared.
func (t *Task) model(m *catalog.Model) (*catalog.Model, error) {
	wrappers, err := t.wrappers()
	for _, w := range wrappers {
		m = m.Wrapped(w.Params(), w.Early())
	}
	return m, err
}

// open prepares a model with the task's wrappers.
func (t *Task) open(m *catalog.Model) (*bound.Prepared, error) {
	wrappers, err := t.wrappers()
	if err != nil {
		return nil, err
	}
	engine := bound.Auto
	if len(wrappers) > 0 {
		engine = bound.Ready // with wrappers, trials are evaluated row by row
	}
	p, err := bound.Open(m, engine)
	if err != nil {
		return nil, err
	}
	x, err := p.With(wrappers...)
	if err != nil {
		p.Close()
	}
	return x, err
}

// checkColumn returns an error if the deadline is in a column, because single simulated subjects have no columns.
func (t *Task) checkColumn() error {
	if t.Deadline.Column == "" {
		return nil
	}
	return fit.WishError{Of: "deadline", Err: fmt.Errorf("%s: is not a number of seconds, and simulated subjects have no columns: columns go with --formula", t.Deadline.Column)}
}

// omit turns the trials of a case that would have no response into omissions. It returns an error if a deadline in a column is not
// valid.
func (t *Task) omit(m *catalog.Model, c *Case) (err error) {
	if !t.Deadline.IsSet() {
		return nil
	}
	s := fit.Subject{Columns: c.Columns, Choice: c.Choice, Go: t.Go}
	if s.Deadlines, err = t.deadlines(&c.Table, s.Trials()); err != nil {
		return err
	}
	c.Omitted = s.Omit(m)
	c.Choice = s.Choice
	return nil
}

// deadlines returns the deadline of each of n trials, in seconds.
func (t *Task) deadlines(table *formula.Table, n int) ([]float64, error) {
	name := t.Deadline.Column
	if name == "" {
		return slices.Repeat([]float64{t.Deadline.Seconds}, n), nil
	}
	at := slices.IndexFunc(table.Columns, func(c formula.DataColumn) bool { return c.Name == name })
	if at < 0 {
		return nil, fit.WishError{Of: "deadline", Err: fmt.Errorf("%s: no such column: say what it holds, as in --column %[1]s=0.8,1.2", name)}
	}
	all := table.Columns[at].Numeric
	if all == nil || slices.ContainsFunc(all, func(x float64) bool { return !(x > 0) }) {
		return nil, fit.WishError{Of: "deadline", Err: fmt.Errorf("column %s: holds other values than numbers above 0", name)}
	}
	return all, nil
}

// DefaultSettings returns the default settings, with which the fits of an exact density take about a minute.
func DefaultSettings() Settings { return settings.Default[Settings]() }

// Check returns an error for the first number outside its bounds. The error begins with the name of the number's flag.
func (s *Settings) Check() error { return settings.Check(s) }

// For returns the settings with only those priors, ranges and fixed values that name a parameter of the model.
func (s Settings) For(m *catalog.Model) Settings {
	known := func(wishes []string) []string {
		return slices.DeleteFunc(slices.Clone(wishes), func(wish string) bool { return m.ParamIndex(nameOf(wish)) < 0 })
	}
	s.Priors, s.Ranges, s.Fixed = known(s.Priors), known(s.Ranges), known(s.Fixed)
	return s
}

// CheckNames returns an error for a prior, range or fixed value whose parameter none of the models has.
func (s Settings) CheckNames(models []*catalog.Model) error {
	for _, list := range []struct {
		kind   string
		wishes []string
	}{{"prior", s.Priors}, {"range", s.Ranges}, {"fix", s.Fixed}} {
		for _, wish := range list.wishes {
			name := nameOf(wish)
			if !slices.ContainsFunc(models, func(m *catalog.Model) bool { return m.ParamIndex(name) >= 0 }) {
				return fit.WishError{Of: list.kind, Err: fmt.Errorf("%s: no model has such a parameter", name)}
			}
		}
	}
	return nil
}

// nameOf returns NAME of a text NAME=VALUE.
func nameOf(wish string) string {
	name, _, _ := strings.Cut(wish, "=")
	return strings.TrimSpace(name)
}

// Subjects are simulated subjects of a model. Their true parameters are drawn from the priors, and they are fitted with the same
// priors, as likc fit does. A value is both a source and a fitter.
type Subjects struct {
	Settings
	Of     string             // identifies, together with the subject's number, the random stream of its truth and trials
	Labels func(i int) string // identifies the random stream of each fit; if it is nil, Of and the subject's number do
	LOO    bool               // whether fits estimate how well the model predicts single trials, by PSIS-LOO

	spec     *fit.Spec
	binder   *bound.Prepared
	truths   *hierarchy.Generator
	simulate fit.Simulate    // nil for a model of sessions, and for one that has a sequence
	sequence *sequence       // nil if the model's trials depend only on parameters
	people   []*trials.Table // the columns of each participant of the data, if there are columns
}

// NewSubjects prepares a model. It returns an error for a model that cannot be simulated, for wrong priors, and for impossible
// settings of the sampler. Close releases the subjects.
func NewSubjects(m *catalog.Model, s Settings) (*Subjects, error) {
	p := &Subjects{Settings: s, Of: m.Name}
	sampler := s.NUTS(s.Seed)
	if err := sampler.Validate(); err != nil {
		return nil, err
	}
	of, err := s.model(m)
	if err != nil {
		return nil, err
	}
	if p.spec, err = fit.NewSpec(of, fit.Wishes{Priors: s.Priors, Ranges: s.Ranges, Fixed: s.Fixed}); err != nil {
		return nil, err
	}
	if err := s.checkColumn(); err != nil {
		return nil, err
	}
	if p.truths, err = p.spec.Generator(formula.Table{}, nil); err != nil {
		return nil, err
	}
	if p.binder, err = s.open(m); err != nil {
		return nil, err
	}
	if _, session := m.Session(); session {
		return p, nil
	}
	if p.sequence, err = newSequence(m, p.binder, s.Columns, &p.Task); p.sequence == nil && err == nil {
		p.simulate, err = simulateOf(of, p.binder)
	}
	if err != nil {
		p.binder.Close()
		return nil, err
	}
	if p.sequence != nil {
		p.people = s.Columns.Table.ByPerson()
	}
	return p, nil
}

// simulateOf returns a function that simulates trials that depend only on parameters.
func simulateOf(m *catalog.Model, b *bound.Prepared) (fit.Simulate, error) {
	s, err := fit.SimulatorOf(m, b)
	if err != nil {
		return nil, err
	}
	return s.Trials, nil
}

// Numbered labels subjects by their numbers.
func Numbered(i int) string { return strconv.Itoa(i) }

// Names returns the names of the parameters that are not fixed, in the model's order.
func (p *Subjects) Names() []string { return p.truths.Study().Names() }

// NotDensity returns why the model's value for a trial is not a log density; "" if it is one.
func (p *Subjects) NotDensity() string { return fit.NotDensity(p.spec.Model, p.binder) }

// Close releases the model's code.
func (p *Subjects) Close() error { return p.binder.Close() }

// N returns the number of subjects.
func (p *Subjects) N() int { return p.Subjects }

// Case draws the true values of the parameters that are not fixed, and simulates trials at them.
func (p *Subjects) Case(ctx context.Context, i int) (Case, error) {
	name := fmt.Sprintf("subject %d of %s", i, p.Of)
	c := Case{ID: i, Label: name, Names: p.Names()}
	if p.Labels != nil {
		c.Label = p.Labels(i)
	}
	rng := ssm.NewRand(p.Seed, stream.Of(name))
	var rows *hierarchy.Rows
	c.Truth, rows = p.truths.Draw(rng)
	m, theta := p.spec.Model, make([]float64, len(p.spec.Params))
	rows.Theta(0, theta)
	if _, session := m.Session(); session {
		var err error
		c.Columns, c.Choice, err = m.DrawSession(rng, theta, p.Trials)
		return c, err
	}
	if p.sequence != nil {
		if err := p.sequence.draw(ctx, rng, oneEach(theta), p.people[i%len(p.people)], &c.Data); err != nil {
			return c, err
		}
		return c, p.omit(m, &c)
	}
	c.Columns = [][]float64{make([]float64, p.Trials)}
	if m.Choice != "" {
		c.Choice = make([]float64, p.Trials)
	}
	if err := p.simulate(ctx, rng, theta, c.Columns[0], c.Choice); err != nil {
		return c, err
	}
	return c, p.omit(m, &c)
}

// Fit draws from the posterior of a subject's parameters.
func (p *Subjects) Fit(ctx context.Context, c *Case) (*Fitted, error) {
	trials := fit.Subject{Label: c.Label, Columns: c.Columns, Choice: c.Choice, Person: c.Person}
	r := fit.Run(ctx, p.spec, p.binder, []fit.Subject{trials}, fit.Settings{Sampler: p.NUTS(p.Seed), Threads: 1, LOO: p.LOO})[0]
	if r.Err == nil && r.Draws == nil {
		r.Err = errors.New("no draws")
	}
	return &Fitted{Draws: r.Draws, Result: r}, r.Err
}
