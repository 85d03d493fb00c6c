// Package omission gives a model trials on which nobody responded in time. Such a trial has the choice [trials.Omitted] and its
// deadline in place of a response time; its log density is log S, where S is the probability that the response comes after the
// deadline:
//
//	S(T) = ∫ Σ_choices f(rt, choice) drt over rt > T.
//
// In a go/no-go task one choice is not to respond, so S has the integral of that choice from 0 to T besides.
//
// The integral is a sum over panels that follow the density, for any model but those that know it in closed form.
package omission

import (
	"fmt"
	"math"
	"strings"
	"sync"
	"sync/atomic"

	"likc/runtime/model/bound"
	"likc/runtime/model/catalog"
	"likc/runtime/model/kernel"
	"likc/runtime/model/trials"
)

// Censored is the density of a model with omissions.
type Censored struct {
	base    *catalog.Model
	binder  *bound.Prepared
	closed  closed    // the density, where it has its integrals in closed form; else nil
	choices []float64 // one that means nothing for a model without
	silent  float64   // the choice that is not to respond; 0 for none
	onset   func(theta []float64) float64
	sure    bool         // no response comes before the onset
	kept    atomic.Int64 // stretches that are parts of panels
}

// closed is a density whose integrals over time are known.
type closed interface {
	// LogSurvival returns the log probability that choice number k comes after the time after[k], for any k, and overwrites grad with its
	// gradient unless that is nil.
	LogSurvival(theta, after, grad []float64) float64
}

// New returns the model with omissions. binder is the model's, and outlives it. It refuses a model of other trial columns than a
// response time, and one whose mass is not 1 all over its ranges.
func New(m *catalog.Model, binder *bound.Prepared) (*catalog.Model, error) {
	return newCensored(m, binder, 0)
}

// NewGoNoGo returns the model of a task in which one choice, +1 or -1, is to respond, and the other is not to. Trials without
// response are of the other choice, or come after the deadline. It refuses what New refuses, and a model without choice.
func NewGoNoGo(m *catalog.Model, binder *bound.Prepared, respond float64) (*catalog.Model, error) {
	if m.Choice == "" {
		return nil, fmt.Errorf("%s: it has no choice, so none that is not to respond", m.Name)
	}
	if m.Choices > 0 {
		return nil, fmt.Errorf("%s: go/no-go tasks are for models of two boundaries, and this one has the choices 0 to %d", m.Name, m.Choices-1)
	}
	return newCensored(m, binder, -respond)
}

func newCensored(m *catalog.Model, binder *bound.Prepared, silent float64) (*catalog.Model, error) {
	if m.Stateful() {
		return nil, fmt.Errorf("%s has states: deadlines are for models whose trials do not depend on one another; leave out trials without a response (--drop-missing)", m.Name)
	}
	if len(m.Trials) != 1 || m.Trials[0] != trials.ResponseTime(m.Trials) {
		return nil, fmt.Errorf("%s reads the trial columns %s: deadlines are for models of a response time, with or without a choice", m.Name, strings.Join(m.Trials, ", "))
	}
	if masses, _ := binder.Masses(); !masses.Normalised() {
		return nil, fmt.Errorf("%s is no density, so it does not say how often nobody responds in time: it %s", m.Name,
			masses.Fault())
	}
	c := &Censored{base: m, binder: binder, choices: []float64{0}, silent: silent, onset: m.Onset(), sure: m.Lapse == nil}
	if m.Choice != "" {
		c.choices = m.Codes()
	}
	density, _ := m.Density()
	c.closed, _ = density.(closed)
	return m.WithDensity(c), nil
}

// Dim is the number of parameters.
func (c *Censored) Dim() int { return len(c.base.Params) }

// Rows gives trials to the log density row by row; a model without choice has choices too, 0 for a response. It refuses what the
// model refuses, deadlines that are not positive, and responses of the choice that is not to respond.
func (c *Censored) Rows(of kernel.Trials) (kernel.Rows, error) {
	rt, choice := of.Columns[0], of.Choice
	r := &rows{n: len(rt), dim: len(c.base.Params)}
	answered, choices := []float64{}, []float64{}
	tails := map[float64]int{}
	for i, t := range rt {
		if choice[i] != trials.Omitted {
			if choice[i] == c.silent && c.silent != 0 {
				return nil, fmt.Errorf("trial %d: a response of the choice %+.0f, which is not to respond", i+1, c.silent)
			}
			r.answered, answered, choices = append(r.answered, i), append(answered, t), append(choices, choice[i])
			continue
		}
		if !(t > 0) || math.IsInf(t, 1) {
			return nil, fmt.Errorf("trial %d: a deadline of %v is not positive and finite", i+1, t)
		}
		k, known := tails[t]
		if !known {
			tail, err := c.newTail(t)
			if err != nil {
				return nil, err
			}
			k = len(r.tails)
			tails[t], r.tails = k, append(r.tails, tail)
		}
		r.tails[k].trials = append(r.tails[k].trials, i)
	}
	var err error
	if r.base, err = c.bind(answered, choices); err != nil {
		return nil, err
	}
	r.spaces.New = func() any { return r.newSpace() }
	return r, nil
}

// Responses is the kernel of trials with a response: the model without omissions.
func (c *Censored) Responses() kernel.Kernel { return c.binder }

// bind gives responses to the model without omissions.
func (c *Censored) bind(rt, choice []float64) (kernel.Rows, error) {
	if c.base.Choice == "" {
		choice = nil
	}
	return c.binder.Rows(kernel.Responses(rt, choice))
}

// newTail prepares the integral beyond a deadline, and that of the choice that is not to respond before it.
func (c *Censored) newTail(deadline float64) (*tail, error) {
	t := &tail{of: c, deadline: deadline}
	for _, side := range c.choices {
		if side == c.silent && c.silent != 0 {
			t.after = append(t.after, math.Inf(-1)) // at any time
		} else {
			t.after = append(t.after, deadline)
		}
	}
	if c.closed != nil {
		return t, nil
	}
	var err error
	if t.beyond, err = c.beyond(deadline); err != nil {
		return nil, err
	}
	if c.silent != 0 {
		t.before, err = c.before(deadline)
	}
	return t, err
}

// rows is a model with omissions row by row.
type rows struct {
	n, dim   int
	answered []int // rows with a response
	base     kernel.Rows
	tails    []*tail
	spaces   sync.Pool // of *space
}

// tail is the trials without a response by one deadline, with the panels of their integral.
type tail struct {
	of       *Censored
	deadline float64
	trials   []int
	after    []float64 // by choice: the earliest time of a response that is an omission
	beyond   []*stretch
	before   *stretch // nil where every choice is to respond
}
