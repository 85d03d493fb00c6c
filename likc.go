// Package likc fits models of decisions to data, from Go programs.
//
//	Open or Parse ─▶ Model ─Bind(columns)─▶ Data ─Fit(settings)─▶ Fit: Summary, Cells, Draws, LOO, Predict, Problems
//	Model ─Simulate─▶ columns
//	Model ─Recover─▶ how well fits of simulated trials find the true parameters
//
// A [Model] has parameters, and a likelihood of trials: an exact density, a formula written in the language of likc, or a neural
// network. It can be given lapses, or trials without response: see [Model.WithLapses] and [Model.WithDeadlines]. [Data] are trials
// that the model was given: they have a log-likelihood with a gradient, and can be fitted. A [Fit] holds draws from the posterior of the
// parameters, or of the coefficients of a [Regression], made by the No-U-Turn sampler, and checks of their quality.
//
// Formulas are compiled to machine code. That needs a Go toolchain when the program runs, except for the models that come with
// likc, whose machine code is part of this package. Without a toolchain formulas are interpreted: with the same results, more slowly. A program that
// imports likc/runtime/model/plugins for its effect calls compiled formulas in its own process; otherwise they run in another.
//
// The boundary separation of two-boundary models is 2a, not a as in some other programs: the boundaries are at -a and +a. Times
// are in seconds. Choices are +1 and -1, or 0, 1, … for a model that numbers them, as races do.
package likc

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"

	"likc/runtime/fit"
	"likc/runtime/model/bound"
	"likc/runtime/model/catalog"
	"likc/runtime/model/kernel"
	"likc/runtime/model/trials"
)

// Model is a model that can be given data. It is safe for concurrent use.
type Model struct {
	catalog      *catalog.Model
	base         *Model  // the model without its outermost wrapper (lapses or a deadline), nil for a model without wrappers
	hasDeadlines bool    // whether trials may have no response, because of deadlines
	respond      float64 // the only choice that is a response; 0 if every choice is one
	once         sync.Once
	binder       *bound.Prepared // prepared when it is first needed
	err          error           // why the model could not be prepared
}

// Open finds a model by its name: one that comes with likc, such as ddm, a file FILE.lik, FILE.lik#NAME for one of several in a
// file, FRONT.jsonl#LINE for a line that a search wrote, or the folder of a neural likelihood.
func Open(name string) (*Model, error) {
	m, err := catalog.Open(name)
	if err == nil {
		err = m.Usable() // a process without a density has nothing to bind
	}
	if err != nil {
		return nil, fmt.Errorf("likc: %w", err)
	}
	return &Model{catalog: m}, nil
}

// Parse reads one model that is written in the language of likc. Errors name the line and the column.
func Parse(text string) (*Model, error) {
	m, err := catalog.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("likc: %w", err)
	}
	return &Model{catalog: m}, nil
}

// Params returns the names of the parameters, in the order that every slice of parameters has.
func (m *Model) Params() []string { return m.catalog.ParamNames() }

// Columns returns the names of the columns that a dataset needs: those of the model, those at which its states restart from their first
// values, the choice, and [Deadline] for a model with deadlines.
func (m *Model) Columns() []string {
	names := m.catalog.DataColumns()
	if m.catalog.Choice != "" {
		names = append(names, m.catalog.Choice)
	}
	if m.hasDeadlines {
		names = append(names, Deadline)
	}
	return names
}

// Bind gives the model trials: the columns that [Model.Columns] names, all of the same length. The only other columns allowed are those
// from which [Fit.Predict] computes the outcomes of simulated choices. Row i of each column belongs to trial i. Errors name the column and
// the row, counted from 1. The columns are copied.
//
// The first Bind compiles the model, which may take seconds; later ones do not.
func (m *Model) Bind(columns map[string][]float64) (*Data, error) {
	trials, err := m.collect(columns)
	if err != nil {
		return nil, fmt.Errorf("likc: %s: %w", m.catalog.Name, err)
	}
	binder, err := m.open()
	if err != nil {
		return nil, fmt.Errorf("likc: %w", err)
	}
	lik, err := binder.Bind(kernel.Trials{Columns: trials.Columns, Choice: trials.Choice}, bound.Design{})
	if err != nil {
		return nil, fmt.Errorf("likc: %w", err)
	}
	return &Data{model: m, trials: trials, lik: lik}, nil
}

// open prepares the model once. What was loaded for it is released when the model is garbage.
func (m *Model) open() (*bound.Prepared, error) {
	m.once.Do(func() {
		if m.binder, m.err = bound.Open(m.catalog, bound.Auto); m.err == nil {
			runtime.AddCleanup(m, func(b *bound.Prepared) { b.Close() }, m.binder)
		}
	})
	return m.binder, m.err
}

// collect checks the columns and copies them in the model's order.
func (m *Model) collect(columns map[string][]float64) (subject fit.Subject, err error) {
	want := m.Columns()
	var supplied []string
	if s, ok := m.catalog.Sequence(); ok {
		supplied = s.Supplied()
	}
	for name := range columns {
		if !slices.Contains(want, name) && !slices.Contains(supplied, name) {
			return subject, fmt.Errorf("column %q is not one of %s", name, strings.Join(want, ", "))
		}
	}
	for _, name := range supplied {
		if _, ok := columns[name]; ok {
			want = append(want, name)
		}
	}
	for _, name := range want {
		column, ok := columns[name]
		switch first := columns[want[0]]; {
		case !ok:
			return subject, fmt.Errorf("no column %s; want %s", name, strings.Join(want, ", "))
		case len(column) == 0:
			return subject, fmt.Errorf("column %s has no rows", name)
		case len(column) != len(first):
			return subject, fmt.Errorf("column %s has %d rows: column %s has %d", name, len(column), want[0], len(first))
		}
		switch column := slices.Clone(column); {
		case name == m.catalog.Choice:
			subject.Choice = column
		case name == Deadline && m.hasDeadlines:
			subject.Deadlines = column
		case slices.Contains(supplied, name):
			subject.Supplied = append(subject.Supplied, trials.Supplied{Name: name, Values: column})
		default:
			subject.Columns = append(subject.Columns, column)
		}
	}
	if m.hasDeadlines {
		m.omit(&subject)
	}
	return subject, m.check(&subject)
}

// check returns an error that names the first wrong value of a trial.
func (m *Model) check(t *fit.Subject) error {
	codes := m.catalog.Codes()
	if m.hasDeadlines {
		codes = append(slices.Clone(codes), trials.Omitted)
	}
	for i := range t.Trials() {
		if err := m.checkResponse(t, i); err != nil {
			return err
		}
		for j, name := range m.catalog.DataColumns() {
			if wrong := m.wrong(name, t.Columns[j][i]); wrong != "" {
				return fmt.Errorf("column %s, row %d: %v %s", name, i+1, t.Columns[j][i], wrong)
			}
		}
		if m.catalog.Choice != "" && !slices.Contains(codes, t.Choice[i]) {
			return fmt.Errorf("column %s, row %d: %v is %s", m.catalog.Choice, i+1, t.Choice[i], m.noChoice())
		}
	}
	return nil
}

// noChoice returns the error for a number that is no choice of the model.
func (m *Model) noChoice() string {
	if n := m.catalog.Choices; n > 0 {
		return fmt.Sprintf("none of the choices 0 to %d", n-1)
	}
	return "neither +1 nor -1"
}

// wrong returns the reason why a value of one of the model's columns is invalid, or "" if it is valid.
func (m *Model) wrong(column string, x float64) string {
	switch {
	case math.IsNaN(x) || math.IsInf(x, 0):
		return "is not a finite number"
	case x < 0 && m.catalog.MayBeZero(column):
		return "is below 0"
	case x <= 0 && m.catalog.IsPositive(column) && !m.catalog.MayBeZero(column):
		return "is not above 0"
	}
	return ""
}

// Data are trials that a model was given. They are safe for concurrent use.
type Data struct {
	model  *Model
	trials fit.Subject
	lik    kernel.Sum // a *bound.Bound
}

// LogLik returns the log-likelihood at parameters theta, in the order of [Model.Params], also outside their ranges: -Inf outside
// the model's support, NaN where the density is undefined. It panics if theta has another length.
func (d *Data) LogLik(theta []float64) float64 {
	d.mustFit("theta", theta)
	defer runtime.KeepAlive(d) // so that the model is not garbage yet
	return d.lik.LogLik(theta)
}

// LogLikGrad returns what LogLik does, and overwrites grad, as long as theta, with the gradient: zero outside the support.
func (d *Data) LogLikGrad(theta, grad []float64) float64 {
	d.mustFit("theta", theta)
	d.mustFit("grad", grad)
	defer runtime.KeepAlive(d)
	return d.lik.LogLikGrad(theta, grad)
}

// LogDensities returns the log density of each trial at parameters theta, in the order of [Model.Params]: their sum is [Data.LogLik]. It
// fails for a model that cannot be evaluated trial by trial.
func (d *Data) LogDensities(theta []float64) ([]float64, error) {
	d.mustFit("theta", theta)
	defer runtime.KeepAlive(d)
	trials := d.lik.(*bound.Bound)
	if err := trials.CheckRows(); err != nil {
		return nil, fmt.Errorf("likc: %w", err)
	}
	logp := make([]float64, trials.N())
	trials.PerTrial(theta, logp)
	return logp, nil
}

// mustFit panics if the length of x is not the number of parameters.
func (d *Data) mustFit(what string, x []float64) {
	if len(x) != d.lik.Dim() {
		panic(fmt.Sprintf("likc: %s has length %d: %s has %d parameters", what, len(x), d.model.catalog.Name, d.lik.Dim()))
	}
}
